#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fiber::plan {

/// How a value is read and checked.
enum class Kind {
  group,    ///< a map whose keys are in this table
  names,    ///< a map from names of the user's own to what `NAME` says
  env,      ///< a map from variable names to texts
  command,  ///< a list is executed, a string is a shell command
  text,
  choice,  ///< one of the words in `values`; those behind `;` are known and not supported
  flag,    ///< true or false
  number,  ///< a whole number, `values` is its range
  size,    ///< bytes, as in Kubernetes
  duration,
  durations,  ///< `1s..30s`
  codes,      ///< a list of exit codes
  role,       ///< the name of a role
  any,        ///< not read by this version
};

/// One key of a job spec. All that fiber knows about keys is in this table: checks, hints, man page.
struct Key {
  std::string_view path;  ///< dotted; ROLE stands for master, workers, roles.NAME
  Kind kind;
  std::string_view values;    ///< choices or range
  std::string_view fallback;  ///< the default, as a user would write it, or in words
  std::string_view help;
  std::string_view backends;  ///< that know it
  std::string_view feature;   ///< not supported by this version: the name of what is missing
  bool supported() const { return feature.empty(); }
  /// The last part of the path.
  std::string_view name() const { return path.substr(path.rfind('.') + 1); }
};

/// The table, in the order of the man page.
const std::vector<Key>& keys();

/// The key of a pattern as written in the table, or nullptr.
const Key* find_key(std::string_view pattern);

/// The pattern of a child: of `channels.NAME` and `to` it is `channels.NAME.to`.
std::string child_pattern(std::string_view parent, std::string_view child);

/// The keys directly below a pattern.
std::vector<const Key*> children(std::string_view parent);

/// The choices of a key, those of this version or all that are known.
std::vector<std::string_view> choices(const Key& key, bool known = false);

/// The word that is meant by a mistyped one, or nothing.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& words);

/// Where in a spec a key of this name belongs, as a path, or nothing.
std::string home_of(std::string_view name);

/// What a value of this key must be, in words: "a whole number".
std::string expectation(const Key& key);

}  // namespace fiber::plan
