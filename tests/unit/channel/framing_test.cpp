#include "channel/framing.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace fiber;
using channel::Framing;
using channel::Reply;

namespace {

struct Out {
  std::vector<std::string> units;      // each with its framing
  std::vector<std::uint64_t> too_big;  // sizes
};

Out run(Framing framing, Reply reply, const std::string& text, std::size_t step, std::uint64_t max = 1000) {
  channel::Scanner scanner(framing, reply);
  channel::Splitter splitter(scanner, max);
  Out out;
  auto take = [&](const std::vector<channel::Cut>& cuts) {
    for (const auto& cut : cuts) {
      if (cut.oversize > 0) out.too_big.push_back(cut.oversize);
      std::size_t at = 0;
      for (std::uint32_t i = 0; i < cut.batch.count; ++i) {
        std::size_t end = scanner.unit_end(cut.batch.bytes.view(), at);
        REQUIRE(end != std::string::npos);
        out.units.emplace_back(cut.batch.bytes.view().substr(at, end - at));
        at = end;
      }
      CHECK(at == cut.batch.bytes.size());
    }
  };
  for (std::size_t at = 0; at < text.size(); at += step) take(splitter.feed(base::Bytes(text.substr(at, step))));
  take(splitter.finish());
  return out;
}

}  // namespace

TEST_CASE("lines are cut wherever the stream is torn") {
  for (std::size_t step : {1, 2, 3, 7, 100}) {
    auto out = run(Framing::lines, Reply::one, "a\n\nbcd\nlast", step);
    CHECK(out.units == std::vector<std::string>{"a\n", "\n", "bcd\n", "last\n"});
  }
}

TEST_CASE("nul records may hold newlines") {
  auto out = run(Framing::nul, Reply::one, std::string("a\nb\0c\0", 6), 2);
  CHECK(out.units == std::vector<std::string>{std::string("a\nb\0", 4), std::string("c\0", 2)});
}

TEST_CASE("a torn len32 record at the end is dropped, an empty one counts") {
  channel::Scanner scanner(Framing::len32);
  std::string text = scanner.frame("") + scanner.frame("xyz") +
                     std::string(
                         "\0\0\0\x05"
                         "ab",
                         6);
  for (std::size_t step : {1, 3, 50}) {
    auto out = run(Framing::len32, Reply::one, text, step);
    CHECK(out.units == std::vector<std::string>{scanner.frame(""), scanner.frame("xyz")});
  }
}

TEST_CASE("reply many: a unit goes up to the empty record") {
  for (std::size_t step : {1, 2, 5, 100}) {
    auto out = run(Framing::lines, Reply::many, "a\nb\n\n\nc\n\n", step);
    CHECK(out.units == std::vector<std::string>{"a\nb\n\n", "\n", "c\n\n"});
    channel::Scanner scanner(Framing::len32, Reply::many);
    std::string text = scanner.frame("a") + scanner.frame("") + scanner.frame("");
    CHECK(run(Framing::len32, Reply::many, text, step).units ==
          std::vector<std::string>{scanner.frame("a") + scanner.frame(""), scanner.frame("")});
  }
}

TEST_CASE("units over the limit are skipped and told, the next ones are whole") {
  for (std::size_t step : {1, 4, 9, 1000}) {
    auto lines =
        run(Framing::lines, Reply::one, "ok\n" + std::string(50, 'x') + "\nfine\n12345678901\n1234567890\n", step, 10);
    CHECK(lines.units == std::vector<std::string>{"ok\n", "fine\n", "1234567890\n"});
    CHECK(lines.too_big == std::vector<std::uint64_t>{50, 11});

    channel::Scanner scanner(Framing::len32);
    auto counted =
        run(Framing::len32, Reply::one,
            scanner.frame("ok") + scanner.frame(std::string(50, 'x')) + scanner.frame("1234567890"), step, 10);
    CHECK(counted.units == std::vector<std::string>{scanner.frame("ok"), scanner.frame("1234567890")});
    CHECK(counted.too_big == std::vector<std::uint64_t>{50});

    auto many = run(Framing::lines, Reply::many, "aaaaaa\nbbbbbb\ncc\n\nok\n\n", step, 10);
    CHECK(many.units == std::vector<std::string>{"ok\n\n"});
    CHECK(many.too_big.size() == 1);

    channel::Scanner answers(Framing::len32, Reply::many);
    auto counted_many = run(
        Framing::len32, Reply::many,
        answers.frame("aaaaaa") + answers.frame("bbbbbb") + answers.frame("") + answers.frame("ok") + answers.frame(""),
        step, 12);
    CHECK(counted_many.units == std::vector<std::string>{answers.frame("ok") + answers.frame("")});
    CHECK(counted_many.too_big.size() == 1);
  }
}

TEST_CASE("a declared length of 2 GiB is refused before a byte of it is kept") {
  channel::Splitter splitter(channel::Scanner(Framing::len32), 1000);
  CHECK(splitter
            .feed(base::Bytes(std::string("\x7f\xff\xff\xff"
                                          "abc",
                                          7)))
            .empty());
  CHECK(splitter.pending() == 0);
}

TEST_CASE("error records are recognised") {
  channel::Scanner lines(Framing::lines), counted(Framing::len32);
  CHECK(lines.is_error(lines.frame_error("{}")));
  CHECK_FALSE(lines.is_error("x\x15\n"));
  CHECK(counted.is_error(counted.frame_error("{}")));
  CHECK_FALSE(counted.is_error(counted.frame("\x15")));
  CHECK(counted.payload(counted.frame_error("{}")) == "{}");
  CHECK(channel::Scanner(Framing::lines, Reply::many).frame_error("{}") == "\x15{}\n\n");
}

TEST_CASE("random streams, torn at random, come out as they went in") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const Framing framing = static_cast<Framing>(random() % 3);
    channel::Scanner scanner(framing);
    std::vector<std::string> want;
    std::string text;
    for (unsigned i = random() % 40; i > 0; --i) {
      std::string payload;
      for (unsigned n = random() % 30; n > 0; --n) payload += static_cast<char>('a' + random() % 26);
      want.push_back(scanner.frame(payload));
      text += want.back();
    }
    CHECK(run(framing, Reply::one, text, 1 + random() % 64, 30).units == want);
  }
}
