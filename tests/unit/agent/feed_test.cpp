#include "agent/feed.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace fiber;
using channel::Framing;

namespace {

/// A pipe of some bytes and a reader that takes from it when told to.
struct Pipe : agent::Process {
  explicit Pipe(std::size_t capacity) : size(capacity) {}
  pid_t pid() const override { return 1; }
  std::size_t write(std::string_view bytes) override {
    REQUIRE_FALSE(closed);
    const std::size_t room = std::min(bytes.size(), size - held.size());
    held += bytes.substr(0, room);
    return room;
  }
  std::size_t unread() const override { return held.size(); }
  std::size_t drain() override { return std::exchange(held, {}).size(); }
  void close_input() override { closed = true; }
  void pause(bool) override {}
  void pause_result(bool) override {}
  void kill(int) override {}
  bool asking() const override { return held.empty(); }
  std::size_t write_console(std::string_view bytes) override { return bytes.size(); }
  void close_console() override {}
  void read(std::size_t bytes) {
    bytes = std::min(bytes, held.size());
    taken += held.substr(0, bytes);
    held.erase(0, bytes);
  }
  std::size_t size;
  std::string held, taken;
  bool closed = false;
};

/// How many records begin before an offset of the stream that they make.
std::uint64_t starts_before(const std::vector<std::string>& records, std::size_t offset) {
  std::uint64_t count = 0;
  std::size_t at = 0;
  for (const std::string& record : records) {
    if (at >= offset) break;
    ++count;
    at += record.size();
  }
  return count;
}

/// One to five records of random lines.
std::vector<std::string> some_records(std::mt19937& random) {
  std::vector<std::string> records;
  for (unsigned n = 1 + random() % 5; n > 0; --n) {
    records.push_back(std::string(random() % 12, static_cast<char>('a' + random() % 26)) + "\n");
  }
  return records;
}

std::string joined(const std::vector<std::string>& records) {
  std::string all;
  for (const std::string& record : records) all += record;
  return all;
}

channel::Batch lines(const std::string& text) {
  return {base::Bytes(text), static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'))};
}

}  // namespace

TEST_CASE("the pipe gets one record, the next follows the answer") {
  Pipe pipe(100);
  agent::Feed feed(Framing::lines, pipe);
  feed.push(lines("a\nb\nc\n"));
  CHECK(pipe.held == "a\n");
  pipe.read(2);
  feed.pump();
  CHECK(pipe.held.empty());
  CHECK(feed.taken() == 1);
  feed.answered(1);
  CHECK(pipe.held == "b\n");
  feed.set_eager(true);
  CHECK(pipe.held == "b\nc\n");
}

TEST_CASE("a record is taken when its first byte has left the pipe") {
  Pipe pipe(100);
  agent::Feed feed(Framing::lines, pipe);
  feed.set_eager(true);
  feed.push(lines("abc\ndef\n"));
  CHECK(feed.taken() == 0);
  pipe.read(1);
  CHECK(feed.taken() == 1);
  pipe.read(3);
  CHECK(feed.taken() == 1);
  pipe.read(1);
  CHECK(feed.taken() == 2);
}

TEST_CASE("what was not taken comes back, out of the pipe too; a begun record stays whole") {
  Pipe pipe(100);
  agent::Feed feed(Framing::lines, pipe);
  feed.set_eager(true);
  feed.push(lines("abc\ndef\nghi\n"));
  pipe.read(2);
  CHECK(feed.take_back(5) == 2);
  CHECK(pipe.held == "c\n");
  CHECK(feed.given() == 1);
  CHECK(feed.take_back(5) == 0);
  feed.end();
  CHECK(pipe.closed);
}

TEST_CASE("end of file comes behind all records, however slowly they go") {
  Pipe pipe(4);
  agent::Feed feed(Framing::lines, pipe);
  feed.set_eager(true);
  feed.push(lines("abcdefgh\nij\n"));
  feed.end();
  while (!pipe.closed) {
    pipe.read(3);
    feed.pump();
  }
  pipe.read(100);
  CHECK(pipe.taken == "abcdefgh\nij\n");
}

TEST_CASE("random feeding: the reader sees whole records in order, and the counts are exact") {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Pipe pipe(1 + random() % 40);
    agent::Feed feed(Framing::lines, pipe);
    std::vector<std::string> records;  // what the program is to see
    std::uint64_t answered = 0;
    for (int step = 0; step < 300; ++step) {
      const unsigned what = random() % 6;
      if (what == 0) {
        const std::vector<std::string> more = some_records(random);
        records.insert(records.end(), more.begin(), more.end());
        feed.push(lines(joined(more)));
      } else if (what == 1) {
        const auto most = static_cast<std::uint32_t>(1 + random() % 6);
        const std::uint64_t taken = feed.taken();
        const std::uint32_t back = feed.take_back(most);
        CHECK(back == std::min<std::uint64_t>(most, records.size() - taken));
        records.resize(records.size() - back);
      } else if (what == 2) {
        feed.set_eager(random() % 2 == 0);
      } else if (what == 3) {
        if (answered < feed.taken()) feed.answered(++answered);
      } else {
        pipe.read(random() % 20);
        feed.pump();
      }
      CHECK(feed.given() == records.size());
      CHECK(feed.taken() == starts_before(records, pipe.taken.size()));
    }
    feed.set_eager(true);
    feed.end();
    while (!pipe.closed) {
      pipe.read(10);
      feed.pump();
    }
    pipe.read(1000);
    CHECK(pipe.taken == joined(records));
  }
}
