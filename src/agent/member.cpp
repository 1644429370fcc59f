#include "agent/member.hpp"

#include <csignal>

namespace fiber::agent {

using wire::Type;
using namespace std::chrono_literals;

namespace {

constexpr double kQuick = 0.010;     // seconds a record, below which the pipe may hold several
constexpr std::uint64_t kTrial = 3;  // first records, one at a time
constexpr auto kHungerNotice = 5s;   // waits in read so long before the first answer is missed
constexpr auto kHungerAgain = 10ms;
constexpr auto kClosedOutput = 2s;   // a program that closed its stdout may end by itself so long
constexpr std::size_t kShown = 200;  // bytes of an answer that cannot be trusted

channel::Reply unit_of(const Start& start) { return start.stdio == Stdio::worker ? start.reply : channel::Reply::one; }

}  // namespace

Member::Member(std::uint32_t id, Start start, base::Clock& clock, wire::Link& link, Spawner& spawner,
               std::function<void()> ended)
    : id_(id),
      start_(std::move(start)),
      clock_(clock),
      link_(link),
      ended_(std::move(ended)),
      scanner_(start_.framing, unit_of(start_)),
      splitter_(scanner_, start_.max_record),
      since_(clock.now()),
      credit_(kCredit),
      result_credit_(kCredit) {
  try {
    process_ = spawner.spawn(start_, *this);
  } catch (const Error& error) {
    Gone gone;
    gone.cannot_run = error.code();
    gone.message = error.what();
    send(Type::gone, 0, gone.encode());
    return;
  }
  feed_.emplace(start_.framing, *process_);
  if (start_.stdio == Stdio::source) feed_->set_eager(true);
  send(Type::started, static_cast<std::uint32_t>(process_->pid()));
}

void Member::send(Type type, std::uint32_t count, base::Bytes payload) {
  link_.send({type, id_, count, std::move(payload)});
  if (!paused_ && link_.backlog() >= wire::Link::kFull) pause(true);
}

void Member::handle(const wire::Message& message) {
  if (!process_) return;
  switch (message.type) {
    case Type::records:
      if (feed_->given() == answered_) since_ = clock_.now();
      feed_->push({message.payload, message.count});
      report_consumed();
      if (hungry_) check_hunger();
      break;
    case Type::take_back:
      send(Type::returned, feed_->take_back(message.count));
      break;
    case Type::end_input:
      feed_->end();
      break;
    case Type::signal:
      process_->kill(static_cast<int>(message.count));
      break;
    case Type::credit:
      credit_ += message.count;
      update_pause();
      break;
    case Type::result_credit:
      result_credit_ += message.count;
      update_pause();
      break;
    case Type::input:
      if (message.payload.empty()) {
        console_ended_ = true;
      } else {
        console_.push_back(message.payload);
      }
      feed_console();
      break;
    default:
      break;
  }
}

void Member::pause(bool paused) {
  paused_ = paused;
  update_pause();
}

void Member::update_pause() {
  if (!process_) return;
  process_->pause(paused_ || untrusted_ || (start_.stdio == Stdio::source && credit_ <= 0));
  process_->pause_result(paused_ || result_credit_ <= 0);
}

void Member::on_output(const base::Bytes& bytes) {
  if (!untrusted_) cuts(splitter_.feed(bytes));
}

void Member::cuts(const std::vector<channel::Cut>& cuts) {
  for (const channel::Cut& cut : cuts) {
    if (untrusted_) return;
    if (cut.oversize > 0) {
      if (start_.stdio == Stdio::worker) {
        if (feed_->given() == answered_) return surplus(scanner_.frame("(a long one)"));
        ++answered_;
        pace(1);
      }
      send(Type::oversize, 0, base::Bytes(std::to_string(cut.oversize)));
    } else if (start_.stdio == Stdio::worker) {
      answers(cut.batch);
    } else {
      source_records(cut.batch);
    }
  }
}

void Member::source_records(const channel::Batch& batch) {
  since_ = clock_.now();
  credit_ -= static_cast<std::int64_t>(batch.bytes.size());
  send(Type::records, batch.count, batch.bytes);
  update_pause();
}

void Member::answers(const channel::Batch& batch) {
  if (start_.envelope == channel::Envelope::none) {
    // Early on, and with slow programs, what was taken is known exactly; later it is what was given.
    const bool exact = answered_ < kTrial || service_ < 0 || service_ >= kQuick;
    const std::uint64_t owed = (exact ? feed_->taken() : feed_->given()) - answered_;
    if (batch.count > owed) return surplus(batch.bytes.view());
  }
  answered_ += batch.count;
  send(Type::replies, batch.count, batch.bytes);
  pace(batch.count);
}

/// More answers than questions: of these bytes nothing can be believed.
void Member::surplus(std::string_view bytes) {
  untrusted_ = true;
  const std::string_view first = scanner_.payload(bytes.substr(0, scanner_.unit_end(bytes, 0)));
  send(Type::surplus, 0, base::Bytes(std::string(first.substr(0, kShown))));
  update_pause();
}

/// Answers have come: measures the program's pace and lets the next records follow.
void Member::pace(std::uint32_t count) {
  const base::Time now = clock_.now();
  const double spent = std::chrono::duration<double>(now - since_).count() / count;
  service_ = service_ < 0 ? spent : (service_ + spent) / 2;
  since_ = now;
  feed_->set_eager(hungry_ || (answered_ >= kTrial && service_ < kQuick));
  feed_->answered(answered_);
}

void Member::report_consumed() {
  if (start_.stdio != Stdio::source || feed_->written() == consumed_) return;
  send(Type::consumed, static_cast<std::uint32_t>(feed_->written() - consumed_));
  consumed_ = feed_->written();
  since_ = clock_.now();
}

void Member::on_writable() {
  feed_->pump();
  report_consumed();
}

void Member::on_output_closed() {
  if (start_.stdio == Stdio::source) {
    cuts(splitter_.finish());
    send(Type::source_ended);
  }
  if (start_.stdio != Stdio::worker) return;
  closing_ = clock_.after(kClosedOutput, [this] {
    closed_output_ = true;
    process_->kill(SIGKILL);
  });
}

void Member::on_log(const base::Bytes& bytes) { send(Type::log, 0, bytes); }

void Member::on_result(const base::Bytes& bytes) {
  result_credit_ -= static_cast<std::int64_t>(bytes.size());
  send(Type::result, 0, bytes);
  update_pause();
}

void Member::on_input_wanted() { send(Type::input_wanted); }
void Member::on_input_writable() { feed_console(); }

void Member::feed_console() {
  std::uint32_t used = 0;
  while (!console_.empty()) {
    const std::size_t took = process_->write_console(console_.front().view());
    used += static_cast<std::uint32_t>(took);
    console_.front() = console_.front().slice(took);
    if (!console_.front().empty()) break;
    console_.pop_front();
  }
  if (console_.empty() && std::exchange(console_ended_, false)) process_->close_console();
  if (used > 0) send(Type::input_used, used);
}

void Member::look(base::Time now) {
  if (!process_ || now - since_ < kHungerNotice) return;
  if (start_.stdio == Stdio::worker && owes()) {
    asked_at_ = ~0ULL;  // ask again, though nothing has come since
    check_hunger();
  }
  if (start_.stdio == Stdio::source && feed_->empty_pipe() && process_->asking()) send(Type::hungry);
}

/// Has records unanswered, as far as is known here: with an envelope the head alone can tell answers from noise.
bool Member::owes() const { return start_.envelope == channel::Envelope::id || feed_->given() > answered_; }

/// Tells the head when the program sits in read, has an unanswered record and nothing more to read.
void Member::check_hunger() {
  hunger_.reset();
  if (!process_ || !owes() || feed_->written() == asked_at_) return;
  if (feed_->empty_pipe() && process_->asking()) {
    hungry_ = true;
    asked_at_ = feed_->written();
    send(Type::hungry);
    feed_->set_eager(true);
    return;
  }
  if (hungry_) hunger_ = clock_.after(kHungerAgain, [this] { check_hunger(); });
}

void Member::on_exit(base::ExitStatus status) {
  closing_.reset();
  hunger_.reset();
  // What a program left unended counts if it ended well; half an answer of one that died does not.
  if (status.ok() && !untrusted_) cuts(splitter_.finish());
  Gone gone;
  gone.status = status;
  gone.taken = start_.stdio == Stdio::worker ? feed_->taken() : 0;
  gone.closed_output = closed_output_;
  feed_.reset();
  process_.reset();
  send(Type::gone, 0, gone.encode());
  ended_();
}

}  // namespace fiber::agent
