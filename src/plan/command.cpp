#include "plan/command.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "plan/interpolate.hpp"

namespace fiber::plan {
namespace {

using base::Yaml;

std::string shell_quoted(const std::string& text) {
  auto safe = [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-./=,:@+").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), safe)) return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

Command read_command(const Yaml& run) {
  Command out;
  if (run.is_scalar()) {
    out.argv = {"/bin/sh", "-c", run.text};
    out.shell = true;
  } else {
    for (const Yaml& item : run.items) out.argv.push_back(item.text);
  }
  return out;
}

void append_arguments(Command& command, const std::vector<std::string>& args) {
  if (args.empty()) return;
  if (!command.shell) {
    for (const std::string& arg : args) command.argv.push_back(literal(arg));
    return;
  }
  std::string& text = command.argv[2];
  if (text.find("$@") != std::string::npos) {
    command.argv.emplace_back("sh");
    for (const std::string& arg : args) command.argv.push_back(literal(arg));
    return;
  }
  text.erase(text.find_last_not_of(" \t\n") + 1);
  for (const std::string& arg : args) text += " " + literal(shell_quoted(arg));
}

}  // namespace fiber::plan
