#include "plan/value_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "plan/check.hpp"
#include "plan/quantity.hpp"

namespace fiber::plan {
namespace {

using base::Position;
using base::printable;
using base::Yaml;

/// The two ends of a range such as `1..400`.
std::pair<std::string_view, std::string_view> halves(std::string_view range) {
  auto dots = range.find("..");
  return {range.substr(0, dots), dots == std::string_view::npos ? range : range.substr(dots + 2)};
}

void make_null(Yaml& value) {
  Position at = value.at;
  value = {};
  value.at = at;
}

/// Why a value is outside of its range, or nothing.
template <class T>
std::string outside(T is, T least, T most, std::string_view range, const Yaml& value) {
  auto [least_text, most_text] = halves(range);
  if (is < least) return fmt::format("must be at least {}, found {}", least_text, printable(value.text));
  if (is > most) return fmt::format("must be at most {}, found {}", most_text, printable(value.text));
  return {};
}

}  // namespace

std::string found_text(const Yaml& value) {
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

void ValueCheck::refuse(Yaml& value, std::string message) {
  mistakes_.add(value.at, std::move(message));
  make_null(value);
}

void ValueCheck::wrong(const Key& key, const std::string& path, Yaml& value, std::string_view hint) {
  refuse(value, fmt::format("{} must be {}, found {}{}", path, expectation(key), found_text(value), hint));
}

/// Expands a scalar. False where a mistake was found and reported.
bool ValueCheck::scalar(const Key& key, const std::string& path, Yaml& value) {
  bool programs = key.kind == Kind::command || key.kind == Kind::env;
  bool replaced = value.text.find("${") != std::string::npos;
  if (!interpolator_.expand(value)) {
    make_null(value);
    return false;
  }
  if (value.text.find('\0') != std::string::npos) {
    refuse(value, fmt::format("{} holds a NUL character", path));
    return false;
  }
  if (programs) {
    if (check_placeholders(value, mistakes_)) return true;
    make_null(value);
    return false;
  }
  if (value.text.find("%{") != std::string::npos && key.kind != Kind::any) {
    refuse(value, fmt::format("{}: %{{...}} is known in run and env only", path));
    return false;
  }
  if (replaced && (value.text.empty() || value.text == "~" || value.text == "null")) make_null(value);
  return true;
}

void ValueCheck::command(const Key& key, const std::string& path, Yaml& value) {
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
      refuse(item, fmt::format("{} must be text, found {}", one, found_text(item)));
    } else if (scalar(key, one, item) && i == 0 && item.text.empty()) {
      refuse(item, fmt::format("{} is an empty text: a program is needed", one));
    }
    good = good && !item.is_null();
  }
  if (!good) make_null(value);
}

void ValueCheck::codes(const Key& key, const std::string& path, Yaml& value) {
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
  if (!good) make_null(value);
}

void ValueCheck::role(const Key& key, const std::string& path, Yaml& value) {
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

void ValueCheck::number(const Key& key, const std::string& path, Yaml& value, std::string_view range) {
  if (key.name() == "count" && value.is_map()) {
    return refuse(value, fmt::format("{}: {{min, max}} (elastic roles) {}", path, kNotYet));
  }
  if (!value.is_scalar()) return wrong(key, path, value);
  auto reading = read_number(value.text);
  if (!value.plain && reading.value) return wrong(key, path, value, " in quotes");
  if (!reading.value) return refuse(value, fmt::format("{} {}", path, reading.problem));
  if (key.path == "fiber" && *reading.value != 1) {
    return refuse(value,
                  fmt::format("fiber: {} is a version of the job spec that is not known here; known is 1", value.text));
  }
  auto [least, most] = halves(range);
  std::string problem = outside(*reading.value, *read_number(least).value, *read_number(most).value, range, value);
  if (!problem.empty()) refuse(value, fmt::format("{} {}", path, problem));
}

void ValueCheck::size(const Key& key, const std::string& path, Yaml& value) {
  auto reading = read_size(value.text);
  auto [least, most] = halves(key.values);
  std::string problem = reading.problem;
  if (reading.value)
    problem = outside(*reading.value, *read_size(least).value, *read_size(most).value, key.values, value);
  if (!problem.empty()) refuse(value, fmt::format("{} {}", path, problem));
}

void ValueCheck::duration(const Key& key, const std::string& path, Yaml& value) {
  auto reading = read_duration(value.text);
  auto [least, most] = halves(key.values);
  std::string problem = reading.problem;
  if (reading.value) {
    problem = outside(*reading.value, *read_duration(least).value, *read_duration(most).value, key.values, value);
  }
  if (!problem.empty()) refuse(value, fmt::format("{} {}", path, problem));
}

void ValueCheck::value(const Key& key, const std::string& path, Yaml& value) {
  if (key.kind == Kind::command) return command(key, path, value);
  if (key.kind == Kind::codes) return codes(key, path, value);
  if (key.kind == Kind::role) return role(key, path, value);
  if (key.kind == Kind::number) return number(key, path, value, key.values);
  if (!value.is_scalar() || value.text.empty()) return wrong(key, path, value);
  if (key.kind == Kind::size) return size(key, path, value);
  if (key.kind == Kind::duration) return duration(key, path, value);
  if (key.kind == Kind::flag) return flag(key, path, value);
  if (key.kind == Kind::choice) return choice(key, path, value);
  if (key.kind != Kind::durations) return;
  auto reading = read_duration_range(value.text);
  if (!reading.value) refuse(value, fmt::format("{} {}", path, reading.problem));
}

void ValueCheck::flag(const Key& key, const std::string& path, Yaml& value) {
  bool yes = value.text == "true" || value.text == "True" || value.text == "TRUE";
  bool no = value.text == "false" || value.text == "False" || value.text == "FALSE";
  if (!yes && !no) return wrong(key, path, value);
  if (!value.plain) return wrong(key, path, value, " in quotes");
  if (no) refuse(value, fmt::format("{}: false (FIFOs) {}", path, kNotYet));
}

void ValueCheck::choice(const Key& key, const std::string& path, Yaml& value) {
  auto now = choices(key), known = choices(key, true);
  if (std::find(now.begin(), now.end(), value.text) != now.end()) return;
  bool own_program = key.path == "backend" && value.text.rfind("exec:", 0) == 0;
  if (own_program || std::find(known.begin(), known.end(), value.text) != known.end()) {
    return refuse(value, fmt::format("{}: {} {}", path, printable(value.text), kNotYet));
  }
  std::string_view near = nearest(value.text, known);
  wrong(key, path, value, near.empty() ? "" : fmt::format(", did you mean {}?", near));
}

}  // namespace fiber::plan
