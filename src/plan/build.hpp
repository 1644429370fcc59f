#pragma once
#include "base/yaml.hpp"
#include "plan/mistakes.hpp"
#include "plan/plan.hpp"
#include "plan/spec.hpp"

namespace fiber::plan {

/// The sources of positions; overrides are numbered from kFirstOverride, `-e` is behind them.
enum Source : unsigned { kSpec = 0, kConfig = 1, kFirstOverride = 2 };

/// Decides what a checked tree means: roles, the pool, who is done when. What does not fit together is reported.
Plan build(const base::Yaml& root, const LoadRequest& request, Mistakes& mistakes);

/// The name of a run from that of its file: `Train 2.yaml` gives `train-2`.
std::string name_from_file(const std::string& file);

}  // namespace fiber::plan
