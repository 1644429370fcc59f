#include "head/pool_host.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "agent/member.hpp"

namespace fiber::head {

using wire::Type;

namespace {

constexpr std::size_t kMemory = 64u << 20;            // bytes of records, and of answers, before they go to disk
constexpr std::uint64_t kReadAhead = 64u << 10;       // records of stdin beyond the oldest unanswered one
constexpr std::uint64_t kReadAheadBytes = 64u << 20;  // ... and bytes
constexpr std::size_t kForward = 256u << 10;          // bytes of answers sent on at a time

channel::PoolRules rules_of(const plan::Plan& plan) {
  channel::PoolRules rules;
  rules.framing = plan.pool->framing;
  rules.reply = plan.pool->reply;
  rules.envelope = plan.pool->envelope;
  rules.order = plan.pool->order;
  rules.max_record = plan.pool->max_record;
  rules.worker_lost = plan.retry.worker_lost;
  rules.task_error = plan.retry.task_error;
  rules.skip_failed = plan.on_task_failure == plan::OnTaskFailure::skip;
  rules.memory = kMemory;
  return rules;
}

}  // namespace

PoolHost::PoolHost(const plan::Plan& plan, base::Clock& clock, channel::Spill& spill, Reporter& reporter,
                   Outside outside)
    : plan_(plan),
      clock_(clock),
      reporter_(reporter),
      outside_(std::move(outside)),
      splitter_(channel::Scanner(plan.pool->framing), plan.pool->max_record),
      to_source_(channel::Scanner(plan.pool->framing, plan.pool->reply), spill, kMemory),
      pool_(rules_of(plan), spill, *this) {}

void PoolHost::source_up(std::uint32_t member) {
  source_ = member;
  forward();
}

void PoolHost::source_message(const wire::Message& message) {
  switch (message.type) {
    case Type::records:
      owed_credit_ += message.payload.size();
      pool_.input({message.payload, message.count}, clock_.now());
      break;
    case Type::oversize:
      pool_.input_oversize(std::stoull(std::string(message.payload.view())), clock_.now());
      break;
    case Type::consumed:
      in_flight_ -= message.count;
      break;
    case Type::hungry:
      tell_open_source();
      break;
    case Type::source_ended:
      source_ended_ = true;
      pool_.input_ended(clock_.now());
      break;
    default:
      return;
  }
  after_event();
}

void PoolHost::source_gone() {
  source_.reset();
  if (!source_ended_) pool_.input_ended(clock_.now());
  source_ended_ = true;
  set_timer();
}

void PoolHost::input(const base::Bytes& bytes) {
  cuts(splitter_.feed(bytes));
  after_event();
}

void PoolHost::input_ended() {
  const std::size_t torn = splitter_.pending();
  const std::vector<channel::Cut> last = splitter_.finish();
  cuts(last);
  if (torn > 0 && last.empty()) pool_.input_torn(torn, clock_.now());
  source_ended_ = true;
  pool_.input_ended(clock_.now());
  after_event();
}

void PoolHost::cuts(const std::vector<channel::Cut>& cuts) {
  for (const channel::Cut& cut : cuts) {
    if (cut.oversize > 0) {
      pool_.input_oversize(cut.oversize, clock_.now());
    } else {
      pool_.input(cut.batch, clock_.now());
    }
  }
}

void PoolHost::message(std::uint32_t member, const wire::Message& message) {
  switch (message.type) {
    case Type::replies:
      pool_.replies(member, {message.payload, message.count}, clock_.now());
      break;
    case Type::oversize:
      pool_.reply_oversize(member, std::stoull(std::string(message.payload.view())), clock_.now());
      break;
    case Type::returned:
      pool_.returned(member, message.count, clock_.now());
      break;
    case Type::hungry:
      tell_hungry(member);
      pool_.hungry(member, clock_.now());
      break;
    default:
      return;
  }
  after_event();
}

std::optional<std::uint64_t> PoolHost::lost(std::uint32_t member, const channel::Loss& loss) {
  auto blamed = pool_.lost(member, loss, clock_.now());
  after_event();
  return blamed;
}

void PoolHost::give(channel::MemberId member, const channel::Batch& batch) {
  outside_.send(member, {Type::records, member, batch.count, batch.bytes});
}

void PoolHost::take_back(channel::MemberId member, std::uint32_t most) {
  outside_.send(member, {Type::take_back, member, most, {}});
}

void PoolHost::end_input(channel::MemberId member) { outside_.send(member, {Type::end_input, member, 0, {}}); }

void PoolHost::deliver(const base::Bytes& answers, std::uint32_t count) {
  delivered_ += count;
  if (answers.empty()) return;
  if (!plan_.pool->from && to_source_.empty() && outside_.output_backlog() < Output::kFull) {
    outside_.output(answers);
  } else {
    to_source_.push({answers, count});
  }
}

void PoolHost::failed(std::uint64_t record, const std::string& json) {
  reporter_.event("task_failed", {{"record", static_cast<std::int64_t>(record)}, {"reason", json}});
  const std::string text = fmt::format("record {} failed: {}", record, json);
  if (std::exchange(told_failed_, true)) {
    reporter_.detail(text);
  } else {
    reporter_.notice(text);
  }
  if (plan_.on_task_failure == plan::OnTaskFailure::abort) {
    clock_.post([this, text] { outside_.abort(text); });
  }
}

void PoolHost::retried(std::uint64_t record) {
  reporter_.event("task_retried", {{"record", static_cast<std::int64_t>(record)}});
}

void PoolHost::stray(channel::MemberId member, std::string_view text) {
  const std::string name = outside_.name(member);
  if (!std::exchange(told_stray_, true)) {
    reporter_.notice(fmt::format(
        "{} writes to stdout what is no answer, it goes to the log; with `envelope: id` an answer begins with its "
        "record's number and a tab",
        name));
  }
  reporter_.output(name, member, std::string(text) + "\n");
}

void PoolHost::after_event() {
  forward();
  grant();
  set_timer();
}

/// Answers go on as their destination takes them.
void PoolHost::forward() {
  if (!plan_.pool->from) {
    while (!to_source_.empty() && outside_.output_backlog() < Output::kFull) {
      outside_.output(to_source_.pop(~0U, kForward).batch.bytes);
    }
    return;
  }
  while (source_ && !to_source_.empty() && in_flight_ < agent::kCredit) {
    channel::Batch batch = to_source_.pop(~0U, kForward).batch;
    in_flight_ += static_cast<std::int64_t>(batch.bytes.size());
    outside_.send(*source_, {Type::records, *source_, batch.count, batch.bytes});
  }
  if (source_ && source_ended_ && !end_told_ && finished()) {
    end_told_ = true;
    outside_.send(*source_, {Type::end_input, *source_, 0, {}});
  }
}

/// Lets the source go on, as far as there is room.
void PoolHost::grant() {
  pool_.hold(to_source_.full(), clock_.now());
  const bool full = pool_.input_full() || to_source_.full();
  if (full && !std::exchange(told_full_, true)) {
    reporter_.notice("records wait on disk up to limits.spill; the source is held back until some are answered");
  }
  if (plan_.pool->from) {
    if (full || !source_ || owed_credit_ == 0) return;
    outside_.send(*source_, {Type::credit, *source_, static_cast<std::uint32_t>(owed_credit_), {}});
    owed_credit_ = 0;
    return;
  }
  const std::uint64_t open = pool_.open_records();
  const bool room = !full && !source_ended_ && open < kReadAhead && pool_.open_bytes() < kReadAheadBytes &&
                    to_source_.bytes() < kMemory;
  outside_.want_input(room ? kReadAhead - open : 0);
}

void PoolHost::set_timer() {
  auto next = pool_.next_tick();
  if (!next || tick_) return;
  tick_ = clock_.after(*next - clock_.now(), [this] {
    tick_.reset();
    pool_.tick(clock_.now());
    after_event();
  });
}

/// The source waits for more, and there is nothing more: only the end of its output would let the run go on.
void PoolHost::tell_open_source() {
  if (source_ended_ || pool_.open_records() > 0 || !to_source_.empty() || in_flight_ > 0) return;
  if (std::exchange(told_open_, true)) return;
  reporter_.notice(
      fmt::format("{} has all its replies and waits for more input. It gets end of file once it has closed its stdout: "
                  "descriptor 1 itself (in Python os.close(1)), also in a shell around it (`exec` the program)",
                  outside_.name(*source_)));
}

void PoolHost::tell_hungry(std::uint32_t member) {
  if (std::exchange(told_hungry_, true)) return;
  reporter_.notice(fmt::format(
      "{} has taken a record, answered nothing for 5 s and waits for more input. Either its output is buffered "
      "until the end: it should flush after each answer (`python3 -u`, `sed -u`, `grep --line-buffered`, "
      "`stdbuf -oL`). Or it left out an answer: every record needs exactly one",
      outside_.name(member)));
}

}  // namespace fiber::head
