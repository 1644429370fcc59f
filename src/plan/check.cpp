#include "plan/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "plan/keys.hpp"
#include "plan/quantity.hpp"

namespace fiber::plan {
namespace {

using base::Position;
using base::printable;
using base::Yaml;
using base::YamlEntry;

constexpr std::string_view kNotYet = "is not supported by this version of fiber";

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

std::string found(const Yaml& value) {
  switch (value.kind) {
    case Yaml::Kind::null:
      return "nothing";
    case Yaml::Kind::list:
      return "a list";
    case Yaml::Kind::map:
      return "a map";
    case Yaml::Kind::scalar:
      break;
  }
  return value.text.empty() ? "an empty text" : printable(value.text);
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
      return true;
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
  Checker(Interpolator& interpolator, Mistakes& mistakes) : interpolator_(interpolator), mistakes_(mistakes) {}

  /// A map whose keys are in the table below `pattern`.
  void group(const std::string& pattern, const std::string& path, Yaml& map) {
    bool later = pattern == "channels.NAME" && is_later_channel(map);
    for (std::size_t i = 0; i < map.entries.size();) {
      YamlEntry& entry = map.entries[i];
      const Key* key = starts_with(entry.key, "x-") ? nullptr : find_key(child_pattern(pattern, entry.key));
      std::string child = path.empty() ? entry.key : fmt::format("{}.{}", path, entry.key);
      bool keep = false;
      if (!starts_with(entry.key, "x-")) {
        if (!key) unknown(pattern, path, entry);
        if (key && (!later || key->name() == "type")) keep = value(*key, child, entry);
      }
      drop_or_go_on(map, i, keep);
    }
  }

 private:
  static void drop_or_go_on(Yaml& map, std::size_t& i, bool keep) {
    if (keep) {
      ++i;
    } else {
      map.entries.erase(map.entries.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  void unknown(const std::string& pattern, const std::string& path, const YamlEntry& entry) {
    std::vector<std::string_view> names;
    for (const Key* key : children(pattern)) names.push_back(key->name());
    auto full = [&](std::string_view name) {
      return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
    };
    std::string hint(nearest(entry.key, names));
    if (!hint.empty()) {
      hint = full(hint);
    } else {
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
    if (value.is_scalar() && key.kind != Kind::command && !scalar(key, path, value)) return true;
    if (!key.supported()) {
      if (!equals_default(value, key.fallback)) {
        mistakes_.add(entry.at, fmt::format("{} ({}) {}", path, key.feature, kNotYet));
      }
      return false;
    }
    if (value.is_null()) {
      if (!may_be_null(key)) wrong(key, path, value);
      if (key.kind == Kind::group) value.kind = Yaml::Kind::map;
      return !may_be_null(key) || key.kind == Kind::group;
    }
    switch (key.kind) {
      case Kind::group:
        map_of(key, path, value) ? group(std::string(key.path), path, value) : null(value);
        break;
      case Kind::names:
        map_of(key, path, value) ? names(key, path, value) : null(value);
        break;
      case Kind::env:
        map_of(key, path, value) ? env(path, value) : null(value);
        break;
      case Kind::command:
        command(key, path, value);
        break;
      case Kind::codes:
        codes(key, path, value);
        break;
      case Kind::role:
        role(key, path, value);
        break;
      case Kind::number:
        number(key, path, value);
        break;
      default:
        leaf(key, path, value);
    }
    return true;
  }

  static void null(Yaml& value) {
    Position at = value.at;
    value = {};
    value.at = at;
  }

  void refuse(Yaml& value, std::string message) {
    mistakes_.add(value.at, std::move(message));
    null(value);
  }

  void wrong(const Key& key, const std::string& path, Yaml& value, std::string_view hint = "") {
    refuse(value, fmt::format("{} must be {}, found {}{}", path, expectation(key), found(value), hint));
  }

  bool map_of(const Key& key, const std::string& path, Yaml& value) {
    if (value.is_map()) return true;
    wrong(key, path, value);
    return false;
  }

  /// Expands a scalar. False where a mistake was found and reported.
  bool scalar(const Key& key, const std::string& path, Yaml& value) {
    bool programs = key.kind == Kind::command || key.kind == Kind::env;
    bool replaced = value.text.find("${") != std::string::npos;
    if (!interpolator_.expand(value)) {
      null(value);
      return false;
    }
    if (value.text.find('\0') != std::string::npos) {
      refuse(value, fmt::format("{} holds a NUL character", path));
      return false;
    }
    if (programs) {
      if (check_placeholders(value, mistakes_)) return true;
      null(value);
      return false;
    }
    if (value.text.find("%{") != std::string::npos && key.kind != Kind::any) {
      refuse(value, fmt::format("{}: %{{...}} is known in run and env only", path));
      return false;
    }
    if (replaced && (value.text.empty() || value.text == "~" || value.text == "null")) null(value);
    return true;
  }

  void names(const Key& key, const std::string& path, Yaml& map) {
    const Key& child = *find_key(fmt::format("{}.NAME", key.path));
    for (std::size_t i = 0; i < map.entries.size();) {
      YamlEntry& entry = map.entries[i];
      bool keep = false;
      std::string full = fmt::format("{}.{}", path, entry.key);
      if (starts_with(entry.key, "x-")) {
        // the user's own
      } else if (!is_name(entry.key)) {
        mistakes_.add(entry.at, fmt::format("{} is no name: small letters, digits and _, beginning with a letter",
                                            printable(full, 80)));
      } else if (key.path == "roles" && (entry.key == "master" || entry.key == "workers")) {
        mistakes_.add(entry.at, fmt::format("{} is written {}, without roles", full, entry.key));
      } else {
        keep = value(child, full, entry);
      }
      drop_or_go_on(map, i, keep);
    }
  }

  void env(const std::string& path, Yaml& map) {
    const Key& key = *find_key("env");
    for (std::size_t i = 0; i < map.entries.size();) {
      YamlEntry& entry = map.entries[i];
      std::string full = printable(fmt::format("{}.{}", path, entry.key), 80);
      std::size_t before = mistakes_.count();
      if (starts_with(entry.key, "x-")) {
        drop_or_go_on(map, i, false);
        continue;
      }
      if (!is_variable_name(entry.key)) {
        mistakes_.add(entry.at, fmt::format("{} is no name of a variable: letters, digits and _", full));
      } else if (is_reserved(entry.key)) {
        mistakes_.add(entry.at, fmt::format("{} is set by fiber itself", full));
      } else if (entry.value.is_list() || entry.value.is_map()) {
        mistakes_.add(entry.value.at, fmt::format("{} must be text, found {}", full, found(entry.value)));
      } else if (entry.value.is_scalar()) {
        scalar(key, full, entry.value);
      }
      drop_or_go_on(map, i, mistakes_.count() == before);
    }
  }

  void command(const Key& key, const std::string& path, Yaml& value) {
    if (value.is_map()) return wrong(key, path, value);
    if (value.is_scalar()) {
      if (!scalar(key, path, value)) return;
      if (value.text.find_first_not_of(" \t\n") == std::string::npos) wrong(key, path, value);
      return;
    }
    if (value.items.empty()) return refuse(value, fmt::format("{} must not be an empty list", path));
    bool good = true;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      Yaml& item = value.items[i];
      std::string one = fmt::format("item {} of {}", i + 1, path);
      if (!item.is_scalar()) {
        refuse(item, fmt::format("{} must be text, found {}", one, found(item)));
      } else if (scalar(key, one, item) && i == 0 && item.text.empty()) {
        refuse(item, fmt::format("{} is an empty text: a program is needed", one));
      }
      good = good && !item.is_null();
    }
    if (!good) null(value);
  }

  void codes(const Key& key, const std::string& path, Yaml& value) {
    if (!value.is_list()) return wrong(key, path, value);
    bool good = true;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      Yaml& item = value.items[i];
      std::string one = fmt::format("item {} of {}", i + 1, path);
      if (item.is_scalar() && !scalar(key, one, item)) {
        good = false;
        continue;
      }
      number(*find_key("retry.task_error"), one, item, key.values);
      good = good && !item.is_null();
    }
    if (!good) null(value);
  }

  void role(const Key& key, const std::string& path, Yaml& value) {
    if (value.is_list() && value.items.size() == 1 && value.items[0].is_scalar()) {
      Yaml one = std::move(value.items[0]);
      value = std::move(one);
      if (!scalar(key, path, value)) return;
    }
    if (value.is_list() && key.name() == "from") {
      return refuse(value, fmt::format("{} of a pool must be one role, found a list of {}", path, value.items.size()));
    }
    if (!value.is_scalar()) return wrong(key, path, value);
    if (!is_name(value.text)) wrong(key, path, value);
  }

  void number(const Key& key, const std::string& path, Yaml& value) { number(key, path, value, key.values); }

  void number(const Key& key, const std::string& path, Yaml& value, std::string_view range) {
    if (key.name() == "count" && value.is_map()) {
      return refuse(value, fmt::format("{}: {{min, max}} (elastic roles) {}", path, kNotYet));
    }
    if (!value.is_scalar()) return wrong(key, path, value);
    auto reading = read_number(value.text);
    if (!value.plain && reading.value) return wrong(key, path, value, " in quotes");
    if (!reading.value) return refuse(value, fmt::format("{} {}", path, reading.problem));
    if (key.path == "fiber" && *reading.value != 1) {
      return refuse(
          value, fmt::format("fiber: {} is a version of the job spec that is not known here; known is 1", value.text));
    }
    auto dots = range.find("..");
    auto least = range.substr(0, dots), most = range.substr(dots + 2);
    bounds(path, value, *reading.value, *read_number(least).value, *read_number(most).value, least, most);
  }

  template <class T>
  void bounds(const std::string& path, Yaml& value, T is, T least, T most, std::string_view least_text,
              std::string_view most_text) {
    if (is < least) {
      refuse(value, fmt::format("{} must be at least {}, found {}", path, least_text, printable(value.text)));
    } else if (is > most) {
      refuse(value, fmt::format("{} must be at most {}, found {}", path, most_text, printable(value.text)));
    }
  }

  void leaf(const Key& key, const std::string& path, Yaml& value) {
    if (!value.is_scalar()) return wrong(key, path, value);
    auto dots = key.values.find("..");
    auto least = key.values.substr(0, dots);
    auto most = dots == std::string_view::npos ? least : key.values.substr(dots + 2);
    if (key.kind == Kind::size) {
      auto reading = read_size(value.text);
      if (!reading.value) return refuse(value, fmt::format("{} {}", path, reading.problem));
      bounds(path, value, *reading.value, *read_size(least).value, *read_size(most).value, least, most);
    } else if (key.kind == Kind::duration) {
      auto reading = read_duration(value.text);
      if (!reading.value) return refuse(value, fmt::format("{} {}", path, reading.problem));
      bounds(path, value, *reading.value, *read_duration(least).value, *read_duration(most).value, least, most);
    } else if (key.kind == Kind::durations) {
      auto reading = read_duration_range(value.text);
      if (!reading.value) refuse(value, fmt::format("{} {}", path, reading.problem));
    } else if (key.kind == Kind::flag) {
      flag(key, path, value);
    } else if (key.kind == Kind::choice) {
      choice(key, path, value);
    } else if (value.text.empty()) {
      wrong(key, path, value);
    }
  }

  void flag(const Key& key, const std::string& path, Yaml& value) {
    bool yes = value.text == "true" || value.text == "True" || value.text == "TRUE";
    bool no = value.text == "false" || value.text == "False" || value.text == "FALSE";
    if (!yes && !no) return wrong(key, path, value);
    if (!value.plain) return wrong(key, path, value, " in quotes");
    if (no) refuse(value, fmt::format("{}: false (FIFOs) {}", path, kNotYet));
  }

  void choice(const Key& key, const std::string& path, Yaml& value) {
    auto now = choices(key), known = choices(key, true);
    if (std::find(now.begin(), now.end(), value.text) != now.end()) return;
    bool own_program = key.path == "backend" && starts_with(value.text, "exec:");
    if (own_program || std::find(known.begin(), known.end(), value.text) != known.end()) {
      return refuse(value, fmt::format("{}: {} {}", path, printable(value.text), kNotYet));
    }
    std::string_view near = nearest(value.text, known);
    wrong(key, path, value, near.empty() ? "" : fmt::format(", did you mean {}?", near));
  }

  Interpolator& interpolator_;
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
