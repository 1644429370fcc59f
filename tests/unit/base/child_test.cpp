#include "base/child.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "base/fd.hpp"

using namespace std::chrono_literals;
using fiber::Error;
using fiber::base::descendants;
using fiber::base::ExitStatus;
using fiber::base::Fd;
using fiber::base::kill_descendants;
using fiber::base::Launch;
using fiber::base::launch;
using fiber::base::Loop;
using fiber::base::make_pipe;
using fiber::base::PipeEnds;
using fiber::base::Reaper;
using fiber::base::Timer;

namespace {

const char* const kPath = "PATH=/usr/bin:/bin";

/// A directory of its own, with files made for a test.
class Place {
 public:
  Place() {
    std::string name = (std::filesystem::temp_directory_path() / "fiber-child-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    directory_ = name;
  }
  ~Place() { std::filesystem::remove_all(directory_); }
  std::string path(const std::string& name = "") const { return name.empty() ? directory_ : directory_ + "/" + name; }
  std::string file(const std::string& name, const std::string& text, mode_t mode) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
    REQUIRE(::chmod(path(name).c_str(), mode) == 0);
    return path(name);
  }

 private:
  std::string directory_;
};

/// All that comes out of a pipe until its end, within ten seconds.
std::string read_to_end(const Fd& read) {
  Loop loop;
  std::string text;
  const Timer late = loop.after(10s, [&] {
    FAIL_CHECK("took too long");
    loop.stop();
  });
  const auto watch = loop.watch(read.get(), fiber::base::Readiness::readable, [&] {
    char part[4096];
    const auto got = fiber::base::read_some(read.get(), part, sizeof part);
    if (got == 0u) return loop.stop();
    text.append(part, got.value_or(0));
  });
  loop.run();
  return text;
}

/// Starts a program and returns what it prints, stdout and stderr together.
std::string output(Launch what) {
  PipeEnds pipe = make_pipe(true, false);
  what.out = what.err = pipe.write.get();
  const pid_t pid = launch(what);
  pipe.write.reset();
  const std::string text = read_to_end(pipe.read);
  ::waitpid(pid, nullptr, 0);
  return text;
}

Launch shell(const std::string& script) { return {.argv = {"sh", "-c", script}, .env = {kPath}, .dir = "/"}; }

struct Refusal {
  int code = 0;
  std::string text;
};

Refusal refusal(const Launch& what) {
  try {
    ::waitpid(launch(what), nullptr, 0);
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

/// Runs the loop until `done`, at most ten seconds.
template <typename Done>
bool run_until(Loop& loop, Done done) {
  bool late = false;
  const Timer limit = loop.after(10s, [&] { late = true; });
  Timer look;
  std::function<void()> again = [&] {
    if (late || done()) return loop.stop();
    look = loop.after(1ms, again);
  };
  again();
  loop.run();
  return !late;
}

}  // namespace

TEST_CASE("launch: argv, env, directory and descriptors are as asked") {
  const Place place;
  CHECK(output({.argv = {"pwd"}, .env = {kPath}, .dir = place.path()}) == place.path() + "\n");
  CHECK(output({.argv = {"env"}, .env = {kPath, "A=b c"}, .dir = "/"}) == std::string(kPath) + "\nA=b c\n");
  CHECK(output({.argv = {"printf", "%s|", "a b", "", "*"}, .env = {kPath}, .dir = "/"}) == "a b||*|");
  CHECK(output(shell("echo $0; cat; echo e >&2; readlink /proc/self/fd/0")) == "sh\ne\n/dev/null\n");
}

TEST_CASE("launch: descriptors may be given in any order, the standard ones too") {
  const PipeEnds pipe = make_pipe(true, false);
  const Fd kept_in(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  const Fd kept_out(::fcntl(1, F_DUPFD_CLOEXEC, 3));
  ::dup2(pipe.write.get(), 0);
  ::dup2(pipe.write.get(), 1);
  Launch what = shell("echo out; echo err >&2");
  what.out = 0;
  what.err = 1;
  pid_t pid = launch(what);
  ::waitpid(pid, nullptr, 0);
  what.out = 1;
  what.err = 0;
  pid = launch(what);
  ::waitpid(pid, nullptr, 0);
  ::dup2(kept_in.get(), 0);
  ::dup2(kept_out.get(), 1);
  char text[64];
  const auto got = fiber::base::read_some(pipe.read.get(), text, sizeof text);
  CHECK(std::string(text, got.value_or(0)) == "out\nerr\nout\nerr\n");
}

TEST_CASE("launch: no other descriptor, no blocked or ignored signal gets to the program") {
  const int leaked = ::open("/", O_RDONLY);  // not close-on-exec
  Loop loop;                                 // ignores SIGPIPE
  const auto caught = loop.on_signal({SIGTERM}, [](int) {});
  sigset_t some, before;
  ::sigemptyset(&some);
  ::sigaddset(&some, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &some, &before);
  CHECK(output(shell("ls /proc/$$/fd; :")) == "0\n1\n2\n");
  const std::string status = output({.argv = {"cat", "/proc/self/status"}, .env = {kPath}, .dir = "/"});
  CHECK(status.find("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nSigCgt:\t0000000000000000\n") !=
        std::string::npos);
  sigset_t now;
  ::sigprocmask(SIG_SETMASK, &before, &now);
  CHECK(::sigismember(&now, SIGUSR1) == 1);
  CHECK(::sigismember(&now, SIGTERM) == 0);
  ::close(leaked);
}

TEST_CASE("launch: an ignored SIGHUP stays ignored") {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  CHECK(output({.argv = {"grep", "SigIgn", "/proc/self/status"}, .env = {kPath}, .dir = "/"}) ==
        "SigIgn:\t0000000000000001\n");
  std::signal(SIGHUP, before);
}

TEST_CASE("launch: the process is its own group, if asked") {
  const std::string own = output({.argv = {"sh", "-c", "read p c s pp g r < /proc/self/stat; [ $p = $g ] && echo own"},
                                  .env = {kPath},
                                  .dir = "/"});
  CHECK(own == "own\n");
  const Launch what{.argv = {"sh", "-c", "read p c s pp g r < /proc/self/stat; echo $g"},
                    .env = {kPath},
                    .dir = "/",
                    .own_group = false};
  CHECK(output(what) == std::to_string(::getpgrp()) + "\n");
}

TEST_CASE("launch: the program has the file limit from before it was raised") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_cur, 321);
  if (low.rlim_cur == low.rlim_max) return;
  ::setrlimit(RLIMIT_NOFILE, &low);
  fiber::base::raise_file_limit();
  rlimit raised{};
  ::getrlimit(RLIMIT_NOFILE, &raised);
  CHECK(raised.rlim_cur == before.rlim_max);
  CHECK(output(shell("ulimit -Sn")) == std::to_string(low.rlim_cur) + "\n");
}

TEST_CASE("launch: what does not exist is not found") {
  CHECK(refusal({.argv = {"no-such"}, .env = {kPath}, .dir = "/"}).text == "no-such: not found");
  CHECK(refusal({.argv = {"no-such"}, .env = {kPath}, .dir = "/"}).code == 127);
  CHECK(refusal({.argv = {"/no/such"}, .env = {kPath}, .dir = "/"}).code == 127);
  CHECK(refusal({.argv = {"/etc/passwd/x"}, .env = {kPath}, .dir = "/"}).code == 127);
  CHECK(refusal({.argv = {""}, .env = {kPath}, .dir = "/"}).code == 127);
  CHECK(refusal({.argv = {"sh"}, .env = {"PATH=/no:"}, .dir = "/"}).code == 127);
  CHECK(refusal({.argv = {"a\nb\x1b"}, .env = {kPath}, .dir = "/"}).text == "a?b?: not found");
  CHECK(refusal({.argv = {"true"}, .env = {}, .dir = "/"}).code == 0);
  CHECK(refusal({}).code == 125);
}

TEST_CASE("launch: what cannot be executed says why") {
  const Place place;
  const auto code_and_text = [&](const std::string& program, const std::string& text) {
    const Refusal got = refusal({.argv = {program}, .env = {kPath}, .dir = place.path()});
    CHECK(got.code == 126);
    CHECK(got.text.starts_with(program + ": "));
    CHECK_MESSAGE(got.text.find(text) != std::string::npos, got.text);
    CHECK(got.text.find('\n') == std::string::npos);
  };
  code_and_text(place.file("plain", "#!/bin/sh\n", 0644), "not executable");
  code_and_text(place.file("bare", "echo hi\n", 0755), "has no #! line");
  code_and_text(place.file("astray", "#! /no/such/python -u\n", 0755), "/no/such/python");
  code_and_text(place.path(), "is a directory");
  code_and_text("./plain", "not executable");
  const Refusal far = refusal({.argv = {"true"}, .env = {kPath}, .dir = "/no/such\ndir"});
  CHECK(far.code == 126);
  CHECK(far.text == "true: cannot enter the directory /no/such?dir: No such file or directory");
  const Refusal big = refusal({.argv = {"true", std::string(1u << 20, 'x')}, .env = {kPath}, .dir = "/"});
  CHECK(big.code == 126);
  CHECK(big.text == "true: cannot be executed: its arguments and environment are too long");
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);  // nothing is left of the attempts
}

