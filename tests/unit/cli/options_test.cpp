#include "cli/options.hpp"

#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "cli/help.hpp"

using namespace fiber;
using cli::kMap;
using cli::kPlan;
using cli::kRun;

namespace {

using Words = std::vector<std::string>;

std::string refusal(cli::Verb verb, const Words& arguments, const cli::Variables& variables = {}) {
  try {
    cli::parse(verb, arguments, variables);
  } catch (const Error& e) {
    CHECK(e.code() == kExitFiber);
    return e.what();
  }
  return "accepted";
}

std::string value(const cli::Parsed& parsed, const char* name) {
  const cli::Given* given = parsed.last(name);
  return given ? given->value : "none";
}

}  // namespace

TEST_CASE("run takes flags on both sides of the spec, and arguments behind --") {
  const cli::Parsed parsed =
      cli::parse(kRun, {"-n4", "job.yaml", "-qe", "A=b", "--set", "x=[1]", "--", "-n", "--", "9"}, {});
  CHECK(parsed.words == Words{"job.yaml"});
  CHECK(parsed.command == Words{"-n", "--", "9"});
  CHECK(value(parsed, "--workers") == "4");
  CHECK(value(parsed, "--env") == "A=b");
  CHECK(value(parsed, "--set") == "x=[1]");
  CHECK(parsed.on("--quiet"));
  CHECK_FALSE(parsed.on("--verbose"));
}

TEST_CASE("map takes everything from the first word on as it is") {
  const Words command = {"prog", "-n", "[a,b]", "", "--help", "--", "{}", "%%", "++", "-e"};
  Words typed = {"-j", "3"};
  typed.insert(typed.end(), command.begin(), command.end());
  CHECK(cli::parse(kMap, typed, {}).command == command);
  CHECK(value(cli::parse(kMap, typed, {}), "--workers") == "3");
  typed.insert(typed.begin() + 2, "--");
  CHECK(cli::parse(kMap, typed, {}).command == command);
  CHECK(cli::parse(kMap, {"--", "-odd"}, {}).command == Words{"-odd"});
  CHECK(cli::parse(kMap, {"--", "--", "x"}, {}).command == Words{"--", "x"});
  CHECK(cli::parse(kMap, {}, {}).command.empty());
}

TEST_CASE("the last flag counts, repeated ones are all kept in the order given") {
  const cli::Parsed parsed = cli::parse(kRun, {"-n", "1", "--set", "workers.count=2", "-n", "3", "--set", "a=b"}, {});
  Words seen;
  for (const cli::Given& given : parsed.given) seen.push_back(given.origin + " " + given.value);
  CHECK(seen == Words{"--workers 1", "--set workers.count=2", "--workers 3", "--set a=b"});
}

TEST_CASE("variables stand for flags, are weaker than they, and do not count when empty") {
  const cli::Variables variables = {{"FIBER_WORKERS", "7"}, {"FIBER_BACKEND", ""}, {"FIBER_QUIET", "1"},
                                    {"FIBER_JSON", "no"},   {"FIBER_RANK", "3"},   {"FIBER_IN_X", "y"}};
  const cli::Parsed parsed = cli::parse(kMap, {"-n", "2", "x"}, variables);
  CHECK(parsed.given.size() == 3);
  CHECK(value(parsed, "--workers") == "2");
  CHECK(parsed.on("--quiet"));
  CHECK(parsed.last("--quiet")->origin == "FIBER_QUIET");
  CHECK(value(cli::parse(kMap, {"x"}, variables), "--workers") == "7");
  CHECK(refusal(kRun, {}, {{"FIBER_JSON", "maybe"}}) == "FIBER_JSON must be 1 or 0, found \"maybe\"");
}

TEST_CASE("usage errors say what is wrong in one line") {
  CHECK(refusal(kRun, {"--wrokers", "3"}) ==
        "unknown option --wrokers, did you mean --workers? (see fiber run --help)");
  CHECK(refusal(kMap, {"-Z", "x"}) == "unknown option -Z (see fiber map --help)");
  CHECK(refusal(kPlan, {"--timeout"}) == "--timeout needs a value (see fiber plan --help)");
  CHECK(refusal(kRun, {"--json=1"}) == "--json takes no value (see fiber run --help)");
  CHECK(refusal(kRun, {"--framing", "nul"}).starts_with("unknown option --framing"));
}

TEST_CASE("flags that come later are refused by name") {
  for (const char* flag : {"--detach", "--id-only"}) {
    CHECK(refusal(kRun, {flag}) == std::string(flag) + " is not supported by this version of fiber");
  }
  for (const char* flag : {"--image", "--task-timeout", "--max-failures", "--resume", "--chaos", "--max-parallel"}) {
    CHECK(refusal(kRun, {flag, "1"}) == std::string(flag) + " is not supported by this version of fiber");
    CHECK(refusal(kMap, {flag, "1", "x"}) == std::string(flag) + " is not supported by this version of fiber");
  }
  CHECK(refusal(kRun, {"-dj2"}) == "--detach is not supported by this version of fiber");
  CHECK(refusal(kRun, {"-j", "2"}) == "--max-parallel is not supported by this version of fiber");
  CHECK(refusal(kMap, {"--exec", "x"}) == "--exec is not supported by this version of fiber");
}

TEST_CASE("no flag is there twice, and a member's own variables are no flags") {
  for (const cli::Verb verb : {kRun, kMap, kPlan}) {
    std::set<std::string> names;
    for (const cli::Option& option : cli::all_options()) {
      if (option.verbs & verb) CHECK(names.insert(option.name()).second);
    }
  }
  const std::set<std::string_view> reserved = {"FIBER_RUN",     "FIBER_ROLE", "FIBER_RANK",  "FIBER_SIZE",
                                               "FIBER_ATTEMPT", "FIBER_DIR",  "FIBER_STDIN", "FIBER_STDOUT"};
  for (const cli::Option& option : cli::all_options()) CHECK(reserved.count(option.variable) == 0);
}

TEST_CASE("help is at most 80 columns wide and has every flag") {
  std::string all = cli::program_help();
  for (const cli::Verb verb : {kRun, kMap, kPlan}) {
    const std::string text = cli::verb_help(verb);
    all += text;
    for (const cli::Option& option : cli::all_options()) {
      if (option.later || !(option.verbs & verb)) continue;
      CHECK(text.find(option.name()) != std::string::npos);
    }
  }
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    CHECK(end - at <= 80);
    at = end + 1;
  }
}
