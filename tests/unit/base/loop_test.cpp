#include "base/loop.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/fd.hpp"

using namespace std::chrono_literals;
using fiber::Error;
using fiber::base::Duration;
using fiber::base::Fd;
using fiber::base::Loop;
using fiber::base::make_pipe;
using fiber::base::PipeEnds;
using fiber::base::pollable;
using fiber::base::Readiness;
using fiber::base::Registration;
using fiber::base::Timer;
using fiber::base::Watch;

namespace {

/// Runs until `stop` or until `limit` has passed; true if it was stopped in time.
bool run(Loop& loop, Duration limit = 10s) {
  bool late = false;
  const Timer timer = loop.after(limit, [&] {
    late = true;
    loop.stop();
  });
  loop.run();
  return !late;
}

std::string take(int fd) {
  char bytes[64];
  const auto got = fiber::base::read_some(fd, bytes, sizeof bytes);
  return got ? std::string(bytes, *got) : "nothing";
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

}  // namespace

TEST_CASE("loop: timers fire once, in order of time") {
  Loop loop;
  std::string order;
  const Timer later = loop.after(30ms, [&] {
    order += 'c';
    loop.stop();
  });
  const Timer first = loop.after(-5s, [&] { order += 'a'; });
  const Timer second = loop.after(10ms, [&] { order += 'b'; });
  const Timer never = loop.after(Duration::max(), [&] { order += 'x'; });
  CHECK(run(loop));
  CHECK(order == "abc");
}

TEST_CASE("loop: a destroyed timer does not fire, and lets go of what it held") {
  Loop loop;
  auto held = std::make_shared<int>(0);
  Timer timer = loop.after(0s, [held] { ++*held; });
  Timer other = loop.after(0s, [held] { ++*held; });
  timer.reset();
  CHECK(held.use_count() == 2);
  const Timer end = loop.after(20ms, [&] { loop.stop(); });
  CHECK(run(loop));
  CHECK(*held == 1);
}

TEST_CASE("loop: a timer may be destroyed and replaced inside its own callback") {
  Loop loop;
  int count = 0;
  Timer timer;
  std::function<void()> again = [&] {
    timer.reset();
    if (++count == 3) {
      loop.stop();
    } else {
      timer = loop.after(0s, again);
    }
  };
  timer = loop.after(0s, again);
  CHECK(run(loop));
  CHECK(count == 3);
}

TEST_CASE("loop: what is posted runs after all that was ready, in order, once") {
  Loop loop;
  std::vector<PipeEnds> pipes;
  std::vector<std::unique_ptr<Watch>> watches;
  std::string order;
  for (int i = 0; i < 300; ++i) {
    pipes.push_back(make_pipe(true, true));
    fiber::base::write_some(pipes.back().write.get(), "x");
    watches.push_back(loop.watch(pipes.back().read.get(), Readiness::readable, [&, i] {
      take(pipes[static_cast<std::size_t>(i)].read.get());
      order += 'r';
      if (i % 100 == 0) loop.post([&] { order += 'p'; });
    }));
  }
  loop.post([&] {
    loop.post([&] {
      order += 'n';
      loop.stop();
    });
  });
  CHECK(run(loop));
  // What was posted from the posted comes a round later, when nothing is ready.
  CHECK(order == std::string(300, 'r') + "pppn");
}

TEST_CASE("loop: a descriptor that stays ready does not keep posts and timers from running") {
  Loop loop;
  const PipeEnds pipe = make_pipe(true, true);
  fiber::base::write_some(pipe.write.get(), "x");
  std::string order;
  const auto watch = loop.watch(pipe.read.get(), Readiness::readable, [&] {
    order += 'r';
    loop.post([&] {
      order += 'p';
      if (order.size() == 10) loop.stop();
    });
  });
  CHECK(run(loop));
  CHECK(order == "rprprprprp");
}

TEST_CASE("loop: an exception from a callback leaves run, and the loop still works") {
  Loop loop;
  const PipeEnds pipe = make_pipe(true, true);
  fiber::base::write_some(pipe.write.get(), "x");
  int calls = 0;
  const auto watch = loop.watch(pipe.read.get(), Readiness::readable, [&] {
    if (++calls == 1) throw std::runtime_error("watch");
    loop.stop();
  });
  CHECK_THROWS_WITH(loop.run(), "watch");
  CHECK(run(loop));
  bool second = false;
  loop.post([] { throw std::runtime_error("post"); });
  loop.post([&] { second = true; });
  CHECK_THROWS_WITH(loop.run(), "post");
  CHECK(run(loop));
  CHECK(second);
}

TEST_CASE("loop: readable fires for bytes and at end of file, until paused") {
  Loop loop;
  PipeEnds pipe = make_pipe(true, true);
  std::vector<std::string> got;
  std::unique_ptr<Watch> watch;
  watch = loop.watch(pipe.read.get(), Readiness::readable, [&] {
    got.push_back(take(pipe.read.get()));
    if (got.size() == 1) pipe.write.reset();
    if (got.size() == 3) loop.stop();
  });
  const Timer write = loop.after(1ms, [&] { fiber::base::write_some(pipe.write.get(), "hello"); });
  CHECK(run(loop));
  CHECK(got == std::vector<std::string>{"hello", "", ""});
}

TEST_CASE("loop: a paused watch costs nothing, and set(true) takes it up again") {
  Loop loop;
  PipeEnds pipe = make_pipe(true, true);
  fiber::base::write_some(pipe.write.get(), "x");
  int calls = 0;
  const auto watch = loop.watch(pipe.read.get(), Readiness::readable, [&] {
    ++calls;
    loop.stop();
  });
  watch->set(false);
  pipe.write.reset();  // a hang-up that nobody takes notice of
  const double before = cpu_seconds();
  Timer resume = loop.after(300ms, [&] {
    CHECK(calls == 0);
    watch->set(true);
    watch->set(false);
    watch->set(true);
  });
  CHECK(run(loop));
  CHECK(calls == 1);
  CHECK(cpu_seconds() - before < 0.2);
}

TEST_CASE("loop: a watch may be destroyed inside its own callback, and its descriptor stays open") {
  Loop loop;
  const PipeEnds pipe = make_pipe(true, true);
  fiber::base::write_some(pipe.write.get(), "x");
  std::unique_ptr<Watch> watch;
  watch = loop.watch(pipe.read.get(), Readiness::readable, [&, text = std::string(100, 'c')] {
    watch.reset();
    CHECK(text.size() == 100);
    loop.post([&] { loop.stop(); });
  });
  CHECK(run(loop));
  CHECK(take(pipe.read.get()) == "x");
}

TEST_CASE("loop: one callback may end the watch whose callback is due next") {
  Loop loop;
  const PipeEnds one = make_pipe(true, true);
  const PipeEnds two = make_pipe(true, true);
  fiber::base::write_some(one.write.get(), "x");
  fiber::base::write_some(two.write.get(), "x");
  int calls = 0;
  std::unique_ptr<Watch> first, second;
  first = loop.watch(one.read.get(), Readiness::readable, [&] {
    ++calls;
    first.reset();
    second.reset();
  });
  second = loop.watch(two.read.get(), Readiness::readable, [&] {
    ++calls;
    first.reset();
    second.reset();
  });
  const Timer end = loop.after(20ms, [&] { loop.stop(); });
  CHECK(run(loop));
  CHECK(calls == 1);
}

TEST_CASE("loop: a descriptor number may be used again for something else") {
  Loop loop;
  for (int i = 0; i < 50; ++i) {
    PipeEnds pipe = make_pipe(true, true);
    std::optional<std::string> got;
    std::unique_ptr<Watch> watch = loop.watch(pipe.read.get(), Readiness::readable, [&] {
      got = take(pipe.read.get());
      loop.stop();
    });
    fiber::base::write_some(pipe.write.get(), std::to_string(i));
    REQUIRE(run(loop));
    CHECK(got == std::to_string(i));
  }
}

TEST_CASE("loop: hangup fires at the write end once the reader is gone, and not before") {
  Loop loop;
  PipeEnds pipe = make_pipe(true, true);
  int hangups = 0;
  std::unique_ptr<Watch> watch = loop.watch(pipe.write.get(), Readiness::hangup, [&] {
    ++hangups;
    watch.reset();
    loop.stop();
  });
  const double before = cpu_seconds();
  const Timer close = loop.after(300ms, [&] {
    CHECK(hangups == 0);
    pipe.read.reset();
  });
  CHECK(run(loop));
  CHECK(hangups == 1);
  CHECK(cpu_seconds() - before < 0.2);
}

TEST_CASE("loop: readable, writable and hangup of one descriptor") {
  Loop loop;
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  const Fd mine(ends[0]);
  Fd other(ends[1]);
  std::string order;
  const std::unique_ptr<Watch> hangup = loop.watch(mine.get(), Readiness::hangup, [&] {
    order += 'h';
    loop.stop();
  });
  const std::unique_ptr<Watch> readable = loop.watch(mine.get(), Readiness::readable, [&] {
    order += 'r';
    if (take(mine.get()) == "x") other.reset();
    readable->set(false);
  });
  const std::unique_ptr<Watch> twice = loop.watch(mine.get(), Readiness::readable, [&] {
    order += 't';
    twice->set(false);
  });
  const std::unique_ptr<Watch> writable = loop.watch(mine.get(), Readiness::writable, [&] {
    order += 'w';
    writable->set(false);
    fiber::base::write_some(other.get(), "x");
  });
  CHECK(run(loop));
  CHECK(order == "wrth");
}

TEST_CASE("loop: the blocking mode of a watched descriptor stays as it was") {
  Loop loop;
  const PipeEnds pipe = make_pipe(false, false);
  fiber::base::write_some(pipe.write.get(), "x");
  const auto watch = loop.watch(pipe.read.get(), Readiness::readable, [&] { loop.stop(); });
  CHECK(run(loop));
  CHECK((::fcntl(pipe.read.get(), F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("loop: what epoll refuses is refused with an error") {
  Loop loop;
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Fd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const PipeEnds pipe = make_pipe(true, true);
  CHECK_FALSE(pollable(null.get()));
  CHECK_FALSE(pollable(file.get()));
  CHECK_FALSE(pollable(-1));
  CHECK(pollable(pipe.read.get()));
  CHECK_THROWS_AS(loop.watch(null.get(), Readiness::readable, [] {}), Error);
  CHECK_THROWS_AS(loop.watch(file.get(), Readiness::readable, [] {}), Error);
}

TEST_CASE("loop: a terminal can be watched") {
  const Fd terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(terminal);
  REQUIRE(::grantpt(terminal.get()) == 0);
  REQUIRE(::unlockpt(terminal.get()) == 0);
  const Fd user(::open(::ptsname(terminal.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(user);
  Loop loop;
  std::string got;
  const auto watch = loop.watch(user.get(), Readiness::readable, [&] {
    got = take(user.get());
    loop.stop();
  });
  fiber::base::write_some(terminal.get(), "line\n");
  CHECK(run(loop));
  CHECK(got == "line\n");
}

TEST_CASE("loop: signals arrive in the loop, several times, until the registration ends") {
  Loop loop;
  std::vector<int> caught;
  std::unique_ptr<Registration> registration = loop.on_signal({SIGUSR1, SIGUSR2}, [&](int signal) {
    caught.push_back(signal);
    if (caught.size() == 1) ::raise(SIGUSR2);
    if (caught.size() == 2) {
      registration.reset();
      loop.stop();
    }
  });
  ::raise(SIGUSR1);
  CHECK(caught.empty());
  CHECK(run(loop));
  CHECK(caught == std::vector<int>{SIGUSR1, SIGUSR2});
}

TEST_CASE("loop: an ignored SIGHUP stays ignored") {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  Loop loop;
  {
    const auto registration = loop.on_signal({SIGHUP}, [](int) { FAIL("not ignored"); });
    ::raise(SIGHUP);
    const Timer end = loop.after(5ms, [&] { loop.stop(); });
    CHECK(run(loop));
  }
  const bool still_ignored = std::signal(SIGHUP, before) == SIG_IGN;
  CHECK(still_ignored);
}
