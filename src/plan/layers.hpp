#pragma once
#include <string>

#include "base/yaml.hpp"
#include "plan/mistakes.hpp"
#include "plan/spec.hpp"

namespace fiber::plan {

/// Writes short forms out: a role that is a command alone becomes {run: COMMAND}.
void write_out(base::Yaml& root);

/// Takes from `weak` what `strong` does not say, map by map. Roles and channels are not added, only completed.
void fill(base::Yaml& strong, const base::Yaml& weak);

/// Lays one value from the command line over the tree; `source` is its number in positions.
void lay_over(base::Yaml& root, const Override& value, unsigned source, Mistakes& mistakes);

}  // namespace fiber::plan
