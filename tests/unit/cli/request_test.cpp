#include "cli/request.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"

using namespace fiber;
namespace fs = std::filesystem;

namespace {

/// An empty folder that goes with this object.
struct Folder {
  fs::path path;
  Folder() {
    char name[] = "/tmp/fiber-test-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

template <typename Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& e) {
    CHECK(e.code() == kExitFiber);
    return e.what();
  }
  return "accepted";
}

head::Style style(const std::vector<std::string>& arguments, const cli::Variables& variables = {},
                  bool terminal = false) {
  return cli::style_of(cli::parse(cli::kRun, arguments, variables), variables, terminal);
}

}  // namespace

TEST_CASE("a file of variables is read literally") {
  const auto env = cli::parse_env_file(
      {"x.env", "# comment\n\n  A=1\nexport B=\"$A 'q'\"\r\n\texport  C\nD=\nE= a=b #c \nA=2\nlast=no newline"});
  CHECK(env.size() == 6);
  CHECK(env.at("A") == "2");
  CHECK(env.at("B") == "\"$A 'q'\"");
  CHECK(env.at("C") == std::nullopt);
  CHECK(env.at("D") == "");
  CHECK(env.at("E") == " a=b #c ");
  CHECK(env.at("last") == "no newline");
  CHECK(refusal([] {
          cli::parse_env_file({"x.env", "A=1\n=2\n"});
        }) == "x.env:2: expected NAME or NAME=VALUE, found \"=2\"");
  CHECK(refusal([] { cli::parse_env_file({"x.env", "A B=1"}); }).starts_with("x.env:1: a variable's name"));
}

TEST_CASE("a document that cannot be read gives one clear line") {
  const Folder folder;
  const std::string here = folder.path.string();
  CHECK(cli::read_document(folder.file("a.yaml", "x: 1\n")).text == "x: 1\n");
  CHECK(refusal([&] { cli::read_document(here + "/none", "; hint"); }) == here + "/none: no such file; hint");
  CHECK(refusal([&] { cli::read_document(here); }) == here + ": is a folder, not a file");
  CHECK(refusal([&] { cli::read_document(folder.file("big", std::string((1 << 20) + 1, 'x'))); }) ==
        here + "/big: is larger than 1 MiB");
  CHECK(cli::read_document(folder.file("full", std::string(1 << 20, 'x'))).text.size() == 1 << 20);
}

TEST_CASE("a request has the spec, its folder, and what is laid over it in order") {
  const Folder folder;
  const std::string spec = folder.file("job.yaml", "workers: cat\n"), vars = folder.file("v.env", "A=file\nB=file\n");
  const cli::Variables variables = {{"FIBER_WORKERS", "5"}, {"XDG_CONFIG_HOME", "/nonexistent"}};
  const cli::Parsed parsed = cli::parse(
      cli::kRun, {"-e", "A=flag", spec, "--env-file", vars, "--retries", "2", "--set", "name=a=b", "--", "x"},
      variables);
  const plan::LoadRequest request = cli::request_for_spec(parsed, variables);
  CHECK(request.spec->text == "workers: cat\n");
  CHECK(request.directory == folder.path.string());
  CHECK(request.args == std::vector<std::string>{"x"});
  CHECK(request.env.at("A") == "flag");
  CHECK(request.env.at("B") == "file");
  std::string seen;
  for (const plan::Override& one : request.overrides) seen += one.path + "=" + one.value + " " + one.origin + "\n";
  CHECK(seen ==
        "workers.count=5 FIBER_WORKERS\nretry.worker_lost=2 --retries\nretry.task_error=2 --retries\n"
        "name=a=b --set name\n");
}

TEST_CASE("what is no spec is refused") {
  const cli::Variables none;
  const auto request = [&](const std::vector<std::string>& arguments) {
    return refusal([&] { cli::request_for_spec(cli::parse(cli::kRun, arguments, none), none); });
  };
  const Folder folder;
  folder.file("train.yaml", "");
  const std::string here = folder.path.string();
  CHECK(request({"-"}) == "a spec cannot be read from stdin; name a file");
  CHECK(request({"a", "b"}) == "unexpected argument b; arguments of the program go behind --");
  CHECK(request({here + "/tarin.yaml"}) == here + "/tarin.yaml: no such file, did you mean " + here + "/train.yaml?");
  CHECK(refusal([&] {
          cli::request_for_command(cli::parse(cli::kMap, {}, none), none);
        }).starts_with("no command is given"));
}

TEST_CASE("colour: flag, NO_COLOR, CLICOLOR_FORCE, TERM, terminal") {
  const cli::Variables xterm = {{"TERM", "xterm"}};
  CHECK(style({}, xterm, true).color);
  CHECK_FALSE(style({}, xterm, false).color);
  CHECK_FALSE(style({}, {{"TERM", "dumb"}}, true).color);
  CHECK_FALSE(style({}, {}, true).color);
  CHECK_FALSE(style({}, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}, true).color);
  CHECK(style({}, {{"TERM", "xterm"}, {"NO_COLOR", ""}}, true).color);
  CHECK(style({}, {{"CLICOLOR_FORCE", "1"}}).color);
  CHECK_FALSE(style({}, {{"CLICOLOR_FORCE", "0"}}).color);
  CHECK(style({"--color", "always"}, {{"NO_COLOR", "1"}}).color);
  CHECK_FALSE(style({"--color=never"}, {{"CLICOLOR_FORCE", "1"}}, true).color);
  CHECK(refusal([] { style({"--color", "red"}); }) == "--color must be auto, always or never, found \"red\"");
}

TEST_CASE("style of the other flags") {
  CHECK(style({"--logs", "group"}).logs == head::Logs::group);
  CHECK(style({}, {{"FIBER_LOGS", "none"}}).logs == head::Logs::none);
  CHECK(refusal([] {
          style({}, {{"FIBER_LOGS", "x"}});
        }) == "FIBER_LOGS must be prefix, group, raw or none, found \"x\"");
  CHECK(style({"-q", "--json"}).quiet);
  CHECK(style({"-q", "--json"}).json);
  CHECK(refusal([] { style({"-q", "-v"}); }) == "--quiet and --verbose exclude each other");
  const head::Style loud = style({"-v"}, {{"FIBER_QUIET", "1"}});
  CHECK(loud.verbose);
  CHECK_FALSE(loud.quiet);
}
