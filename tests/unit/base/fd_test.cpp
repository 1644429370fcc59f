#include "base/fd.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <thread>

using fiber::Error;
using fiber::base::BrokenPipe;
using fiber::base::drain_pipe;
using fiber::base::Fd;
using fiber::base::make_pipe;
using fiber::base::PipeEnds;
using fiber::base::read_some;
using fiber::base::unread_bytes;
using fiber::base::write_some;

namespace {
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }
bool nonblocking(int fd) { return (::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0; }
}  // namespace

TEST_CASE("fd: has one owner, who closes it") {
  PipeEnds pipe = make_pipe(false, false);
  const int number = pipe.read.get();
  Fd moved = std::move(pipe.read);
  CHECK_FALSE(pipe.read);
  CHECK(moved.get() == number);
  const int other = pipe.write.get();
  moved = std::move(pipe.write);
  CHECK_FALSE(is_open(number));
  CHECK(moved.release() == other);
  CHECK(is_open(other));
  { const Fd again(other); }
  CHECK_FALSE(is_open(other));
}

TEST_CASE("fd: each end of a pipe is as asked, and closed on exec") {
  for (const bool read : {false, true}) {
    for (const bool write : {false, true}) {
      const PipeEnds pipe = make_pipe(read, write);
      CHECK(nonblocking(pipe.read.get()) == read);
      CHECK(nonblocking(pipe.write.get()) == write);
      CHECK((::fcntl(pipe.read.get(), F_GETFD) & FD_CLOEXEC) != 0);
      CHECK((::fcntl(pipe.write.get(), F_GETFD) & FD_CLOEXEC) != 0);
    }
  }
}

TEST_CASE("fd: reads and writes tell blocking from the end") {
  PipeEnds pipe = make_pipe(true, true);
  char bytes[8];
  CHECK(read_some(pipe.read.get(), bytes, sizeof bytes) == std::nullopt);
  CHECK(write_some(pipe.write.get(), "abc") == 3u);
  CHECK(read_some(pipe.read.get(), bytes, 2) == 2u);
  CHECK(unread_bytes(pipe.write.get()) == 1);
  const std::string much(1u << 20, 'x');
  CHECK(write_some(pipe.write.get(), much).value() < much.size());
  CHECK(write_some(pipe.write.get(), much) == std::nullopt);
  PipeEnds ended = make_pipe(true, true);
  ended.write.reset();
  CHECK(read_some(ended.read.get(), bytes, sizeof bytes) == 0u);
  CHECK_THROWS_AS(read_some(-1, bytes, 1), Error);
  CHECK_THROWS_AS(write_some(-1, "x"), Error);
  CHECK_THROWS_AS(unread_bytes(-1), Error);
}

TEST_CASE("fd: a write to a pipe without a reader is a broken pipe") {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  PipeEnds pipe = make_pipe(true, true);
  CHECK(write_some(pipe.write.get(), "unread") == 6u);
  pipe.read.reset();
  CHECK_THROWS_AS(write_some(pipe.write.get(), "x"), BrokenPipe);
  CHECK(unread_bytes(pipe.write.get()) == 6);
  std::signal(SIGPIPE, before);
}

TEST_CASE("fd: what nobody has read can be taken back through the write end") {
  for (const bool reader_is_there : {true, false}) {
    PipeEnds pipe = make_pipe(true, true);
    CHECK(drain_pipe(pipe.write.get()) == "");
    const std::string much(100000, 'x');
    const std::size_t written = write_some(pipe.write.get(), much).value();
    if (!reader_is_there) pipe.read.reset();
    CHECK(drain_pipe(pipe.write.get()) == much.substr(0, written));
    CHECK(unread_bytes(pipe.write.get()) == 0);
    CHECK(drain_pipe(pipe.write.get()) == "");
    CHECK(is_open(pipe.write.get()));
  }
  CHECK_THROWS_AS(drain_pipe(-1), Error);
}

TEST_CASE("fd: draining beside a reader loses and doubles nothing") {
  for (int i = 0; i < 200; ++i) {
    PipeEnds pipe = make_pipe(false, true);
    std::string text;
    for (int n = 0; text.size() < 30000; ++n) text += std::to_string(n) + "\n";
    CHECK(write_some(pipe.write.get(), text) == text.size());
    std::string read;
    std::thread reader([&] {
      char part[1000];
      while (const std::size_t got = read_some(pipe.read.get(), part, sizeof part).value_or(0)) read.append(part, got);
    });
    if (i % 2 == 0) std::this_thread::yield();
    const std::string drained = drain_pipe(pipe.write.get());
    pipe.write.reset();
    reader.join();
    CHECK(read + drained == text);
  }
}
