#pragma once
#include <string>
#include <vector>

#include "base/child.hpp"

namespace fiber::backend {

/// What a backend starts: one agent that dials `endpoint`.
struct JobSpec {
  std::string name;      ///< unique in the run
  std::string endpoint;  ///< url of the head
};

/// A backend's name for a job. Another head may poll it later.
using JobId = std::string;

struct JobStatus {
  enum class State { running, ended, lost } state = State::lost;  ///< only moves forward; lost: nobody knows it
  base::ExitStatus exit;                                          ///< of the agent, when ended
};

/// Where jobs live: five calls, each for many jobs at once. Waiting, retrying and timing out stand above.
class Backend {
 public:
  virtual ~Backend() = default;
  /// All or nothing: a create that throws fiber::Error leaves nothing behind.
  virtual std::vector<JobId> create(const std::vector<JobSpec>& jobs) = 0;
  virtual std::vector<JobStatus> poll(const std::vector<JobId>& jobs) = 0;
  /// Takes the whole process tree of each. Fine to repeat, and for jobs that have ended.
  virtual void terminate(const std::vector<JobId>& jobs) = 0;
  /// What the agent itself wrote to its stderr.
  virtual std::string logs(const JobId& job) = 0;
  /// Where a job can reach the head: a folder for local sockets.
  virtual std::string listen_address() = 0;
};

}  // namespace fiber::backend
