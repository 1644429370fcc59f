#pragma once
#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fiber::base {

/// A place in a text, counted from 1 in lines and characters. `source` tells texts apart and is the caller's.
struct Position {
  unsigned source = 0, line = 0, column = 0;
  auto operator<=>(const Position&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct YamlEntry;

/// A YAML value with the place it was read from. Aliases and merge keys are resolved: it is a plain tree.
struct Yaml {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  Position at;
  bool plain = true;               ///< a scalar without quotes, or nothing
  std::string text;                ///< of a scalar, exactly as written
  std::vector<Position> braces;    ///< where each `${` and `%{` of `text` stands, in order
  std::vector<Yaml> items;         ///< of a list
  std::vector<YamlEntry> entries;  ///< of a map, in the order written, each key once

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
  YamlEntry* find(std::string_view key);
  const YamlEntry* find(std::string_view key) const;

  static Yaml scalar(std::string text, Position at, bool plain = true);
  static Yaml map(Position at);
};

struct YamlEntry {
  std::string key;
  Position at;
  Yaml value;
};

/// Something wrong in a text: where, and what in words for its author.
struct YamlMistake {
  Position at;
  std::string message;
};

struct YamlDocument {
  Yaml root;           ///< null when the text is empty or cannot be read to its end
  bool empty = false;  ///< no document at all: nothing but white space and comments
  std::vector<YamlMistake> mistakes;
};

/// Bounds of what is read; beyond them the text has a mistake. They hold after aliases are expanded.
inline constexpr std::size_t kYamlMaxBytes = 1u << 20;
inline constexpr std::size_t kYamlMaxNodes = 100'000;
inline constexpr std::size_t kYamlMaxDepth = 64;
inline constexpr std::size_t kYamlMaxText = 8u << 20;  ///< bytes in all scalars

/// Reads one document. Never throws for what the text holds: all is in `mistakes`.
YamlDocument parse_yaml(std::string_view text, unsigned source = 0);

/// How often `${` and `%{` occur.
std::size_t count_braces(std::string_view text);

/// A text from somebody else, fit for one line of a terminal: control characters escaped, cut at `limit` bytes.
std::string printable(std::string_view text, std::size_t limit = 60);

}  // namespace fiber::base
