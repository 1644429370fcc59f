#include "base/socket.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "base/child.hpp"
#include "base/error.hpp"

using namespace std::chrono_literals;
using fiber::Error;
using fiber::base::Bytes;
using fiber::base::Duration;
using fiber::base::ExitStatus;
using fiber::base::kMaxMessage;
using fiber::base::launch;
using fiber::base::Loop;
using fiber::base::Reaper;
using fiber::base::Socket;
using fiber::base::Timer;

namespace {

/// A directory of its own, and the url of a socket in it.
class Place {
 public:
  Place() {
    std::string name = (std::filesystem::temp_directory_path() / "fiber-socket-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    directory_ = name;
  }
  ~Place() { std::filesystem::remove_all(directory_); }
  std::string url() const { return "ipc://" + directory_ + "/s"; }

 private:
  std::string directory_;
};

/// Stops the loop and says so if the test takes too long.
Timer limit(Loop& loop, Duration most = 60s) {
  return loop.after(most, [&loop] {
    FAIL_CHECK("took too long");
    loop.stop();
  });
}

/// Starts this program again for one test case that is skipped else: the other process of a test.
pid_t start_peer(const std::string& test_case, const std::string& url) {
  return launch({.argv = {"/proc/self/exe", "--no-skip", "--test-case=" + test_case},
                 .env = {"FIBER_TEST_URL=" + url, "FIBER_TEST_COUNT=" + std::to_string([] {
                                                    const char* count = std::getenv("FIBER_TEST_COUNT");
                                                    return count ? std::atol(count) : 50000;
                                                  }())},
                 .dir = "/",
                 .in = -1,
                 .out = -1,
                 .err = 2});
}

std::uint64_t message_count() {
  const char* count = std::getenv("FIBER_TEST_COUNT");
  return count ? std::strtoull(count, nullptr, 10) : 50000;
}

/// Sends `count` numbers and expects as many, with pauses and half-read batches at random; then agrees on the end.
class Exchange {
 public:
  Exchange(Loop& loop, Socket socket, std::uint64_t count, unsigned seed)
      : loop_(loop), socket_(std::move(socket)), count_(count), random_(seed) {
    socket_.on_writable([this] { send(); });
    socket_.on_readable([this] { receive(); });
    loop_.post([this] { send(); });
  }
  bool right() const { return right_; }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }

 private:
  bool chance(unsigned one_in) { return random_() % one_in == 0; }

  void send() {
    while (sent_ < count_) {
      if (chance(5000)) {
        sending_ = loop_.after(std::chrono::microseconds(random_() % 3000), [this] { send(); });
        return;
      }
      std::string_view number(reinterpret_cast<const char*>(&sent_), sizeof sent_);
      if (!socket_.send({number.substr(0, 3), number.substr(3), padding(sent_)})) return;
      ++sent_;
    }
    finish();
  }

  void receive() {
    if (chance(2000)) {
      socket_.on_readable(nullptr);
      receiving_ = loop_.after(std::chrono::microseconds(random_() % 5000),
                               [this] { socket_.on_readable([this] { receive(); }); });
      return;
    }
    const std::size_t most = chance(2) ? 1 + random_() % 4 : 1u << 20;
    for (std::size_t i = 0; i < most; ++i) {
      const auto message = socket_.receive();
      if (!message) return;
      if (message->view() == "end") {
        loop_.stop();
        return;
      }
      std::uint64_t number = 0;
      if (message->size() >= sizeof number) std::memcpy(&number, message->data(), sizeof number);
      const auto rest = message->slice(std::min(sizeof number, message->size()));
      right_ = right_ && number == received_ && rest.view() == padding(number);
      ++received_;
      if (received_ == count_) finish();
    }
  }

  static std::string_view padding(std::uint64_t number) {
    static const std::string text(5000, 'p');
    return std::string_view(text).substr(0, number % 97 == 0 ? 5000 : number % 50);
  }

  /// Each side says "end" when it has all; who hears it stops. The parent keeps its socket until the peer is gone.
  void finish() {
    if (sent_ == count_ && received_ == count_ && !ended_) ended_ = socket_.send({"end"});
    if (sent_ == count_ && received_ == count_ && !ended_) sending_ = loop_.after(1ms, [this] { finish(); });
  }

  Loop& loop_;
  Socket socket_;
  std::uint64_t count_;
  std::mt19937 random_;
  std::uint64_t sent_ = 0, received_ = 0;
  bool right_ = true, ended_ = false;
  Timer sending_, receiving_;
};

}  // namespace

TEST_CASE("socket peer: exchange" * doctest::skip()) {
  const char* url = std::getenv("FIBER_TEST_URL");
  if (url == nullptr) return;
  Loop loop;
  const Timer late = limit(loop);
  Exchange exchange(loop, Socket::connect(loop, url), message_count(), 2);
  loop.run();
  CHECK(exchange.right());
  // Time for the last message to leave: the other side has all else.
  const Timer end = loop.after(200ms, [&] { loop.stop(); });
  loop.run();
}

TEST_CASE("socket peer: echo" * doctest::skip()) {
  const char* url = std::getenv("FIBER_TEST_URL");
  if (url == nullptr) return;
  Loop loop;
  const Timer late = limit(loop);
  Socket socket = Socket::connect(loop, url);
  socket.on_readable([&] {
    while (const auto message = socket.receive()) {
      if (message->empty()) return loop.stop();
      CHECK(socket.send({message->view()}));
    }
  });
  loop.run();
}

