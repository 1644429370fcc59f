#pragma once
#include <string>
#include <vector>

#include "base/yaml.hpp"
#include "plan/plan.hpp"

namespace fiber::plan {

/// A checked `run`: a list is a program and its arguments, a text is for the shell.
Command read_command(const base::Yaml& run);

/// Puts arguments from the command line behind a command's own. They are literal. In a shell command they are quoted,
/// or its positional parameters where it holds `$@`.
void append_arguments(Command& command, const std::vector<std::string>& args);

}  // namespace fiber::plan
