#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "base/error.hpp"
#include "head/head.hpp"

namespace fiber::head {

using wire::Type;
using namespace std::chrono_literals;

namespace {

constexpr unsigned kFailedStarts = 5;   // in a row over the role, without an answer
constexpr unsigned kRetriesAsked = 20;  // exits that ask for another try, in a row
constexpr unsigned kLostJobs = 20;      // in a row, without an answer
constexpr auto kJobsEnd = 3s;
constexpr auto kLastWord = 1s;  // from SIGKILL to the end of the jobs themselves

bool asks_for_retry(const plan::Plan& plan, const agent::Gone& end) {
  const auto& codes = plan.retry.on_exit;
  return end.status.signal == 0 && end.status.code != 0 &&
         std::find(codes.begin(), codes.end(), end.status.code) != codes.end();
}

std::string reason(const agent::Gone& end) {
  if (end.cannot_run != 0) return end.message;
  if (end.closed_output) return "closed its stdout and went on";
  return describe(end.status);
}

/// 10000 as 10,000.
std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t left = digits.size(); left > 0; --left) {
    text += digits[digits.size() - left];
    if (left % 3 == 1 && left > 1) text += ',';
  }
  return text;
}

}  // namespace

void Head::tell(const Member& member, Type type, std::uint32_t count) {
  jobs_.send(member.job, {type, member.id, count, {}});
}

void Head::gone(Member& member, const agent::Gone& end) {
  if (member.state != Member::State::running) return;
  member.state = Member::State::gone;
  reporter_.output_ended(member.name, member.id);
  reporter_.event("member_ended", {{"member", member.name},
                                   {"attempt", static_cast<std::int64_t>(member.attempt)},
                                   {"exit", static_cast<std::int64_t>(end.status.code)},
                                   {"signal", static_cast<std::int64_t>(end.status.signal)},
                                   {"reason", reason(end)}});
  reporter_.detail(fmt::format("{} ended: {}", member.name, reason(end)));
  if (console_ == member.id) {
    console_.reset();
    outside_.want_input(0);
  }
  if (crew_.is_worker(member)) {
    worker_gone(member, end);
  } else {
    if (crew_.is_source(member)) pool_->source_gone();
    if (crew_.is_master(member)) {
      master_gone(member, end);
    } else if (phase_ == Phase::running && (!end.status.ok() || end.cannot_run != 0)) {
      abort(fmt::format("{}: {}", member.name, reason(end)), end.cannot_run != 0 ? end.cannot_run : kExitFailed);
    }
  }
  finish_if_empty();
}

void Head::master_gone(const Member& member, const agent::Gone& end) {
  master_ = end.status;
  if (phase_ != Phase::running) return;
  if (end.cannot_run != 0) return abort(fmt::format("{}: {}", member.name, end.message), end.cannot_run);
  if (!end.status.ok()) reporter_.error(fmt::format("{} ended: {}", member.name, reason(end)));
}

void Head::worker_gone(Member& member, const agent::Gone& how) {
  agent::Gone end = how;
  const bool shell_failed = how.status.code == kExitCannotRun || how.status.code == kExitNotFound;
  if (member.role->run.shell && shell_failed && how.taken == 0) {
    end.cannot_run = how.status.code;
    end.message = fmt::format("its shell could not execute the command (exit {})", how.status.code);
  }
  channel::Loss loss;
  loss.taken = end.taken;
  loss.code = end.status.code;
  loss.signal = end.status.signal;
  if (asks_for_retry(plan_, end)) {
    loss.kind = channel::Loss::Kind::retry;
    loss.backoff = crew_.backoff(1 + retries_asked_);
  } else if (end.closed_output || (end.status.signal == 0 && end.status.code != 0)) {
    loss.kind = channel::Loss::Kind::task_error;
  }
  const bool closed = pool_->pool().was_closed(member.id);
  const bool answered = pool_->pool().answered(member.id) > 0;
  const std::uint64_t first = pool_->pool().first_given(member.id);
  const auto blamed = pool_->lost(member.id, loss);
  if (phase_ != Phase::running) return;
  if (blamed) {
    reporter_.event("task_lost", {{"record", static_cast<std::int64_t>(*blamed)}, {"member", member.name}});
    reporter_.notice(fmt::format("{} ended ({}) with record {} unanswered", member.name, reason(end), *blamed));
    if (closed && end.status.ok() && answered && plan_.pool->envelope == channel::Envelope::none) {
      // This is how it shows that a program leaves out answers: those that follow are shifted.
      reporter_.error(
          fmt::format("{} has read all its input, ended well and owes an answer. If it leaves out answers, those "
                      "that it gave after record {} belong to other records: every record needs exactly one reply "
                      "(`envelope: id` makes sure)",
                      member.name, first));
    }
    if (loss.kind == channel::Loss::Kind::retry && ++retries_asked_ >= kRetriesAsked) {
      return abort(fmt::format("{} exits in a row asked for another try (exit {}), without one answer", retries_asked_,
                               end.status.code),
                   kExitFailed);
    }
  } else if (closed && end.cannot_run == 0) {
    if (!end.status.ok())
      reporter_.notice(fmt::format("{} had answered everything and ended with {}", member.name, reason(end)));
    if (pool_->pool().wants_members()) replace(member, base::Duration::zero());
    return;
  } else if (end.taken == 0) {
    return failed_start(member, end);
  }
  if (!pool_->pool().wants_members()) return;
  replace(member, loss.kind == channel::Loss::Kind::retry ? loss.backoff : crew_.backoff(answered ? 0 : member.vain));
}

