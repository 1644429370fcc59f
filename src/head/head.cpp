#include "head/head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "agent/member.hpp"
#include "base/error.hpp"

namespace fiber::head {

using wire::Type;
using namespace std::chrono_literals;

Head::Head(const plan::Plan& plan, std::string run, std::string scratch, base::Clock& clock, backend::Backend& backend,
           wire::Hub& hub, channel::Spill& spill, Reporter& reporter, Outside outside)
    : plan_(plan),
      clock_(clock),
      reporter_(reporter),
      outside_(std::move(outside)),
      crew_(plan, std::move(run), std::move(scratch)),
      jobs_(clock, backend, hub,
            {[this](JobIndex job) { job_up(job); },
             [this](JobIndex job, wire::Message message) { handle(job, std::move(message)); },
             [this](JobIndex job, const std::string& why) { job_lost(job, why); },
             [this] {
               jobs_ended_ = true;
               if (phase_ == Phase::ending) phase_ = Phase::closing;  // members that nobody could speak of
               close();
             }}) {
  if (!plan.pool) return;
  pool_.emplace(
      plan, clock, spill, reporter,
      PoolHost::Outside{
          [this](std::uint32_t member, wire::Message message) { jobs_.send(crew_.at(member).job, std::move(message)); },
          [this](std::uint32_t member) { return crew_.at(member).name; }, outside_.want_input, outside_.output,
          outside_.output_backlog, [this](const std::string& why) { abort(why, kExitFailed); }});
}

void Head::start() {
  reporter_.event("start", {{"name", plan_.name}, {"members", static_cast<std::int64_t>(crew_.members().size())}});
  ticked_ = clock_.now();
  count_run_time();
  jobs_.create(crew_.jobs());
  if (pool_ && !plan_.pool->from) pool_->output_room();  // asks for the first input
}

/// limits.run: counts time in which this process itself ran. A lid closed or a debugger costs nothing.
void Head::count_run_time() {
  if (!plan_.limits.run) return;
  const base::Duration limit = *plan_.limits.run;
  const base::Time now = clock_.now();
  ran_ += std::min<base::Duration>(now - ticked_, 1s);
  ticked_ = now;
  if (ran_ >= limit) {
    reporter_.error(fmt::format("limits.run of {} s is over", static_cast<double>(plan_.limits.run->count()) / 1000));
    return end(kExitTimeout, Manner::firm);
  }
  limit_ = clock_.after(std::min<base::Duration>(limit - ran_, 500ms), [this] { count_run_time(); });
}

void Head::job_up(JobIndex job) {
  if (phase_ > Phase::draining) return;
  for (Member& member : crew_.members()) {
    if (member.job == job && member.state == Member::State::waiting) start_member(member);
  }
}

void Head::start_member(Member& member) {
  member.restart.reset();
  member.state = Member::State::running;
  jobs_.send(member.job, {Type::start, member.id, 0, crew_.order(member).encode()});
  reporter_.detail(fmt::format("{} starts (attempt {})", member.name, member.attempt));
  if (crew_.is_worker(member)) {
    pool_->up(member.id);
  } else if (crew_.is_source(member)) {
    pool_->source_up(member.id);
  }
}

void Head::handle(JobIndex job, wire::Message message) {
  if (!crew_.holds(message.member)) return;
  Member& member = crew_.at(message.member);
  if (member.job != job) return;
  switch (message.type) {
    case Type::started:
      reporter_.event("member_started", {{"member", member.name},
                                         {"attempt", static_cast<std::int64_t>(member.attempt)},
                                         {"pid", static_cast<std::int64_t>(message.count)}});
      break;
    case Type::log:
      reporter_.output(member.name, member.id, message.payload.view());
      break;
    case Type::result:
      owed_result_ += message.payload.size();
      outside_.output(message.payload);
      output_room();
      break;
    case Type::input_wanted:
      console_ = member.id;
      outside_.want_input(agent::kCredit);
      break;
    case Type::input_used:
      console_open_ -= std::min<std::size_t>(console_open_, message.count);
      if (console_) outside_.want_input(agent::kCredit - console_open_);
      break;
    case Type::surplus:
      distrust(member, message.payload.view());
      break;
    case Type::gone:
      gone(member, agent::Gone::decode(message.payload.view()));
      break;
    default:
      if (!pool_) break;
      if (crew_.is_source(member)) {
        pool_->source_message(message);
      } else if (crew_.is_worker(member)) {
        if (message.type == Type::replies) member.vain = failed_starts_ = retries_asked_ = jobs_lost_ = 0;
        pool_->message(member.id, message);
      }
  }
  settle();
}

void Head::input(const base::Bytes& bytes) {
  if (console_) {
    console_open_ += bytes.size();
    jobs_.send(crew_.at(*console_).job, {Type::input, *console_, 0, bytes});
    outside_.want_input(console_open_ < agent::kCredit ? agent::kCredit - console_open_ : 0);
  } else if (pool_) {
    pool_->input(bytes);
    settle();
  }
}

void Head::input_ended() {
  if (console_) {
    jobs_.send(crew_.at(*console_).job, {Type::input, *console_, 0, {}});
  } else if (pool_) {
    pool_->input_ended();
    settle();
  }
}

void Head::output_room() {
  if (outside_.output_backlog() < Output::kFull && owed_result_ > 0) {
    const Member* master = nullptr;
    for (const Member& member : crew_.members()) {
      if (crew_.is_master(member)) master = &member;
    }
    if (master) tell(*master, Type::result_credit, static_cast<std::uint32_t>(owed_result_));
    owed_result_ = 0;
  }
  if (pool_ && !plan_.pool->from) pool_->output_room();
  settle();
  close();
}

void Head::output_broken() {
  wait_for_output_ = false;
  end(kExitSignalBase + SIGPIPE, Manner::firm);
  close();
}

/// Looks whether the run has come to its end, or somebody must be started again for what waits.
void Head::settle() {
  if (phase_ == Phase::draining && (!pool_ || pool_->pool().idle())) return end(code_, Manner::polite);
  if (phase_ != Phase::running) return;
  if (all_done()) {
    const bool failed = pool_ && pool_->pool().counts().failed > 0;
    return end(master_ ? master_->shell_code() : failed ? kExitFailed : kExitOk, Manner::polite);
  }
  if (pool_ && pool_->pool().starving()) revive();
}

bool Head::all_done() const {
  if (plan_.done_when == plan::DoneWhen::master && plan_.has_master()) return master_.has_value();
  if (pool_ && !pool_->finished()) return false;
  if (pool_ && !plan_.pool->from && outside_.output_backlog() > 0) return false;
  auto& members = const_cast<Crew&>(crew_).members();
  return std::all_of(members.begin(), members.end(), [this](const Member& member) {
    return crew_.is_worker(member) || member.state == Member::State::gone;
  });
}

void Head::interrupt(int signal) {
  if (phase_ >= Phase::ending) {
    if (signal == SIGINT || signal == SIGTERM) dismiss(Manner::at_once);
    return;
  }
  wait_for_output_ = false;
  const int code = kExitSignalBase + signal;
  if (signal == SIGINT && phase_ == Phase::running && pool_) {
    phase_ = Phase::draining;
    code_ = code;
    reporter_.notice(fmt::format("stopping: tasks that run may finish within {} s; Ctrl-C again kills them",
                                 plan_.limits.grace.count() / 1000.0));
    grace_ = clock_.after(plan_.limits.grace, [this] { end(code_, Manner::at_once); });
    pool_->drain();
    settle();
  } else {
    end(code, phase_ == Phase::draining ? Manner::at_once : Manner::firm);
  }
}

void Head::suspend(bool stop) {
  for (const Member& member : crew_.members()) {
    if (member.state == Member::State::running) {
      tell(member, Type::signal, static_cast<std::uint32_t>(stop ? SIGSTOP : SIGCONT));
    }
  }
}

}  // namespace fiber::head
