#include "wire/message.hpp"

#include "base/error.hpp"

namespace fiber::wire {

namespace {
constexpr int kWidth = 8;
}

Writer& Writer::number(std::uint64_t value) {
  for (int i = 0; i < kWidth; ++i) out_ += static_cast<char>(value >> (8 * i));
  return *this;
}

Writer& Writer::text(std::string_view value) {
  number(value.size());
  out_ += value;
  return *this;
}

Writer& Writer::texts(const std::vector<std::string>& values) {
  number(values.size());
  for (const std::string& value : values) text(value);
  return *this;
}

std::uint64_t Reader::number() {
  if (rest_.size() < kWidth) throw Error("a message from the other side is cut short");
  std::uint64_t value = 0;
  for (int i = kWidth - 1; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(rest_[static_cast<std::size_t>(i)]);
  rest_.remove_prefix(kWidth);
  return value;
}

std::string Reader::text() {
  const std::uint64_t size = number();
  if (size > rest_.size()) throw Error("a message from the other side is cut short");
  std::string value(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return value;
}

std::vector<std::string> Reader::texts() {
  std::vector<std::string> values;
  for (std::uint64_t left = number(); left > 0; --left) values.push_back(text());
  return values;
}

}  // namespace fiber::wire
