#pragma once
#include <string>

#include "cli/verbs.hpp"

namespace fiber::cli {

/// What `fiber --help` says.
std::string program_help();

/// What `fiber VERB --help` says, at most 80 columns wide.
std::string verb_help(const VerbEntry& verb);
std::string verb_help(Verb bit);

/// The flags of a verb as man page source.
std::string options_as_man(Verb bit);
/// The variables that stand for flags, as man page source.
std::string variables_as_man();

}  // namespace fiber::cli