TEST_CASE("launch: the program is looked up like execvp does, from the working directory") {
  const Place place;
  place.file("tool", "#!/bin/sh\necho here\n", 0755);
  place.file("one/tool", "#!/bin/sh\necho one\n", 0644);
  place.file("two/tool", "#!/bin/sh\necho two\n", 0755);
  std::filesystem::create_directories(place.path("three/tool"));
  const auto run = [&](const std::string& path, const std::string& name = "tool") {
    return output({.argv = {name}, .env = {"PATH=" + path}, .dir = place.path()});
  };
  CHECK(run("/bin:") == "here\n");
  CHECK(run(":/bin") == "here\n");
  CHECK(run("/bin::one") == "here\n");
  CHECK(run("one:two") == "two\n");
  CHECK(run("three:" + place.path("two")) == "two\n");
  CHECK(run("/bin", "./tool") == "here\n");
  CHECK(run("/bin", "two/tool") == "two\n");
  CHECK(refusal({.argv = {"tool"}, .env = {"PATH=one:/bin"}, .dir = place.path()}).code == 126);
  CHECK(refusal({.argv = {"tool"}, .env = {"PATH=three:/bin"}, .dir = place.path()}).code == 127);
}

TEST_CASE("reaper: tells exit codes from signals, each child once") {
  Loop loop;
  Reaper reaper(loop);
  std::map<std::string, std::vector<ExitStatus>> ended;
  for (const std::string script : {"exit 0", "exit 9", "kill -9 $$", "kill -TERM $$", "exit 255"}) {
    reaper.expect(launch(shell(script)), [&, script](ExitStatus status) { ended[script].push_back(status); });
  }
  CHECK(run_until(loop, [&] { return ended.size() == 5; }));
  CHECK(ended["exit 0"] == std::vector<ExitStatus>{{0, 0}});
  CHECK(ended["exit 9"] == std::vector<ExitStatus>{{9, 0}});
  CHECK(ended["kill -9 $$"] == std::vector<ExitStatus>{{0, 9}});
  CHECK(ended["kill -TERM $$"] == std::vector<ExitStatus>{{0, 15}});
  CHECK(ended["exit 255"] == std::vector<ExitStatus>{{255, 0}});
}