void Head::failed_start(Member& member, const agent::Gone& end) {
  if (++failed_starts_ < kFailedStarts) {
    // A program that cannot be executed is not helped by waiting.
    return replace(member, end.cannot_run != 0 ? base::Duration::zero() : crew_.backoff(member.vain));
  }
  if (end.cannot_run != 0) return abort(fmt::format("{}: {}", member.name, end.message), end.cannot_run);
  abort(fmt::format("{} ended ({}) before it took a record; so did the {} starts before it", member.name, reason(end),
                    kFailedStarts - 1),
        kExitFailed);
}

void Head::replace(Member& member, base::Duration wait) {
  ++member.attempt;
  ++member.vain;
  member.state = Member::State::restarting;
  member.restart = clock_.after(wait, [this, &member] {
    if (phase_ != Phase::running) return;
    if (jobs_.up(member.job)) {
      start_member(member);
    } else {
      member.state = Member::State::waiting;
    }
  });
}

/// Records wait, and all members have been told that nothing more will come: somebody must start again.
void Head::revive() {
  for (const Member& member : crew_.members()) {
    if (!crew_.is_worker(member)) continue;
    if (member.state == Member::State::waiting || member.state == Member::State::restarting) return;
  }
  for (Member& member : crew_.members()) {
    if (crew_.is_worker(member) && member.state == Member::State::gone) return replace(member, base::Duration::zero());
  }
}

void Head::job_lost(JobIndex job, const std::string& why) {
  if (phase_ >= Phase::closing) return;
  const bool ending = phase_ != Phase::running;
  if (!ending) reporter_.notice(fmt::format("job {} is lost ({})", crew_.jobs()[job], why));
  bool needed = false;
  for (Member& member : crew_.members()) {
    if (member.job != job) continue;
    const bool ran = std::exchange(member.state, Member::State::gone) == Member::State::running;
    reporter_.output_ended(member.name, member.id);
    if (ending) {
      if (ran && crew_.is_worker(member)) pool_->lost(member.id, {});
      continue;
    }
    if (!crew_.is_worker(member)) return abort(fmt::format("the job of {} is lost ({})", member.name, why), kExitFiber);
    // What it had taken is not known; it is safe to say that it had begun its first record.
    channel::Loss loss;
    loss.taken = pool_->pool().answered(member.id) + 1;
    loss.signal = SIGKILL;
    if (ran) pool_->lost(member.id, loss);
    ++member.attempt;
    member.state = Member::State::waiting;
    needed = true;
  }
  if (needed && ++jobs_lost_ > kLostJobs) return abort("jobs are lost again and again, without one answer", kExitFiber);
  if (needed) {
    const auto fresh = static_cast<JobIndex>(std::max<std::size_t>(crew_.jobs().size(), job + 1));
    jobs_.create({crew_.rename_job(job, fresh)});
  }
  finish_if_empty();
}

