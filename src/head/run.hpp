#pragma once
#include "head/reporter.hpp"
#include "plan/plan.hpp"
#include "plan/run_dir.hpp"

namespace fiber::head {

/// Carries out a plan on this machine, with this process's stdin and stdout, until all has ended. Returns the
/// exit code of the run. Throws fiber::Error where fiber itself cannot go on.
int run(const plan::Plan& plan, plan::RunDirectory& directory, Reporter& reporter);

}  // namespace fiber::head
