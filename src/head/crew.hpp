#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/orders.hpp"
#include "base/clock.hpp"
#include "head/jobs.hpp"
#include "plan/plan.hpp"

namespace fiber::head {

/// One process of a role, over all its lives.
struct Member {
  enum class State {
    waiting,  ///< for its job
    running,  ///< ordered to start, not yet known to have ended
    restarting,
    gone,
  };
  std::uint32_t id = 0;
  const plan::Role* role = nullptr;
  unsigned rank = 0;
  std::string name;
  JobIndex job = 0;
  State state = State::waiting;
  unsigned attempt = 1;  ///< from 1
  unsigned vain = 0;     ///< restarts since its last answer
  base::Timer restart;
};

/// All members of a run: which job holds whom, and how each is started.
class Crew {
 public:
  /// `scratch`: the folder for the members' own folders.
  Crew(const plan::Plan& plan, std::string run, std::string scratch);

  std::vector<Member>& members() { return members_; }
  Member& at(std::uint32_t id) { return members_.at(id); }
  bool holds(std::uint32_t id) const { return id < members_.size(); }
  /// Names of the jobs to create, in the order of Member::job.
  const std::vector<std::string>& jobs() const { return jobs_; }
  std::string rename_job(JobIndex old, JobIndex fresh);

  bool is_worker(const Member& member) const { return plan_.pool && member.role->name == plan_.pool->to; }
  bool is_source(const Member& member) const { return plan_.pool && plan_.pool->from == member.role->name; }
  bool is_master(const Member& member) const { return member.role->name == "master"; }
  bool any_running() const;

  agent::Start order(const Member& member) const;
  /// How long a member waits before its next start: not at all at first, then longer and longer.
  base::Duration backoff(unsigned vain) const;

 private:
  const plan::Plan& plan_;
  std::string run_, scratch_;
  std::vector<Member> members_;
  std::vector<std::string> jobs_;
};

/// "exit 3", "signal 9 (Killed)".
std::string describe(const base::ExitStatus& status);

}  // namespace fiber::head
