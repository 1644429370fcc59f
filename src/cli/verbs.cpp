#include "cli/verbs.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "cli/help.hpp"
#include "plan/keys.hpp"

namespace fiber::cli {
namespace {

constexpr VerbEntry kVerbs[] = {
    {"run", kRun, "[OPTIONS] [SPEC] [-- ARG...]", "Run a job spec.",
     "Runs the job that SPEC describes, ./fiber.yaml by default. ARGs are appended to the master's command, or to the "
     "workers' if there is no master. What is written to stdout is the result and nothing else.",
     run},
    {"map", kMap, "[OPTIONS] [--] COMMAND [ARG...] < records > replies",
     "Hand records from stdin to workers, write their replies to stdout.",
     "Starts workers that run COMMAND, hands each record (a line, by default) of stdin to one that is free, and writes "
     "the replies to stdout, in the order of the records. Options end at COMMAND.",
     map},
    {"plan", kPlan, "[OPTIONS] [SPEC] [-- ARG...]", "Print what a run would do.",
     "Reads SPEC, ./fiber.yaml by default, and prints all that is decided before a run: every default filled in, every "
     "variable replaced. Nothing is started.",
     plan},
    {"agent", 0, "ENDPOINT", {}, {}, agent},
};

constexpr std::string_view kLater[] = {"ps",     "logs",    "tasks",  "wait",       "attach", "stop", "scale", "top",
                                       "resume", "explain", "replay", "verify",     "report", "pack", "prune", "cp",
                                       "doctor", "init",    "schema", "completion", "spawn",  "head"};

[[noreturn]] void refuse_verb(const std::string& word) {
  if (std::find(std::begin(kLater), std::end(kLater), word) != std::end(kLater)) {
    throw Error("the verb " + word + " is not supported by this version of fiber");
  }
  std::vector<std::string_view> known = {"--help", "--version"};
  for (const VerbEntry& verb : kVerbs) {
    if (!verb.summary.empty()) known.push_back(verb.name);
  }
  const std::string near(plan::nearest(word, known));
  throw Error((word.starts_with('-') ? "unknown option " : "unknown verb ") + word +
              (near.empty() ? "" : ", did you mean " + near + "?") + " (see fiber --help)");
}

}  // namespace

std::span<const VerbEntry> all_verbs() { return kVerbs; }

int carry_out(const Arguments& arguments, Session& session) {
  if (arguments.empty()) return session.usage(program_help());
  const std::string& word = arguments.front();
  const Arguments rest(arguments.begin() + 1, arguments.end());
  for (const VerbEntry& verb : kVerbs) {
    if (verb.name == word) return verb.carry_out(rest, session);
  }
  if (word == "--version") {
    session.print("fiber " FIBER_VERSION "\n");
  } else if (word == "--help" || word == "-h" || word == "help") {
    session.print(program_help());
  } else {
    refuse_verb(word);
  }
  return kExitOk;
}

}  // namespace fiber::cli
