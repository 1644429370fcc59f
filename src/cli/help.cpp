#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace fiber::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kIndent = 25;

/// Lines of at most `width` bytes, broken at blanks.
std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// `-n,--workers` as `-n, --workers N`.
std::string spelled(const Option& option) {
  std::string out;
  for (const char c : option.names) out += c == ',' ? std::string(", ") : std::string(1, c);
  if (out.rfind("--", 0) == 0) out = "    " + out;
  if (!option.value.empty()) out += " " + std::string(option.value);
  return out;
}

/// A name, and what it means in the column beside it.
std::string entry(const std::string& name, std::string_view text) {
  std::string out = "  " + name;
  if (out.size() + 2 > kIndent) {
    out += "\n" + std::string(kIndent, ' ');
  } else {
    out.resize(kIndent, ' ');
  }
  const std::vector<std::string> lines = wrap(text, kWidth - kIndent);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += std::string(kIndent, ' ');
    out += lines[i] + "\n";
  }
  return out;
}

/// Text for troff: hyphens are minus signs, and a backslash is one.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string program_help() {
  std::string out =
      "Usage: fiber VERB [OPTIONS] ...\n\n"
      "Runs a program of two parts, a master that hands out work and workers that do\n"
      "it, each reading and writing records through pipes.\n\nVerbs:\n";
  for (const VerbEntry& verb : all_verbs()) {
    if (!verb.summary.empty()) out += entry(std::string(verb.name), verb.summary);
  }
  out += "\nOptions:\n";
  out += entry("-h, --help", "Show this help; fiber VERB --help shows that of a verb.");
  out += entry("    --version", "Show the version.");
  return out;
}

std::string verb_help(const VerbEntry& verb) {
  std::string out = fmt::format("Usage: fiber {} {}\n\n", verb.name, verb.arguments);
  for (const std::string& line : wrap(verb.about, kWidth - 1)) out += line + "\n";
  out += "\nOptions:\n";
  for (const Option& option : all_options()) {
    if ((option.verbs & verb.bit) == 0 || option.later) continue;
    std::string text(option.help);
    if (!option.variable.empty()) text += fmt::format(" [{}]", option.variable);
    out += entry(spelled(option), text);
  }
  return out;
}

std::string verb_help(Verb bit) {
  for (const VerbEntry& verb : all_verbs()) {
    if (verb.bit == bit) return verb_help(verb);
  }
  return {};
}

std::string options_as_man(Verb bit) {
  std::string out;
  for (const Option& option : all_options()) {
    if ((option.verbs & bit) == 0 || option.later) continue;
    std::string names;
    for (const char c : option.names) names += c == ',' ? std::string("\\fR, \\fB") : escaped({&c, 1});
    out += ".TP\n\\fB" + names + "\\fR";
    if (!option.value.empty()) out += " \\fI" + escaped(option.value) + "\\fR";
    out += "\n" + escaped(option.help) + "\n";
  }
  return out;
}

std::string variables_as_man() {
  std::string out;
  std::vector<std::string_view> seen;
  for (const Option& option : all_options()) {
    if (option.variable.empty() || std::find(seen.begin(), seen.end(), option.variable) != seen.end()) continue;
    seen.push_back(option.variable);
    out += ".TP\n.B " + escaped(option.variable) + "\nstands for \\fB" + escaped(option.name()) + "\\fR" +
           (option.value.empty() ? " when it is 1.\n" : ".\n");
  }
  return out;
}

}  // namespace fiber::cli
