#include "head/escape.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace fiber::head {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Character {
  std::size_t size = 0;  ///< bytes; 0: not valid UTF-8
  std::uint32_t number = 0;
};

Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, first};
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return {};
  std::uint32_t number = first & (0xFFu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    number = number << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (number < kLeast[size] || number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF)) return {};
  return {size, number};
}

/// C1 controls, line and paragraph separators, and marks that change the direction of what follows.
bool hides_text(std::uint32_t number) {
  return (number >= 0x80 && number < 0xA0) || (number >= 0x200E && number <= 0x200F) ||
         (number >= 0x2028 && number <= 0x202E) || (number >= 0x2066 && number <= 0x2069);
}

bool printable(char c) { return static_cast<unsigned char>(c) - 0x20u < 0x5Fu; }

/// Copies the longest part of plain ASCII that `plain` accepts; returns its length.
template <typename Plain>
std::size_t copy_plain(std::string_view text, std::string& out, Plain plain) {
  std::size_t n = 0;
  while (n < text.size() && plain(text[n])) ++n;
  out.append(text.substr(0, n));
  return n;
}

}  // namespace

std::string visible(std::string_view text, bool keep_newlines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    text.remove_prefix(copy_plain(text, out, printable));
    if (text.empty()) break;
    const char c = text.front();
    const Character found = decode(text);
    if (found.size == 0) {
      out += kReplacement;
    } else if (c == '\t' || (c == '\n' && keep_newlines)) {
      out += c;
    } else if (found.size == 1) {
      out += '^';
      out += static_cast<char>(c ^ 0x40);  // ^A … ^_ and ^?
    } else if (hides_text(found.number)) {
      out += fmt::format("<U+{:04X}>", found.number);
    } else {
      out += text.substr(0, found.size);
    }
    text.remove_prefix(found.size ? found.size : 1);
  }
  return out;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  while (!text.empty()) {
    text.remove_prefix(copy_plain(text, out, [](char c) { return printable(c) && c != '"' && c != '\\'; }));
    if (text.empty()) break;
    const char c = text.front();
    const Character found = decode(text);
    if (found.size == 0) {
      out += kReplacement;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (found.size == 1 || hides_text(found.number)) {
      out += fmt::format("\\u{:04x}", found.number);
    } else {
      out += text.substr(0, found.size);
    }
    text.remove_prefix(found.size ? found.size : 1);
  }
  out += '"';
  return out;
}

std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && most - end < 3 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace fiber::head
