#pragma once
#include <map>
#include <string>

#include "base/yaml.hpp"
#include "plan/mistakes.hpp"

namespace fiber::plan {

/// Replaces `${V}`, `${V:-d}`, `${V-d}`, `${V:?msg}`, `${V:+a}` in the values of a spec; `$${` becomes `${`.
class Interpolator {
 public:
  Interpolator(const std::map<std::string, std::string>& variables, Mistakes& mistakes)
      : variables_(variables), mistakes_(mistakes) {}

  /// Expands a scalar in place. One in which something was replaced counts as written plain. Returns false where
  /// there was a mistake.
  bool expand(base::Yaml& scalar);

 private:
  const std::map<std::string, std::string>& variables_;
  Mistakes& mistakes_;
  std::size_t budget_ = 16u << 20;  ///< bytes that may still come out of variables
};

/// Checks the `%{...}` of an expanded scalar of `run` or `env`. Returns false where there was a mistake.
bool check_placeholders(const base::Yaml& scalar, Mistakes& mistakes);

/// The text so that it comes out of plan::expand() as it is.
std::string literal(const std::string& text);

}  // namespace fiber::plan
