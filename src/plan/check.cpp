#include "plan/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "plan/keys.hpp"
#include "plan/value_check.hpp"

namespace fiber::plan {
namespace {

using base::printable;
using base::Yaml;
using base::YamlEntry;

constexpr std::size_t kMaxVariables = 4096;
constexpr std::size_t kHints = 100;  ///< a file of nothing but mistakes must not take long

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool is_variable_name(const std::string& text) {
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return letter(c) || digit(c); });
}

/// Variables that fiber itself sets for every member.
bool is_reserved(const std::string& name) {
  for (const char* own : {"RUN", "ROLE", "RANK", "SIZE", "ATTEMPT", "DIR", "STDIN", "STDOUT", "STORE"}) {
    if (name == fmt::format("FIBER_{}", own)) return true;
  }
  return starts_with(name, "FIBER_IN_") || starts_with(name, "FIBER_OUT_") || starts_with(name, "FIBER_STORE_");
}

bool equals_default(const Yaml& value, std::string_view fallback) {
  if (value.is_null()) return fallback == "none" || fallback == "[]" || fallback == "{}";
  if (value.is_list()) return value.items.empty() && fallback == "[]";
  if (value.is_map()) return value.entries.empty() && fallback == "{}";
  return fallback == value.text;
}

/// Whether a key may stand there without a value.
bool may_be_null(const Key& key) {
  switch (key.kind) {
    case Kind::group:
    case Kind::names:
    case Kind::env:
    case Kind::text:
      return true;
    case Kind::duration:
      return key.fallback == "none";
    default:
      return false;
  }
}

class Checker {
 public:
  Checker(Interpolator& interpolator, Mistakes& mistakes) : values_(interpolator, mistakes), mistakes_(mistakes) {}

  /// A map whose keys are in the table below `pattern`.
  void group(const std::string& pattern, const std::string& path, Yaml& map) {
    bool later = pattern == "channels.NAME" && is_later_channel(map);
    keep_where(map, [&](YamlEntry& entry) {
      const Key* key = find_key(child_pattern(pattern, entry.key));
      if (!key) unknown(pattern, path, entry);
      if (!key || (later && key->name() != "type")) return false;
      return value(*key, path.empty() ? entry.key : fmt::format("{}.{}", path, entry.key), entry);
    });
  }

 private:
  /// Drops `x-*` and the entries that are not to be kept.
  template <class Keep>
  static void keep_where(Yaml& map, Keep keep) {
    std::vector<YamlEntry> kept;
    for (YamlEntry& entry : map.entries) {
      if (!starts_with(entry.key, "x-") && keep(entry)) kept.push_back(std::move(entry));
    }
    map.entries = std::move(kept);
  }

  void unknown(const std::string& pattern, const std::string& path, const YamlEntry& entry) {
    std::vector<std::string_view> names;
    for (const Key* key : children(pattern)) names.push_back(key->name());
    auto full = [&](std::string_view name) {
      return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
    };
    std::string hint(mistakes_.count() < kHints ? nearest(entry.key, names) : "");
    if (!hint.empty()) {
      hint = full(hint);
    } else if (mistakes_.count() < kHints) {
      hint = home_of(entry.key);
    }
    mistakes_.add(entry.at, fmt::format("unknown key {}{}", printable(full(entry.key), 80),
                                        hint.empty() ? "" : fmt::format(", did you mean {}?", hint)));
  }

  /// A channel of a type that is known and not supported: its other keys are not held against it.
  bool is_later_channel(Yaml& map) {
    YamlEntry* type = map.find("type");
    if (!type || !type->value.is_scalar()) return false;
    Yaml copy = type->value;
    if (copy.text.find("${") != std::string::npos) return false;
    const Key& key = *find_key("channels.NAME.type");
    auto now = choices(key), known = choices(key, true);
    auto has = [&](const auto& words) { return std::find(words.begin(), words.end(), copy.text) != words.end(); };
    return has(known) && !has(now);
  }

  /// Returns whether the entry is to be kept.
  bool value(const Key& key, const std::string& path, YamlEntry& entry) {
    Yaml& value = entry.value;
    if (value.is_scalar() && key.kind != Kind::command && !values_.scalar(key, path, value)) return true;
    if (!key.supported()) {
      if (!equals_default(value, key.fallback)) {
        const std::string what = path.ends_with(key.feature) ? path : fmt::format("{} ({})", path, key.feature);
        mistakes_.add(entry.at, fmt::format("{} {}", what, kNotYet));
      }
      return false;
    }
    if (value.is_null()) {
      if (!may_be_null(key)) values_.wrong(key, path, value);
      if (key.kind == Kind::group) value.kind = Yaml::Kind::map;
      return !may_be_null(key) || key.kind == Kind::group;
    }
    bool map = key.kind == Kind::group || key.kind == Kind::names || key.kind == Kind::env;
    if (!map) {
      values_.value(key, path, value);
    } else if (!value.is_map()) {
      values_.wrong(key, path, value);
    } else if (key.kind == Kind::group) {
      group(std::string(key.path), path, value);
    } else if (key.kind == Kind::names) {
      names(key, path, value);
    } else {
      env(path, value);
    }
    return true;
  }

  void names(const Key& key, const std::string& path, Yaml& map) {
    const Key& child = *find_key(fmt::format("{}.NAME", key.path));
    keep_where(map, [&](YamlEntry& entry) {
      std::string full = fmt::format("{}.{}", path, entry.key);
      if (!is_name(entry.key)) {
        mistakes_.add(entry.at, fmt::format("{} is no name: small letters, digits and _, beginning with a letter",
                                            printable(full, 80)));
        return false;
      }
      if (key.path == "roles" && (entry.key == "master" || entry.key == "workers")) {
        mistakes_.add(entry.at, fmt::format("{} is written {}, without roles", full, entry.key));
        return false;
      }
      return value(child, full, entry);
    });
  }

  void env(const std::string& path, Yaml& map) {
    const Key& key = *find_key("env");
    if (map.entries.size() > kMaxVariables) {
      values_.refuse(
          map, fmt::format("{} has {} variables, at most {} are possible", path, map.entries.size(), kMaxVariables));
    }
    keep_where(map, [&](YamlEntry& entry) {
      std::string full = printable(fmt::format("{}.{}", path, entry.key), 80);
      std::size_t before = mistakes_.count();
      if (!is_variable_name(entry.key)) {
        mistakes_.add(entry.at, fmt::format("{} is no name of a variable: letters, digits and _", full));
      } else if (is_reserved(entry.key)) {
        mistakes_.add(entry.at, fmt::format("{} is set by fiber itself", full));
      } else if (entry.value.is_list() || entry.value.is_map()) {
        mistakes_.add(entry.value.at, fmt::format("{} must be text, found {}", full, found_text(entry.value)));
      } else if (entry.value.is_scalar()) {
        values_.scalar(key, full, entry.value);
      }
      return mistakes_.count() == before;
    });
  }

  ValueCheck values_;
  Mistakes& mistakes_;
};

}  // namespace

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= 63 && text[0] >= 'a' && text[0] <= 'z' &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || digit(c) || c == '_'; });
}

void check(Yaml& root, Interpolator& interpolator, Mistakes& mistakes) {
  Checker(interpolator, mistakes).group("", "", root);
}

}  // namespace fiber::plan
