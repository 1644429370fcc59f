#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "plan/interpolate.hpp"
#include "plan/keys.hpp"
#include "plan/plan.hpp"

namespace fiber::plan {
namespace {

const std::vector<std::string_view> kNames = {"rank", "size", "role", "run", "attempt"};
constexpr std::string_view kHint = "; write %%{ for a literal %{";

/// Why `%{name}` is no placeholder, or nothing.
std::string refusal(std::string_view name) {
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return {};
  std::string shown = base::printable(name, 40);
  std::string_view missing;
  bool digits = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (name.substr(0, 7) == "matrix.") missing = "sweeps";
  if (name == "record" || digits) missing = "mode: exec";
  if (!missing.empty()) {
    return fmt::format("%{{{}}} ({}) is not supported by this version of fiber", shown, missing);
  }
  std::string_view near = nearest(name, kNames);
  if (!near.empty()) return fmt::format("unknown placeholder %{{{}}}, did you mean %{{{}}}?", shown, near);
  return fmt::format("unknown placeholder %{{{}}}{}", shown, kHint);
}

std::string value_of(std::string_view name, const Placeholders& values) {
  if (name == "rank") return std::to_string(values.rank);
  if (name == "size") return std::to_string(values.size);
  if (name == "attempt") return std::to_string(values.attempt);
  if (name == "role") return values.role;
  if (name == "run") return values.run;
  return fmt::format("%{{{}}}", name);
}

}  // namespace

bool check_placeholders(const base::Yaml& scalar, Mistakes& mistakes) {
  std::string_view text = scalar.text;
  std::size_t brace = 0;
  bool good = true;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    bool dollar = text.substr(i, 2) == "${", placeholder = text.substr(i, 2) == "%{",
         escaped = text.substr(i, 3) == "%%{";
    if (!dollar && !placeholder && !escaped) continue;
    base::Position at = brace < scalar.braces.size() ? scalar.braces[brace] : scalar.at;
    ++brace;
    if (escaped) i += 2;
    if (!placeholder) continue;
    auto end = text.find('}', i);
    std::string problem = end == std::string_view::npos ? fmt::format("%{{ is not closed by }}{}", kHint)
                                                        : refusal(text.substr(i + 2, end - i - 2));
    if (problem.empty()) continue;
    mistakes.add(at, std::move(problem));
    good = false;
  }
  return good;
}

std::string literal(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "%{") == 0) out += '%';
    out += text[i];
  }
  return out;
}

std::string expand(const std::string& text, const Placeholders& values) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 3, "%%{") == 0) {
      out += "%{";
      i += 3;
    } else if (auto end = text.find('}', i); text.compare(i, 2, "%{") == 0 && end != std::string::npos) {
      out += value_of(std::string_view(text).substr(i + 2, end - i - 2), values);
      i = end + 1;
    } else {
      out += text[i++];
    }
  }
  return out;
}

}  // namespace fiber::plan
