#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.hpp"

namespace fiber::cli {

using Arguments = std::vector<std::string>;

/// What stands behind `fiber`: its help, and the function that carries it out.
struct VerbEntry {
  std::string_view name;
  unsigned bit;                ///< in Option::verbs; 0: it has no flags
  std::string_view arguments;  ///< in its usage line
  std::string_view summary;    ///< one line for the list of verbs; empty: hidden
  std::string_view about;
  int (*carry_out)(const Arguments& arguments, Session& session);
};

std::span<const VerbEntry> all_verbs();

/// Finds the verb and carries it out; returns the exit code. Throws fiber::Error.
int carry_out(const Arguments& arguments, Session& session);

int run(const Arguments& arguments, Session& session);
int map(const Arguments& arguments, Session& session);
int plan(const Arguments& arguments, Session& session);
int agent(const Arguments& arguments, Session& session);

}  // namespace fiber::cli
