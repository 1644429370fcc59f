#include "base/yaml_source.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fiber::base {
namespace {

/// The length of the UTF-8 sequence at `i`, or 0 where there is none.
std::size_t utf8_length(std::string_view s, std::size_t i) {
  auto byte = [&](std::size_t k) { return static_cast<unsigned char>(s[k]); };
  auto tail = [&](std::size_t k) { return k < s.size() && (byte(k) & 0xC0) == 0x80; };
  unsigned char c = byte(i);
  if (c < 0x80) return 1;
  if (c < 0xC2) return 0;
  if (c < 0xE0) return tail(i + 1) ? 2 : 0;
  if (c < 0xF0) {
    if (!tail(i + 1) || !tail(i + 2)) return 0;
    if (c == 0xE0 && byte(i + 1) < 0xA0) return 0;
    if (c == 0xED && byte(i + 1) > 0x9F) return 0;
    return 3;
  }
  if (c > 0xF4 || !tail(i + 1) || !tail(i + 2) || !tail(i + 3)) return 0;
  if (c == 0xF0 && byte(i + 1) < 0x90) return 0;
  if (c == 0xF4 && byte(i + 1) > 0x8F) return 0;
  return 4;
}

bool starts_with_brace(std::string_view s, std::size_t i) {
  return i + 1 < s.size() && s[i + 1] == '{' && (s[i] == '$' || s[i] == '%');
}

bool blank_or_end(std::string_view s, std::size_t i) {
  return i >= s.size() || s[i] == ' ' || s[i] == '\t' || s[i] == '\n';
}

}  // namespace

std::size_t count_braces(std::string_view text) {
  std::size_t n = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) n += starts_with_brace(text, i);
  return n;
}

YamlSource::YamlSource(std::string_view text, unsigned source) : source_(source) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  text_.reserve(text.size());
  starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\r') {
      if (i + 1 < text.size() && text[i + 1] == '\n') continue;
      c = '\n';
    }
    text_.push_back(c);
    if (c == '\n') starts_.push_back(text_.size());
  }
}

std::optional<YamlMistake> YamlSource::unfit() const {
  if (text_.size() > kYamlMaxBytes) {
    return YamlMistake{{source_, 1, 1}, fmt::format("the file is too big: over {} MiB", kYamlMaxBytes >> 20)};
  }
  if (auto mistake = unfit_bytes()) return mistake;
  return unfit_lines();
}

std::optional<YamlMistake> YamlSource::unfit_bytes() const {
  for (std::size_t i = 0; i < text_.size();) {
    auto c = static_cast<unsigned char>(text_[i]);
    std::size_t length = utf8_length(text_, i);
    if (length == 0) return YamlMistake{at(i), fmt::format("not UTF-8: byte 0x{:02x}", c)};
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) {
      return YamlMistake{
          at(i), c == 0 ? "a NUL byte: this is not a text file" : fmt::format("a control character (0x{:02x})", c)};
    }
    i += length;
  }
  return {};
}

std::optional<YamlMistake> YamlSource::unfit_lines() const {
  bool content = false;
  for (std::size_t n = 0; n < starts_.size(); ++n) {
    std::string_view l = line(n);
    if (l.empty() || l[0] == '#') continue;
    if (l[0] == '%') {
      bool directive = l.substr(0, 6) == "%YAML " || l.substr(0, 5) == "%TAG ";
      if (content || !directive) {
        return YamlMistake{at(n, 0), "a line may not begin with %: quote what begins with it"};
      }
    } else {
      content = content || l.find_first_not_of(" \t") != std::string_view::npos;
    }
  }
  return {};
}

Position YamlSource::at(std::size_t byte) const {
  auto next = std::upper_bound(starts_.begin(), starts_.end(), byte);
  auto number = static_cast<std::size_t>(next - starts_.begin()) - 1;
  return at(number, byte - starts_[number]);
}

Position YamlSource::at(std::size_t number, std::size_t column) const {
  std::string_view l = line(number);
  unsigned characters = 0;
  for (std::size_t i = 0; i < column && i < l.size(); ++i) {
    characters += (static_cast<unsigned char>(l[i]) & 0xC0) != 0x80;
  }
  return {source_, static_cast<unsigned>(number + 1), characters + 1};
}

std::string_view YamlSource::line(std::size_t number) const {
  if (number >= starts_.size()) return {};
  std::size_t begin = starts_[number];
  std::size_t end = number + 1 < starts_.size() ? starts_[number + 1] - 1 : text_.size();
  return std::string_view(text_).substr(begin, end - begin);
}

std::size_t YamlSource::behind_properties(std::size_t byte) const {
  while (byte < text_.size() && (text_[byte] == '&' || text_[byte] == '!')) {
    while (!blank_or_end(text_, byte)) ++byte;
    while (byte < text_.size() && blank_or_end(text_, byte)) ++byte;
  }
  return byte;
}

bool YamlSource::quote_is_closed(std::size_t byte) const {
  if (byte >= text_.size()) return true;
  char quote = text_[byte];
  if (quote != '"' && quote != '\'') return true;
  for (std::size_t i = byte + 1; i < text_.size(); ++i) {
    if (quote == '"' && text_[i] == '\\') {
      ++i;
    } else if (text_[i] == quote) {
      if (quote == '"' || i + 1 >= text_.size() || text_[i + 1] != '\'') return true;
      ++i;
    }
  }
  return false;
}

std::vector<Position> YamlSource::braces(std::size_t byte, std::size_t count) const {
  std::vector<Position> found;
  for (std::size_t i = byte; i + 1 < text_.size() && found.size() < count; ++i) {
    if (starts_with_brace(text_, i)) found.push_back(at(i));
  }
  return found;
}

}  // namespace fiber::base