TEST_CASE("reaper: a child that ended before anybody asked is told too, from the loop") {
  const pid_t before = launch(shell("exit 3"));
  siginfo_t dead{};
  ::waitid(P_PID, static_cast<id_t>(before), &dead, WEXITED | WNOWAIT);
  Loop loop;
  Reaper reaper(loop);
  const pid_t after = launch(shell("exit 4"));
  CHECK(run_until(loop, [&] { return ::kill(before, 0) != 0 && ::kill(after, 0) != 0; }));
  std::vector<int> codes;
  reaper.expect(before, [&](ExitStatus status) { codes.push_back(status.code); });
  reaper.expect(after, [&](ExitStatus status) { codes.push_back(status.code); });
  CHECK(codes.empty());
  CHECK(run_until(loop, [&] { return codes.size() == 2; }));
  CHECK(codes == std::vector<int>{3, 4});
}

TEST_CASE("reaper: may be destroyed inside a callback") {
  Loop loop;
  auto reaper = std::make_unique<Reaper>(loop);
  int calls = 0;
  std::vector<pid_t> pids;
  for (int i = 0; i < 3; ++i) {
    pids.push_back(launch(shell("exit 0")));
    siginfo_t dead{};
    ::waitid(P_PID, static_cast<id_t>(pids.back()), &dead, WEXITED | WNOWAIT);
    reaper->expect(pids.back(), [&](ExitStatus) {
      ++calls;
      reaper.reset();
    });
  }
  CHECK(run_until(loop, [&] { return calls > 0; }));
  CHECK(calls == 1);
  for (const pid_t pid : pids) ::waitpid(pid, nullptr, WNOHANG);
}

