#pragma once
#include <functional>
#include <map>
#include <string>

#include "backend/backend.hpp"
#include "base/fd.hpp"
#include "base/loop.hpp"

namespace fiber::backend {

/// Jobs as processes of this machine: each an agent whose stdin is held open by us. Its end is its order to go, so
/// that our death, however sudden, ends it too.
class Local final : public Backend {
 public:
  /// `folder`: 0700, for sockets and logs. `changed` is called when a job has ended: time to poll.
  Local(base::Loop& loop, base::Reaper& reaper, std::string folder, std::function<void()> changed);
  ~Local() override;

  std::vector<JobId> create(const std::vector<JobSpec>& jobs) override;
  std::vector<JobStatus> poll(const std::vector<JobId>& jobs) override;
  void terminate(const std::vector<JobId>& jobs) override;
  std::string logs(const JobId& job) override;
  std::string listen_address() override { return folder_; }

 private:
  struct Job {
    pid_t pid = -1;
    base::Fd lifeline;
    std::string log;
    JobStatus status;
    base::Timer kill;
  };
  JobId start(const JobSpec& spec);
  void kill_orphans();

  base::Loop& loop_;
  base::Reaper& reaper_;
  std::string folder_;
  std::function<void()> changed_;
  std::map<JobId, Job> jobs_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fiber::backend