/// A member has written more answers than it took records. This may come to light when all seems to be answered.
void Head::distrust(const Member& member, std::string_view surplus) {
  const std::uint64_t first = pool_->pool().first_given(member.id);
  if (first == 0 && (phase_ >= Phase::ending || pool_->pool().was_closed(member.id))) {
    // It never had a record and will never have one: there is no answer that could be shifted.
    reporter_.notice(
        fmt::format("{} had no record and wrote \"{}\" at the end of its input; it is left out", member.name, surplus));
    return;
  }
  const std::string which = first > 0 ? fmt::format("its answers to record {} and later ones", first) : "its answers";
  const std::string why = fmt::format(
      "{} has written more answers than it took records: {} cannot be trusted. Too much is: \"{}\". Does the program "
      "print "
      "other things to stdout? They belong on stderr (or use `envelope: id`)",
      member.name, which, surplus);
  if (phase_ <= Phase::draining) return abort(why, kExitFiber);
  reporter_.error(why);
  code_ = kExitFiber;
}

void Head::abort(const std::string& why, int code) {
  if (phase_ > Phase::draining) return;
  reporter_.error(why);
  end(code, Manner::firm);
}

/// The run is over, one way or another: everybody is sent home.
void Head::end(int code, Manner manner) {
  if (phase_ > Phase::draining) {
    if (manner == Manner::at_once) dismiss(manner);
    return;
  }
  cut_short_ = phase_ == Phase::draining || manner != Manner::polite;
  phase_ = Phase::ending;
  code_ = code;
  limit_.reset();
  outside_.want_input(0);
  if (pool_) pool_->drain();
  for (Member& member : crew_.members()) member.restart.reset();
  dismiss(manner);
  finish_if_empty();
}

void Head::dismiss(Manner manner) {
  for (const Member& member : crew_.members()) {
    if (member.state != Member::State::running) continue;
    const bool waits = pool_ && crew_.is_worker(member) && pool_->pool().outstanding(member.id) == 0;
    if (manner == Manner::at_once) {
      tell(member, Type::signal, SIGKILL);
    } else if (manner == Manner::polite && waits) {
      tell(member, Type::end_input);
    } else {
      tell(member, Type::signal, SIGTERM);
      tell(member, Type::signal, SIGCONT);
    }
  }
  if (!leave_by_) {
    // Nobody reads what is still computed once stdout is closed.
    const bool unread = code_ == kExitSignalBase + SIGPIPE;
    leave_by_ = clock_.now() + (unread ? base::Duration(500ms) : base::Duration(plan_.limits.grace));
  }
  const base::Duration left = *leave_by_ - clock_.now();
  if (manner == Manner::at_once) {
    grace_ = clock_.after(kLastWord, [this] { jobs_.end_all(base::Duration::zero()); });
  } else if (manner == Manner::polite) {
    // Who has been told the end of its input ends by itself, and all it still writes is looked at.
    grace_ = clock_.after(left / 2, [this] { dismiss(Manner::firm); });
  } else {
    grace_ = clock_.after(left, [this] { dismiss(Manner::at_once); });
  }
}

void Head::finish_if_empty() {
  if (phase_ != Phase::ending || crew_.any_running()) return;
  phase_ = Phase::closing;
  grace_.reset();
  jobs_.end_all(kJobsEnd);
}

/// Jobs are gone and stdout has taken what it will take: done.
void Head::close() {
  if (phase_ != Phase::closing || !jobs_ended_) return;
  if (wait_for_output_ && outside_.output_backlog() > 0) return;
  phase_ = Phase::done;
  summarize();
  reporter_.event("end", {{"status", code_ == 0 ? "ok" : "failed"}, {"code", static_cast<std::int64_t>(code_)}});
  outside_.done(code_);
}

/// What the books prove. Both numbers come from the ends of the path: what was read in, what was sent on.
void Head::summarize() {
  if (!pool_) return;
  const channel::PoolCounts& counts = pool_->pool().counts();
  const std::uint64_t sent = pool_->delivered();
  const std::uint64_t missing = counts.in > sent ? counts.in - sent : 0;
  std::string text = fmt::format("{} in, {} answered, {} {}, {} doubled, {} retried", grouped(counts.in), grouped(sent),
                                 grouped(missing), cut_short_ ? "not answered" : "lost",
                                 grouped(sent > counts.in ? sent - counts.in : 0), grouped(counts.retried));
  if (counts.failed > 0) text += fmt::format(", {} failed", grouped(counts.failed));
  reporter_.summary(text);
}

}  // namespace fiber::head
