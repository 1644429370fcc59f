#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "plan/keys.hpp"

namespace fiber::cli {
namespace {

constexpr unsigned kAll = kRun | kMap | kPlan;
constexpr unsigned kRuns = kRun | kMap;

constexpr Option kOptions[] = {
    {kAll, "-b,--backend", "NAME", "Where jobs live: local.", "backend", "FIBER_BACKEND"},
    {kRun | kPlan, "-n,--workers", "N", "Number of workers.", "workers.count", "FIBER_WORKERS"},
    {kMap, "-n,-j,--workers", "N", "Number of workers; by default one for each core granted.", "workers.count",
     "FIBER_WORKERS"},
    {kAll, "-e,--env", "K[=V]",
     "Set a variable in every member's environment; without =V it is taken from fiber's own. May be repeated."},
    {kAll, "--env-file", "FILE",
     "Read such variables from a file: a K=V or K a line, taken literally, # for comments. May be repeated; -e wins."},
    {kAll, "--set", "PATH=VALUE",
     "Set any key of the spec, as in workers.count=8 or limits.grace=2s. May be repeated."},
    {kAll, "--timeout", "TIME", "Limit of the whole run, as in 90s or 2h30m; then it ends with code 124.", "limits.run",
     "FIBER_TIMEOUT"},
    {kAll, "--retries", "N", "Further tries of a record whose worker was lost or failed.",
     "retry.worker_lost,retry.task_error", "FIBER_RETRIES"},
    {kMap, "--framing", "KIND", "What a record is: lines, nul or len32.", "io.framing"},
    {kMap, "--order", "KIND", "Order of the replies: input or completion.", "channels.tasks.order"},
    {kMap, "--envelope", "KIND", "none, or id: number and tab before every task and reply.", "io.envelope"},
    {kMap, "--reply", "KIND", "one, or many: the records up to an empty one are the reply.", "io.reply"},
    {kMap, "--max-record", "SIZE", "Largest record, as in 64Mi.", "io.max_record"},
    {kRuns, "--logs", "HOW", "How member output is shown: prefix, group, raw or none.", {}, "FIBER_LOGS"},
    {kRuns, "--json", {}, "Write events to stderr, a JSON object a line, in place of text.", {}, "FIBER_JSON"},
    {kRuns, "-q,--quiet", {}, "No notices and no summary; errors and member output stay.", {}, "FIBER_QUIET"},
    {kRuns, "-v,--verbose", {}, "Tell more of what happens.", {}, "FIBER_VERBOSE"},
    {kRuns, "--color", "WHEN", "Colours on stderr: auto, always or never.", {}, "FIBER_COLOR"},
    {kRuns, "--dry-run", {}, "Print the plan, as fiber plan does, and run nothing."},
    {kAll, "-h,--help", {}, "Show this help."},
    {kAll, "-d,--detach", {}, {}, {}, {}, true},
    {kAll, "--id-only", {}, {}, {}, {}, true},
    {kAll, "--image", "IMAGE", {}, {}, {}, true},
    {kRun | kPlan, "-j,--max-parallel", "N", {}, {}, {}, true},
    {kMap, "--max-parallel", "N", {}, {}, {}, true},
    {kAll, "--max-failures", "N", {}, {}, {}, true},
    {kAll, "--task-timeout", "TIME", {}, {}, {}, true},
    {kAll, "--resume", "RUN", {}, {}, {}, true},
    {kAll, "--log", "WHAT", {}, {}, {}, true},
    {kAll, "--chaos", "WHAT", {}, {}, {}, true},
    {kMap, "--exec", {}, {}, {}, {}, true},
};

std::string_view verb_name(Verb verb) { return verb == kRun ? "run" : verb == kMap ? "map" : "plan"; }

[[noreturn]] void refuse(Verb verb, const std::string& what) {
  throw Error(what + " (see fiber " + std::string(verb_name(verb)) + " --help)");
}

[[noreturn]] void refuse_unknown(Verb verb, const std::string& typed) {
  std::vector<std::string_view> known;
  for (const Option& option : kOptions) {
    if ((option.verbs & verb) && !option.later) known.push_back(option.names.substr(option.names.rfind(',') + 1));
  }
  const std::string flag = typed.substr(0, typed.find('='));
  const std::string near(flag.rfind("--", 0) == 0 ? plan::nearest(flag, known) : "");
  refuse(verb, "unknown option " + flag + (near.empty() ? "" : ", did you mean " + near + "?"));
}

bool is_switched_on(const std::string& variable, const std::string& value) {
  for (const char* yes : {"1", "true", "yes", "on"}) {
    if (value == yes) return true;
  }
  for (const char* no : {"0", "false", "no", "off"}) {
    if (value == no) return false;
  }
  throw Error(variable + " must be 1 or 0, found \"" + value + "\"");
}

void take_variables(Verb verb, const Variables& variables, Parsed& parsed) {
  for (const Option& option : kOptions) {
    if (!(option.verbs & verb) || option.variable.empty()) continue;
    const std::string name(option.variable);
    const auto found = variables.find(name);
    if (found == variables.end() || found->second.empty()) continue;
    if (option.value.empty() && !is_switched_on(name, found->second)) continue;
    parsed.given.push_back({&option, found->second, name});
  }
}

/// What CLI11 found to be no flag of ours: words, then `--` and what follows it.
void take_rest(Verb verb, const std::vector<std::string>& rest, Parsed& parsed) {
  auto at = rest.begin();
  for (; at != rest.end() && *at != "--"; ++at) {
    if (at->size() > 1 && at->front() == '-') refuse_unknown(verb, *at);
    if (verb == kMap) break;
    parsed.words.push_back(*at);
  }
  if (at != rest.end() && *at == "--") ++at;
  parsed.command.assign(at, rest.end());
}

/// CLI11's errors end here; they begin with the name of the flag.
void run_parser(Verb verb, CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string text = e.what();
    std::string flag = text.substr(0, text.find_first_of(": "));
    if (!flag.starts_with('-')) flag.insert(0, "--");
    const bool value = text.find("required") != std::string::npos;
    refuse(verb, flag + (value ? " needs a value" : " takes no value"));
  } catch (const CLI::Error& e) {
    refuse(verb, e.what());
  }
}

}  // namespace

