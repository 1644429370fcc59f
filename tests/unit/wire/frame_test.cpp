#include "wire/frame.hpp"

#include <doctest/doctest.h>

#include <random>

#include "base/error.hpp"

using namespace fiber;
using wire::Message;
using wire::Type;

namespace {

std::string next_frame(wire::Packer& packer) {
  std::string text;
  for (std::string_view part : packer.frame()) text += part;
  packer.sent();
  return text;
}

}  // namespace

TEST_CASE("messages of all sizes come out as they went in") {
  std::mt19937 random(3);
  wire::Packer packer;
  wire::Unpacker unpacker;
  std::vector<Message> sent, got;
  for (int i = 0; i < 300; ++i) {
    const std::size_t size = random() % 3 == 0 ? random() % 1000000 : random() % 50;
    Message message{static_cast<Type>(1 + random() % 20), static_cast<std::uint32_t>(random()),
                    static_cast<std::uint32_t>(random()),
                    base::Bytes(std::string(size, static_cast<char>('a' + i % 26)))};
    sent.push_back(message);
    packer.push(message);
    while (!packer.empty() && random() % 4 != 0) {
      std::string frame = next_frame(packer);
      CHECK(frame.size() <= wire::kFrameTarget + (64 << 10));
      for (Message& one : unpacker.feed(base::Bytes(frame))) got.push_back(std::move(one));
    }
  }
  while (!packer.empty()) {
    for (Message& one : unpacker.feed(base::Bytes(next_frame(packer)))) got.push_back(std::move(one));
  }
  CHECK(packer.bytes() == 0);
  REQUIRE(got.size() == sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    CHECK(got[i].type == sent[i].type);
    CHECK(got[i].member == sent[i].member);
    CHECK(got[i].count == sent[i].count);
    CHECK(got[i].payload.view() == sent[i].payload.view());
  }
}

TEST_CASE("small messages share a frame") {
  wire::Packer packer;
  for (int i = 0; i < 1000; ++i) packer.push({Type::replies, 0, 1, base::Bytes(std::string("x\n"))});
  next_frame(packer);
  CHECK(packer.empty());
}

TEST_CASE("frames that are no frames, cut, repeated, lost, or of another protocol are refused") {
  wire::Packer packer;
  packer.push({Type::hello, 0, 0, base::Bytes(std::string("hi"))});
  const std::string first = next_frame(packer);
  packer.push({Type::log, 0, 0, base::Bytes(std::string("ho"))});
  const std::string second = next_frame(packer);
  const auto refused = [](const std::vector<std::string>& frames) {
    wire::Unpacker unpacker;
    try {
      for (const std::string& frame : frames) unpacker.feed(base::Bytes(frame));
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  CHECK_FALSE(refused({first, second}));
  CHECK(refused({first, first}));
  CHECK(refused({second}));
  CHECK(refused({"GET / HTTP/1.1\r\n\r\n"}));
  CHECK(refused({""}));
  for (std::size_t size = 1; size < first.size(); ++size) {
    if (size != 16) CHECK(refused({first.substr(0, size)}));  // 16: a frame without messages
  }
  std::string other = first;
  other[4] = 9;
  CHECK_THROWS_WITH_AS(wire::Unpacker().feed(base::Bytes(other)), "the other side speaks protocol 9, this fiber 1",
                       Error);
  std::string huge = first;
  huge[16 + 12] = huge[16 + 13] = huge[16 + 14] = huge[16 + 15] = '\xff';
  CHECK(refused({huge}));
}

TEST_CASE("payload fields are read back; a short payload is refused") {
  wire::Writer writer;
  writer.number(7).text("seven").texts({"a", "", "c"});
  const base::Bytes bytes = writer.done();
  wire::Reader reader(bytes.view());
  CHECK(reader.number() == 7);
  CHECK(reader.text() == "seven");
  CHECK(reader.texts() == std::vector<std::string>{"a", "", "c"});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_THROWS_AS(
        [&] {
          wire::Reader cut(bytes.view().substr(0, size));
          cut.number();
          cut.text();
          cut.texts();
        }(),
        Error);
  }
}
