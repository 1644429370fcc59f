#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "agent/feed.hpp"
#include "agent/orders.hpp"
#include "agent/process.hpp"
#include "base/clock.hpp"
#include "wire/link.hpp"

namespace fiber::agent {

/// One member in this job: its program, what goes into it and what comes out, told to the head as messages.
class Member final : private ProcessEvents {
 public:
  /// Starts the program. If it cannot be executed, `gone` is sent at once.
  Member(std::uint32_t id, Start start, base::Clock& clock, wire::Link& link, Spawner& spawner,
         std::function<void()> ended);

  /// A message for this member.
  void handle(const wire::Message& message);
  /// The link is full, or has room again.
  void pause(bool paused);
  /// To be called about once a second: looks whether the program waits for more.
  void look(base::Time now);
  void kill(int signal) {
    if (process_) process_->kill(signal);
  }
  bool alive() const { return process_ != nullptr; }
  const std::string& scratch() const { return start_.scratch; }

 private:
  void on_output(const base::Bytes& bytes) override;
  void on_output_closed() override;
  void on_log(const base::Bytes& bytes) override;
  void on_result(const base::Bytes& bytes) override;
  void on_writable() override;
  void on_input_wanted() override;
  void on_input_writable() override;
  void on_exit(base::ExitStatus status) override;

  void send(wire::Type type, std::uint32_t count = 0, base::Bytes payload = {});
  void cuts(const std::vector<channel::Cut>& cuts);
  void answers(const channel::Batch& batch);
  void source_records(const channel::Batch& batch);
  void surplus(std::string_view bytes);
  void pace(std::uint32_t count);
  void report_consumed();
  void feed_console();
  bool owes() const;
  void check_hunger();
  void update_pause();

  std::uint32_t id_;
  Start start_;
  base::Clock& clock_;
  wire::Link& link_;
  std::function<void()> ended_;
  channel::Scanner scanner_;
  channel::Splitter splitter_;
  std::unique_ptr<Process> process_;
  std::optional<Feed> feed_;

  std::uint64_t answered_ = 0;
  base::Time since_;                // of the last answer or of the first record after idling
  double service_ = -1;             // seconds a record
  bool hungry_ = false;             // has asked for more since its start
  std::uint64_t asked_at_ = ~0ULL;  // bytes written when it last asked
  base::Timer hunger_;
  bool untrusted_ = false;  // a surplus was told; what follows is not read

  std::int64_t credit_ = 0;     // bytes that a source may send
  std::int64_t result_credit_;  // bytes of result that may be sent
  std::uint64_t consumed_ = 0;  // bytes of answers written and told
  bool paused_ = false;
  std::deque<base::Bytes> console_;
  bool console_ended_ = false;
  bool closed_output_ = false;
  base::Timer closing_;
};

/// Bytes of result, of source records and of answers that may be under way unacknowledged.
inline constexpr std::int64_t kCredit = 4 << 20;

}  // namespace fiber::agent
