#pragma once
#include "base/yaml.hpp"
#include "plan/interpolate.hpp"
#include "plan/mistakes.hpp"

namespace fiber::plan {

/// Holds a tree against the table of keys: expands variables, drops `x-*` and what says no more than the default,
/// and reports the rest. A value with a mistake becomes null; so behind this, null means: spoken of already. Only
/// under `env` it means that the caller must give the value.
void check(base::Yaml& root, Interpolator& interpolator, Mistakes& mistakes);

/// `[a-z][a-z0-9_]*`, the rule for roles and channels.
bool is_name(const std::string& text);

}  // namespace fiber::plan
