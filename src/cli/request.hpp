#pragma once
#include <optional>
#include <string>

#include "cli/options.hpp"
#include "head/reporter.hpp"
#include "plan/spec.hpp"

namespace fiber::cli {

/// All that a plan is made from, out of flags and variables: reads the spec (not for `map`), the user's config.yaml
/// and the files of --env-file. Throws fiber::Error.
plan::LoadRequest request_for_spec(const Parsed& parsed, const Variables& variables);
plan::LoadRequest request_for_command(const Parsed& parsed, const Variables& variables);

/// How the run speaks.
head::Style style_of(const Parsed& parsed, const Variables& variables, bool terminal);

/// The variables of an --env-file: K=V or K (taken from fiber's own environment) a line.
std::map<std::string, std::optional<std::string>> parse_env_file(const plan::Document& file);

/// Reads a file of at most 1 MiB. `hint` ends the message when it is not there.
plan::Document read_document(const std::string& path, const std::string& hint = {});

}  // namespace fiber::cli
