#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fiber::cli {

/// Verbs that have flags, as bits.
enum Verb : unsigned { kRun = 1, kMap = 2, kPlan = 4 };

/// A flag: what is typed, what it does, and where its value goes. The one table of them is in options.cpp; parsing,
/// --help and the man page are made from it.
struct Option {
  unsigned verbs;          ///< who has it
  std::string_view names;  ///< "-n,--workers"; the last one is its name in messages
  std::string_view value;  ///< what help calls its value; empty: a switch
  std::string_view help;
  std::string_view keys = {};      ///< keys of the spec that it sets, with commas between
  std::string_view variable = {};  ///< environment variable that stands for it
  bool later = false;              ///< named in the design, not there yet: refused by name

  std::string name() const;
};

std::span<const Option> all_options();

/// A flag that was given, or its variable.
struct Given {
  const Option* option;
  std::string value;
  std::string origin;  ///< "--workers", "FIBER_WORKERS"
};

struct Parsed {
  std::vector<Given> given;          ///< in rising order of precedence: variables first, then flags as typed
  std::vector<std::string> words;    ///< arguments that are no flags, up to `--`; `map`: none
  std::vector<std::string> command;  ///< what follows `--`; `map`: the command

  /// The value that counts of the flag with this long name; nothing if not given.
  const Given* last(std::string_view long_name) const;
  bool on(std::string_view long_name) const;
};

using Variables = std::map<std::string, std::string>;

/// Reads the arguments behind a verb. Throws fiber::Error for usage errors and for flags that come later.
Parsed parse(Verb verb, const std::vector<std::string>& arguments, const Variables& variables);

}  // namespace fiber::cli