TEST_CASE("reaper: many children at a time") {
  Loop loop;
  Reaper reaper(loop);
  int ended = 0;
  for (int i = 0; i < 300; ++i) {
    reaper.expect(launch({.argv = {"true"}, .env = {kPath}, .dir = "/"}),
                  [&](ExitStatus status) { ended += status.ok(); });
  }
  CHECK(run_until(loop, [&] { return ended == 300; }));
}

TEST_CASE("launch: a program dies with the process that started it") {
  PipeEnds pipe = make_pipe(true, false);
  const pid_t middle = ::fork();
  if (middle == 0) {
    Launch what = shell("echo up; exec sleep 1000");
    what.out = pipe.write.get();
    launch(what);
    ::pause();
  }
  pipe.write.reset();
  Loop loop;
  std::string text;
  CHECK(run_until(loop, [&] {
    char part[64];
    const auto got = fiber::base::read_some(pipe.read.get(), part, sizeof part);
    text.append(part, got.value_or(0));
    return text == "up\n";
  }));
  ::kill(middle, SIGKILL);
  ::waitpid(middle, nullptr, 0);
  CHECK(read_to_end(pipe.read) == "");  // ends only when the program is gone
}

TEST_CASE("descendants: all of them are found and killed, the orphaned ones too, the spared ones not") {
  fiber::base::become_subreaper();
  const pid_t spared = launch(shell("sleep 1000 & wait"));
  PipeEnds pipe = make_pipe(true, false);
  Launch what = shell("sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000 & echo up; wait' &) ; wait");
  what.out = pipe.write.get();
  const pid_t pid = launch(what);
  pipe.write.reset();
  Loop loop;
  std::string text;
  CHECK(run_until(loop, [&] {
    char part[8];
    text.append(part, fiber::base::read_some(pipe.read.get(), part, sizeof part).value_or(0));
    return text == "up\n" && descendants(::getpid()).size() == 7 && descendants(spared).size() == 1;
  }));
  CHECK(descendants(pid).size() == 1);  // the rest is ours since its parent is gone
  kill_descendants(10s, {spared});
  CHECK(read_to_end(pipe.read) == "");
  std::vector<pid_t> left = descendants(::getpid());
  CHECK(left.size() == 2);
  CHECK(std::count(left.begin(), left.end(), spared) == 1);
  kill_descendants(10s);
  CHECK(descendants(::getpid()).empty());
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("descendants: killing ends against a program that starts others all the time") {
  fiber::base::become_subreaper();
  launch({.argv = {"sh", "-c", "while :; do sh -c 'sleep 0.01 & sleep 0.01 &' & sleep 0.001; done"},
          .env = {kPath},
          .dir = "/"});
  std::this_thread::sleep_for(50ms);
  kill_descendants(10s);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}
