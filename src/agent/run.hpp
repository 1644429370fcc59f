#pragma once
#include <string>

namespace fiber::agent {

/// The process inside a job: dials the head at `endpoint`, runs the members it is told to, until told to end or its
/// stdin (held open by who created the job) ends. Returns the exit code of the process.
int run(const std::string& endpoint);

}  // namespace fiber::agent
