#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "backend/backend.hpp"
#include "base/clock.hpp"
#include "channel/spill.hpp"
#include "head/crew.hpp"
#include "head/jobs.hpp"
#include "head/pool_host.hpp"
#include "head/reporter.hpp"
#include "plan/plan.hpp"
#include "wire/link.hpp"

namespace fiber::head {

/// The process that knows what must be true of a run: all members alive, all records answered, one exit code.
/// Stands behind a clock, a backend and a hub of links, so that a run can be played on simulated ones.
class Head {
 public:
  /// What the head needs of fiber's own stdin and stdout, and whom it tells that all is over.
  struct Outside {
    std::function<void(std::size_t bytes)> want_input;  ///< stdin may be read so far; 0: stop
    std::function<void(const base::Bytes&)> output;
    std::function<std::size_t()> output_backlog;
    std::function<void(int code)> done;
  };
  /// `run`: the run's id. `scratch`: a folder that every job of this machine sees.
  Head(const plan::Plan& plan, std::string run, std::string scratch, base::Clock& clock, backend::Backend& backend,
       wire::Hub& hub, channel::Spill& spill, Reporter& reporter, Outside outside);

  void start();
  void backend_changed() { jobs_.poll(); }
  void input(const base::Bytes& bytes);
  void input_ended();
  void output_room();
  void output_broken();
  /// SIGINT (first time: drain), SIGTERM, SIGHUP.
  void interrupt(int signal);
  /// Stops (true) or continues all members, as Ctrl-Z and fg do.
  void suspend(bool stop);

 private:
  enum class Phase { running, draining, ending, closing, done };
  enum class Manner { polite, firm, at_once };

  // head.cpp: the course of a run
  void job_up(JobIndex job);
  void job_lost(JobIndex job, const std::string& why);
  void handle(JobIndex job, wire::Message message);
  void start_member(Member& member);
  void settle();
  bool all_done() const;
  void count_run_time();

  // head_ends.cpp: ends of members and of the run
  void gone(Member& member, const agent::Gone& end);
  void worker_gone(Member& member, const agent::Gone& end);
  void master_gone(const Member& member, const agent::Gone& end);
  void failed_start(Member& member, const agent::Gone& end);
  void replace(Member& member, base::Duration wait);
  void revive();
  void distrust(const Member& member, std::string_view surplus);
  void abort(const std::string& why, int code);
  void end(int code, Manner manner);
  void dismiss(Manner manner);
  void finish_if_empty();
  void close();
  void summarize();
  void tell(const Member& member, wire::Type type, std::uint32_t count = 0);

  const plan::Plan& plan_;
  base::Clock& clock_;
  Reporter& reporter_;
  Outside outside_;
  Crew crew_;
  Jobs jobs_;
  std::optional<PoolHost> pool_;
  Phase phase_ = Phase::running;
  int code_ = 0;
  std::optional<base::ExitStatus> master_;
  bool wait_for_output_ = true;
  bool jobs_ended_ = false;
  bool cut_short_ = false;                // ended before everything was answered
  unsigned failed_starts_ = 0;            // of the pool's role, in a row
  unsigned retries_asked_ = 0;            // exits that ask for another try, in a row
  unsigned jobs_lost_ = 0;                // in a row, without an answer
  std::size_t owed_result_ = 0;           // bytes of result not acknowledged to the master's agent
  std::optional<std::uint32_t> console_;  // the member that reads FIBER_STDIN
  std::size_t console_open_ = 0;          // bytes under way to it
  base::Timer grace_, limit_;
  std::optional<base::Time> leave_by_;  // then members that are still there are killed
  base::Duration ran_{};
  base::Time ticked_;
};

}  // namespace fiber::head
