#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.hpp"

namespace fiber::base {

/// The text of a YAML document, cleaned of its byte order mark and of carriage returns, with what must be known
/// about it beyond what the parser says.
class YamlSource {
 public:
  YamlSource(std::string_view text, unsigned source);

  const std::string& text() const { return text_; }
  /// What makes the text unfit for the parser: size, encoding, control characters, a line that begins with `%`.
  std::optional<YamlMistake> unfit() const;

  /// The place of a byte, or of a parser's line and column (from 0, in bytes).
  Position at(std::size_t byte) const;
  Position at(std::size_t line, std::size_t column) const;
  std::string_view line(std::size_t number) const;  ///< from 0

  /// The byte at which a node begins, behind its anchor and tag.
  std::size_t behind_properties(std::size_t byte) const;
  /// Whether the quoted scalar that begins at this byte ends in the text.
  bool quote_is_closed(std::size_t byte) const;
  /// The places of the first `count` occurrences of `${` and `%{` from a byte on.
  std::vector<Position> braces(std::size_t byte, std::size_t count) const;

 private:
  std::optional<YamlMistake> unfit_bytes() const;
  std::optional<YamlMistake> unfit_lines() const;

  unsigned source_;
  std::string text_;
  std::vector<std::size_t> starts_;  ///< of the lines
};

}  // namespace fiber::base
