#include "plan/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/yaml.hpp"

namespace fiber::plan {
namespace {

using Wide = unsigned __int128;
using std::chrono::milliseconds;

constexpr milliseconds kLongest = std::chrono::hours(876'000);  // a century

bool digit(char c) { return c >= '0' && c <= '9'; }

/// A decimal number, exactly: `digits` / 10^`fraction`.
struct Decimal {
  Wide digits = 0;
  int fraction = 0;
};

/// Takes a decimal number off the front; nothing where there is none, or too long a one.
std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal number;
  std::size_t i = 0, significant = 0;
  bool any = false, point = false;
  for (; i < text.size() && (digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    any = true;
    if (number.digits != 0 || text[i] != '0') ++significant;
    if (significant > 20) return {};
    number.digits = number.digits * 10 + static_cast<unsigned>(text[i] - '0');
    number.fraction += point;
    if (number.fraction > 18) return {};
  }
  if (!any || text[0] == '.' || text[i - 1] == '.') return {};
  text.remove_prefix(i);
  return number;
}

/// The number times `factor`, where that is whole and fits.
std::optional<std::uint64_t> times(Decimal number, Wide factor) {
  Wide product = number.digits * factor;
  for (; number.fraction > 0; --number.fraction) {
    if (product % 10 != 0) return {};
    product /= 10;
  }
  if (product > std::numeric_limits<std::uint64_t>::max()) return {};
  return static_cast<std::uint64_t>(product);
}

struct Suffix {
  std::string_view text;
  Wide factor;
};

constexpr std::array<Suffix, 13> kSizes = {{{"Ei", Wide(1) << 60},
                                            {"Pi", Wide(1) << 50},
                                            {"Ti", Wide(1) << 40},
                                            {"Gi", Wide(1) << 30},
                                            {"Mi", Wide(1) << 20},
                                            {"Ki", Wide(1) << 10},
                                            {"E", 1'000'000'000'000'000'000},
                                            {"P", 1'000'000'000'000'000},
                                            {"T", 1'000'000'000'000},
                                            {"G", 1'000'000'000},
                                            {"M", 1'000'000},
                                            {"k", 1'000},
                                            {"", 1}}};

constexpr std::array<Suffix, 5> kTimes = {
    {{"ms", 1}, {"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}}};

std::string must_be_size(std::string_view found, std::string_view hint) {
  return fmt::format("must be a size such as 64Mi or 2G, found {}{}", base::printable(found), hint);
}

/// What was meant by `MB`, `KiB`, `K`, `m`.
std::string size_hint(std::string_view number, std::string_view suffix) {
  if (suffix == "K") return fmt::format("; write {}k or {}Ki", number, number);
  if (suffix == "m") return fmt::format("; did you mean {}M?", number);
  if (suffix.size() < 2 || suffix.size() > 3 || suffix.back() != 'B') return "";
  suffix.remove_suffix(1);
  if (suffix == "K") suffix = "k";
  for (const Suffix& known : kSizes) {
    if (known.text == suffix) return fmt::format("; write {}{}", number, suffix);
  }
  return "";
}

/// `e9` behind a number.
std::optional<int> exponent(std::string_view text) {
  if (text.size() < 2 || text.size() > 3 || (text[0] != 'e' && text[0] != 'E')) return {};
  if (!std::all_of(text.begin() + 1, text.end(), digit)) return {};
  int value = 0;
  for (char c : text.substr(1)) value = value * 10 + (c - '0');
  return value;
}

std::string must_be_time(std::string_view found, std::string_view hint = "") {
  return fmt::format("must be a time such as 90s, 15m or 2h30m, found {}{}", base::printable(found), hint);
}

}  // namespace

Reading<std::int64_t> read_number(std::string_view text) {
  std::string_view rest = text;
  bool negative = !rest.empty() && rest[0] == '-';
  if (negative) rest.remove_prefix(1);
  bool fits = !rest.empty() && std::all_of(rest.begin(), rest.end(), digit) && (rest.size() == 1 || rest[0] != '0');
  if (!fits) return {{}, fmt::format("must be a whole number, found {}", base::printable(text))};
  if (rest.size() > 18) return {{}, fmt::format("is too big a number: {}", base::printable(text))};
  std::int64_t value = 0;
  for (char c : rest) value = value * 10 + (c - '0');
  return {negative ? -value : value, ""};
}

Reading<std::uint64_t> read_size(std::string_view text) {
  if (!text.empty() && text[0] == '-') {
    return {{}, fmt::format("must not be negative, found {}", base::printable(text))};
  }
  std::string_view suffix = text;
  auto number = take_decimal(suffix);
  if (!number) {
    bool long_number = !text.empty() && digit(text[0]) && text.size() > 18;
    if (long_number) return {{}, fmt::format("is too big or too exact a size: {}", base::printable(text))};
    return {{}, must_be_size(text, "")};
  }
  std::optional<Wide> factor;
  for (const Suffix& known : kSizes) {
    if (known.text == suffix) factor = known.factor;
  }
  if (auto power = exponent(suffix); power && *power <= 18) {
    factor = 1;
    for (int i = 0; i < *power; ++i) *factor *= 10;
  }
  if (!factor) return {{}, must_be_size(text, size_hint(text.substr(0, text.size() - suffix.size()), suffix))};
  auto bytes = times(*number, *factor);
  if (bytes) return {bytes, ""};
  bool big = number->fraction == 0;
  return {{},
          fmt::format("{}, found {}", big ? "is too big a size" : "must be a whole number of bytes",
                      base::printable(text))};
}

Reading<milliseconds> read_duration(std::string_view text) {
  if (!text.empty() && text[0] == '-') {
    return {{}, fmt::format("must not be negative, found {}", base::printable(text))};
  }
  if (text.empty()) return {{}, must_be_time("nothing")};
  std::uint64_t total = 0;
  Wide before = 0;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view at = rest;
    auto number = take_decimal(rest);
    if (!number) return {{}, must_be_time(text)};
    std::string_view shown = at.substr(0, at.size() - rest.size());
    const Suffix* unit = nullptr;
    for (const Suffix& known : kTimes) {
      if (!unit && rest.substr(0, known.text.size()) == known.text) unit = &known;
    }
    if (!unit && rest.empty() && before == 0) {
      return {{}, must_be_time(text, fmt::format("; add a unit, as in {}s", shown))};
    }
    if (!unit || (before != 0 && unit->factor >= before)) return {{}, must_be_time(text)};
    rest.remove_prefix(unit->text.size());
    before = unit->factor;
    auto part = times(*number, unit->factor);
    if (!part && number->fraction > 0) return {{}, must_be_time(text, "; it is read in milliseconds")};
    if (!part || *part > static_cast<std::uint64_t>(kLongest.count())) {
      return {{}, fmt::format("is too long a time: {}", base::printable(text))};
    }
    total += *part;
  }
  if (total > static_cast<std::uint64_t>(kLongest.count())) {
    return {{}, fmt::format("is too long a time: {}", base::printable(text))};
  }
  return {milliseconds(static_cast<std::int64_t>(total)), ""};
}

Reading<DurationRange> read_duration_range(std::string_view text) {
  auto dots = text.find("..");
  auto min = read_duration(text.substr(0, dots));
  auto max = dots == std::string_view::npos ? min : read_duration(text.substr(dots + 2));
  if (!min.value || !max.value) {
    if (dots == std::string_view::npos) return {{}, min.problem};
    return {{}, fmt::format("must be two times such as 1s..30s, found {}", base::printable(text))};
  }
  if (*min.value > *max.value) {
    return {{}, fmt::format("must begin with the shorter time, found {}", base::printable(text))};
  }
  return {DurationRange{*min.value, *max.value}, ""};
}

std::string size_text(std::uint64_t bytes) {
  for (const Suffix& suffix : kSizes) {
    if (bytes != 0 && suffix.text.size() != 1 && bytes % suffix.factor == 0) {
      return fmt::format("{}{}", static_cast<std::uint64_t>(bytes / suffix.factor), suffix.text);
    }
  }
  return fmt::format("{}", bytes);
}

std::string duration_text(milliseconds duration) {
  std::string out;
  auto rest = static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0));
  for (std::string_view name : {"h", "m", "s", "ms"}) {
    for (const Suffix& unit : kTimes) {
      auto factor = static_cast<std::uint64_t>(unit.factor);
      if (unit.text != name || rest < factor) continue;
      out += fmt::format("{}{}", rest / factor, name);
      rest %= factor;
    }
  }
  return out.empty() ? "0s" : out;
}

}  // namespace fiber::plan