TEST_CASE("socket: two processes lose nothing, whatever the back-pressure") {
  const Place place;
  Loop loop;
  Reaper reaper(loop);
  const Timer late = limit(loop);
  Exchange exchange(loop, Socket::bind(loop, place.url()), message_count(), 1);
  const pid_t pid = start_peer("socket peer: exchange", place.url());
  std::optional<ExitStatus> ended;
  reaper.expect(pid, [&](ExitStatus status) {
    ended = status;
    loop.stop();
  });
  loop.run();
  if (!ended) loop.run();  // the first stop was the peer's "end", unless that was late
  CHECK(ended == ExitStatus{0, 0});
  CHECK(exchange.right());
  CHECK(exchange.sent() == message_count());
  CHECK(exchange.received() == message_count());
}

TEST_CASE("socket: messages of all sizes come back whole, from a peer that is there later") {
  const Place place;
  Loop loop;
  Reaper reaper(loop);
  const Timer late = limit(loop);
  Socket socket = Socket::bind(loop, place.url());
  const std::vector<std::size_t> sizes{1, 2, 100, 65536, kMaxMessage - 1, kMaxMessage};
  std::size_t next = 0;
  const auto send = [&] {
    return socket.send({next < sizes.size() ? std::string(sizes[next], static_cast<char>('a' + next)) : ""});
  };
  CHECK_FALSE(send());
  socket.on_writable([&] { CHECK(send()); });
  std::vector<Bytes> got;
  socket.on_readable([&] {
    while (auto message = socket.receive()) {
      got.push_back(std::move(*message));
      ++next;
      CHECK(send());
    }
  });
  bool ended = false;
  reaper.expect(start_peer("socket peer: echo", place.url()), [&](ExitStatus status) {
    CHECK(status.ok());
    ended = true;
    loop.stop();
  });
  loop.run();
  CHECK(ended);
  REQUIRE(got.size() == sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CHECK(got[i].view() == std::string(sizes[i], static_cast<char>('a' + i)));
  }
}

TEST_CASE("socket: refuses with an error that names the url or the size") {
  const Place place;
  Loop loop;
  const std::string url = "ipc:///" + std::string(107, 'x');
  CHECK_THROWS_WITH_AS(Socket::bind(loop, url), doctest::Contains("at most 107 bytes"), Error);
  CHECK_THROWS_WITH_AS(Socket::connect(loop, url), doctest::Contains("this one has 108"), Error);
  CHECK_THROWS_WITH_AS(Socket::bind(loop, "ipc:///no/such/directory/s"), doctest::Contains("/no/such/directory"),
                       Error);
  CHECK_THROWS_WITH_AS(Socket::bind(loop, "nonsense"), doctest::Contains("nonsense"), Error);
  Socket socket = Socket::bind(loop, place.url());
  CHECK_THROWS_WITH_AS(Socket::bind(loop, place.url()), doctest::Contains(place.url().c_str()), Error);
  CHECK_THROWS_AS(socket.send({std::string(kMaxMessage, 'x'), "x"}), Error);
}

TEST_CASE("socket: readable stays so until it is drained, and on_writable is called after a refusal only") {
  const Place place;
  Loop loop;
  const Timer late = limit(loop);
  Socket one = Socket::bind(loop, place.url());
  Socket two = Socket::connect(loop, place.url());
  int writable = 0, readable = 0, sent = 0, received = 0;
  one.on_writable([&] { ++writable; });
  const std::string big(kMaxMessage, 'b');
  const Timer fill = loop.after(50ms, [&] {
    while (one.send({big})) ++sent;
    CHECK(sent > 0);
    two.on_readable([&] {
      ++readable;
      if (readable % 2 == 0 && two.receive()) ++received;
      if (received == sent) loop.stop();
    });
  });
  const Timer check = loop.after(30ms, [&] { CHECK(writable == 0); });
  loop.run();
  CHECK(readable >= 2 * sent);
  const Timer end = loop.after(20ms, [&] { loop.stop(); });
  loop.run();
  CHECK(writable == 1);
}

TEST_CASE("socket: may be destroyed inside its own callback, and moved") {
  const Place place;
  Loop loop;
  const Timer late = limit(loop);
  auto one = std::make_unique<Socket>(Socket::bind(loop, place.url()));
  CHECK_FALSE(one->send({"early"}));
  Socket two = Socket::connect(loop, place.url());
  one->on_writable([&] {
    CHECK(one->send({"hello"}));
    two.on_readable([&, text = std::string("captured text of some length")] {
      const auto message = two.receive();
      CHECK(message);
      Socket moved = std::move(two);
      two = Socket::connect(loop, "ipc:///nowhere");
      CHECK(text.size() == 28);
      one.reset();
      loop.stop();
    });
  });
  loop.run();
  CHECK_FALSE(one);
}

TEST_CASE("socket: a peer that comes back is talked to again") {
  const Place place;
  Loop loop;
  Socket two = Socket::connect(loop, place.url());
  for (int i = 0; i < 3; ++i) {
    const Timer late = limit(loop);
    Socket one = Socket::bind(loop, place.url());
    bool got = false;
    one.on_readable([&] {
      got = one.receive().has_value();
      loop.stop();
    });
    // What is sent before the loss is noticed goes with the old connection.
    Timer again;
    std::function<void()> send = [&] {
      two.send({"again"});
      again = loop.after(5ms, send);
    };
    send();
    loop.run();
    CHECK(got);
  }
}
