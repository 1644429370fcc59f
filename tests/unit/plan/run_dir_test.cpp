#include "plan/run_dir.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "plan/claimed_folder.hpp"

using namespace fiber;
using plan::RunDirectory;
namespace fs = std::filesystem;

namespace {

constexpr int kPatience = 60'000;  // milliseconds; far more than is ever needed

/// State and temporary folders of their own, for as long as this object lives.
class Place {
 public:
  Place() {
    char name[] = "/tmp/fiber-test-XXXXXX";
    root = mkdtemp(name);
    for (const char* variable : {"XDG_STATE_HOME", "TMPDIR"}) {
      const char* value = getenv(variable);
      before_[variable] = value ? std::optional<std::string>(value) : std::nullopt;
      setenv(variable, root.c_str(), 1);
    }
  }
  ~Place() {
    for (const auto& [name, value] : before_) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
    fs::remove_all(root);
  }
  fs::path runs() const { return root / "fiber" / "runs"; }
  fs::path scratches() const { return root / ("fiber-" + std::to_string(geteuid())); }
  fs::path root;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

std::set<std::string> names(const fs::path& folder) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) found.insert(entry.path().filename().string());
  return found;
}

std::string read_file(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

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

/// Processes that each make a run directory, tell its id, and keep it until they are let go or killed.
class Crowd {
 public:
  explicit Crowd(int count) {
    REQUIRE(pipe2(ids_, O_CLOEXEC) == 0);
    REQUIRE(pipe2(hold_, O_CLOEXEC) == 0);
    for (int i = 0; i < count; ++i) {
      const pid_t pid = fork();
      REQUIRE(pid >= 0);
      if (pid == 0) _exit(live());
      pids.push_back(pid);
    }
    close(ids_[1]);
    close(hold_[0]);
    for (std::string line; static_cast<int>(ids.size()) < count;) {
      pollfd ready{ids_[0], POLLIN, 0};
      REQUIRE(poll(&ready, 1, kPatience) == 1);
      char c = 0;
      REQUIRE(read(ids_[0], &c, 1) == 1);
      if (c != '\n') line += c;
      if (c == '\n') ids.push_back(std::exchange(line, {}));
    }
  }
  ~Crowd() { let_go(); }

  /// Exit codes of all.
  std::set<int> let_go() {
    std::set<int> codes;
    if (hold_[1] >= 0) close(std::exchange(hold_[1], -1));
    for (const pid_t pid : std::exchange(pids, {})) {
      int status = 0;
      waitpid(pid, &status, 0);
      codes.insert(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    if (ids_[0] >= 0) close(std::exchange(ids_[0], -1));
    return codes;
  }

  std::vector<pid_t> pids;
  std::vector<std::string> ids;

 private:
  int live() {
    try {
      close(hold_[1]);
      RunDirectory mine = RunDirectory::create();
      const std::string line = mine.id() + "\n";
      if (write(ids_[1], line.data(), line.size()) < 0) return 2;
      char c = 0;
      if (read(hold_[0], &c, 1) != 0) return 3;
      const bool kept = fs::exists(mine.path() / "events.jsonl") && fs::exists(mine.scratch() / ".lock");
      return kept && mine.append_event("{}") ? 0 : 4;
    } catch (const std::exception& e) {
      const std::string line = std::string("!") + e.what() + "\n";
      return write(ids_[1], line.data(), line.size()) < 0 ? 5 : 6;
    }
  }

  int ids_[2] = {-1, -1}, hold_[2] = {-1, -1};
};

}  // namespace

TEST_CASE("a run's record: private folders, files, and a scratch folder that goes with it") {
  const Place place;
  fs::path record, scratch;
  {
    RunDirectory run = RunDirectory::create();
    record = run.path();
    scratch = run.scratch();
    CHECK(record == place.runs() / run.id());
    CHECK(scratch == place.scratches() / run.id());
    CHECK(run.id().size() == 8);
    CHECK(run.id().find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == std::string::npos);
    for (const fs::path& folder : {place.runs(), record, record / "logs", place.scratches(), scratch}) {
      CHECK((fs::status(folder).permissions() & fs::perms::all) == fs::perms::owner_all);
    }
    run.write_job("name: x\n");
    CHECK(run.append_event("{\"a\":1}"));
    CHECK(run.append_event("{\"b\":2}\n"));
    CHECK(run.append_log("workers.3", std::string_view("a\0b", 3)));
    CHECK(run.append_log("workers.3", "c"));
    CHECK(plan::folder_is_claimed(record));
    fs::create_directories(scratch / "deep" / "down");
    fs::permissions(scratch / "deep", fs::perms::owner_read);
    RunDirectory moved = std::move(run);
    CHECK(moved.append_event("{}"));
  }
  CHECK(read_file(record / "job.yaml") == "name: x\n");
  CHECK(read_file(record / "events.jsonl") == "{\"a\":1}\n{\"b\":2}\n{}\n");
  CHECK(read_file(record / "logs" / "workers.3.log") == std::string("a\0bc", 4));
  CHECK_FALSE(plan::folder_is_claimed(record));
  CHECK_FALSE(fs::exists(scratch));
  CHECK(names(place.scratches()).empty());
}

TEST_CASE("many runs at once have ids of their own and leave each other alone") {
  const Place place;
  for (int i = 0; i < 200; ++i) RunDirectory::create();
  const std::set<std::string> before = names(place.runs());
  REQUIRE(before.size() == 200);
  Crowd crowd(60);
  CHECK(std::set<std::string>(crowd.ids.begin(), crowd.ids.end()).size() == 60);
  for (const std::string& id : crowd.ids) CHECK(id.front() != '!');
  CHECK(names(place.runs()).size() == 260);  // all that have ended are kept: there are no more than 200 of them
  CHECK(crowd.let_go() == std::set<int>{0});
  CHECK(names(place.scratches()).empty());
  RunDirectory::create();
  CHECK(names(place.runs()).size() == 201);
}

TEST_CASE("a killed run has ended, and the next one removes its scratch folder alone") {
  const Place place;
  Crowd crowd(6);
  for (int i = 0; i < 3; ++i) {
    kill(crowd.pids.back(), SIGKILL);
    waitpid(crowd.pids.back(), nullptr, 0);
    crowd.pids.pop_back();
  }
  CHECK(names(place.scratches()).size() == 6);
  const RunDirectory run = RunDirectory::create();
  CHECK(names(place.scratches()).size() == 4);
  CHECK(names(place.runs()).size() == 7);
  int running = 0;
  for (const std::string& id : names(place.runs())) running += plan::folder_is_claimed(place.runs() / id);
  CHECK(running == 4);
  CHECK(crowd.let_go() == std::set<int>{0});
}

TEST_CASE("the oldest ended runs are removed, a running one never") {
  const Place place;
  const RunDirectory running = RunDirectory::create();
  std::vector<std::string> ended;
  for (int i = 0; i < 203; ++i) ended.push_back(RunDirectory::create().id());
  const RunDirectory last = RunDirectory::create();
  std::set<std::string> wanted(ended.begin() + 3, ended.end());
  wanted.insert({running.id(), last.id()});
  CHECK(names(place.runs()) == wanted);
}

TEST_CASE("half made and half removed folders are cleared away in time") {
  const Place place;
  RunDirectory::create();
  fs::create_directory(place.runs() / ".young");
  fs::create_directory(place.runs() / ".old");
  const timespec past[2] = {{1, 0}, {1, 0}};
  utimensat(AT_FDCWD, (place.runs() / ".old").c_str(), past, 0);
  RunDirectory::create();
  CHECK(fs::exists(place.runs() / ".young"));
  CHECK_FALSE(fs::exists(place.runs() / ".old"));
}

TEST_CASE("folders that are not ours to use are refused") {
  const Place place;
  fs::create_directory(place.scratches());
  fs::permissions(place.scratches(), fs::perms(0755));
  CHECK(refusal([] { RunDirectory::create(); }) ==
        place.scratches().string() + " is open to other users; set TMPDIR to another folder");
  fs::remove(place.scratches());
  fs::create_directory_symlink("/", place.scratches());
  CHECK(refusal([] { RunDirectory::create(); }) ==
        place.scratches().string() + " is not a folder; set TMPDIR to another folder");
  fs::remove(place.scratches());
  if (geteuid() == 0) {
    fs::create_directory(place.scratches());
    REQUIRE(chown(place.scratches().c_str(), 65534, 65534) == 0);
    CHECK(refusal([] { RunDirectory::create(); }) ==
          place.scratches().string() + " belongs to another user; set TMPDIR to another folder");
  }
  setenv("XDG_STATE_HOME", "relative", 1);
  CHECK(refusal([] { RunDirectory::create(); }) == "XDG_STATE_HOME must be an absolute path, found 'relative'");
  setenv("XDG_STATE_HOME", "/dev/null/x", 1);
  CHECK(refusal([] { RunDirectory::create(); }).find("set XDG_STATE_HOME") != std::string::npos);
}

TEST_CASE("a long TMPDIR gives way to /tmp, where a socket's path fits") {
  const Place place;
  const fs::path deep = place.root / std::string(70, 'd');
  fs::create_directory(deep);
  setenv("TMPDIR", deep.c_str(), 1);
  const RunDirectory run = RunDirectory::create();
  CHECK(run.scratch() == fs::path("/tmp") / ("fiber-" + std::to_string(geteuid())) / run.id());
}

TEST_CASE("a record that has gone is told of by the return value") {
  const Place place;
  RunDirectory run = RunDirectory::create();
  fs::remove_all(run.path());
  CHECK_FALSE(run.append_event("{}"));
  CHECK_FALSE(run.append_log("m.0", "x"));
  CHECK(refusal([&] { run.write_job("x"); }).find("cannot write") == 0);
}