std::string Option::name() const { return std::string(names.substr(names.rfind(',') + 1)); }

std::span<const Option> all_options() { return kOptions; }

const Given* Parsed::last(std::string_view long_name) const {
  const auto found =
      std::find_if(given.rbegin(), given.rend(), [&](const Given& one) { return one.option->name() == long_name; });
  return found == given.rend() ? nullptr : &*found;
}

bool Parsed::on(std::string_view long_name) const { return last(long_name) != nullptr; }

Parsed parse(Verb verb, const std::vector<std::string>& arguments, const Variables& variables) {
  CLI::App app;
  app.set_help_flag();
  verb == kMap ? app.prefix_command() : app.allow_extras();
  std::map<const CLI::Option*, std::pair<const Option*, std::size_t>> table;  // with the number of values taken
  for (const Option& option : kOptions) {
    if (!(option.verbs & verb)) continue;
    const std::string names(option.names);
    CLI::Option* made = option.value.empty() ? app.add_flag(names)->disable_flag_override() : app.add_option(names);
    made->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    table[made] = {&option, 0};
  }
  run_parser(verb, app, arguments);

  Parsed parsed;
  take_variables(verb, variables, parsed);
  for (const CLI::Option* seen : app.parse_order()) {
    auto& [option, taken] = table.at(seen);
    if (option->later) throw Error(option->name() + " is not supported by this version of fiber");
    parsed.given.push_back({option, seen->results().at(taken++), option->name()});
  }
  take_rest(verb, app.remaining(), parsed);
  return parsed;
}

}  // namespace fiber::cli
