#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace fiber::plan {

/// A text and the name under which its mistakes are reported.
struct Document {
  std::string file;
  std::string text;
};

/// One value from the command line or the environment, laid over the spec: `workers.count=8`.
struct Override {
  std::string path;      ///< dotted, as in messages
  std::string value;     ///< read as if written plain in YAML
  std::string origin;    ///< what mistakes are reported against: "--set workers.count", "-n", "FIBER_WORKERS"
  bool lenient = false;  ///< left out where the spec has no such role (a variable set once for all runs)
};

/// All that a plan is made from. The environment comes as data, so that loading is a pure function.
struct LoadRequest {
  std::optional<Document> spec;                           ///< none: `fiber map`
  std::optional<Document> config;                         ///< the user's config.yaml: weakest, above the defaults only
  std::vector<Override> overrides;                        ///< in rising order of precedence
  std::map<std::string, std::string> variables;           ///< for ${V}
  std::vector<std::string> command;                       ///< `fiber map`: the workers' command, taken literally
  std::vector<std::string> args;                          ///< appended to the master's command, else the workers'
  std::map<std::string, std::optional<std::string>> env;  ///< -e K=V; -e K (nothing) takes K from `variables`
  unsigned cores = 0;     ///< the count of `map`'s workers; 0: the cores granted to this process
  std::string directory;  ///< absolute: the spec's folder, or the current one for `map`
};

/// A bigger spec is refused; who reads the file need not read more than this and one byte.
inline constexpr std::size_t kMaxSpecBytes = 1u << 20;

/// Reads, checks and decides. Throws fiber::Error (125) whose text has every mistake, each on a line of its own as
/// `file:line:col: message`.
Plan load(const LoadRequest& request);

}  // namespace fiber::plan
