#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/yaml.hpp"
#include "plan/interpolate.hpp"
#include "plan/keys.hpp"
#include "plan/mistakes.hpp"

namespace fiber::plan {

inline constexpr std::string_view kNotYet = "is not supported by this version of fiber";

/// Holds single values against their keys. A value with a mistake becomes null.
class ValueCheck {
 public:
  ValueCheck(Interpolator& interpolator, Mistakes& mistakes) : interpolator_(interpolator), mistakes_(mistakes) {}

  /// A value that is no map of keys or names.
  void value(const Key& key, const std::string& path, base::Yaml& value);
  /// Expands a scalar. False where a mistake was found.
  bool scalar(const Key& key, const std::string& path, base::Yaml& value);
  /// Says that a value is not of its key's type.
  void wrong(const Key& key, const std::string& path, base::Yaml& value, std::string_view hint = "");
  void refuse(base::Yaml& value, std::string message);

 private:
  void command(const Key& key, const std::string& path, base::Yaml& value);
  void codes(const Key& key, const std::string& path, base::Yaml& value);
  void role(const Key& key, const std::string& path, base::Yaml& value);
  void number(const Key& key, const std::string& path, base::Yaml& value, std::string_view range);
  void size(const Key& key, const std::string& path, base::Yaml& value);
  void duration(const Key& key, const std::string& path, base::Yaml& value);
  void flag(const Key& key, const std::string& path, base::Yaml& value);
  void choice(const Key& key, const std::string& path, base::Yaml& value);

  Interpolator& interpolator_;
  Mistakes& mistakes_;
};

/// A value in a message: its text, or "a list".
std::string found_text(const base::Yaml& value);

}  // namespace fiber::plan
