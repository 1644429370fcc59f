#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "channel/pool.hpp"
#include "head/reporter.hpp"
#include "head/spill_file.hpp"
#include "head/stdio.hpp"
#include "plan/plan.hpp"
#include "wire/message.hpp"

namespace fiber::head {

/// Runs the pool of a plan: its source is one member or fiber's own stdin, its answers go back there.
class PoolHost final : private channel::PoolActions {
 public:
  struct Outside {
    std::function<void(std::uint32_t member, wire::Message)> send;  ///< to a member's agent
    std::function<std::string(std::uint32_t member)> name;
    std::function<void(std::size_t bytes)> want_input;  ///< fiber's own stdin may be read so far
    std::function<void(const base::Bytes&)> output;     ///< to fiber's own stdout
    std::function<std::size_t()> output_backlog;
    std::function<void(const std::string& why)> abort;  ///< the run cannot go on
  };

  PoolHost(const plan::Plan& plan, base::Clock& clock, channel::Spill& spill, Reporter& reporter, Outside outside);

  // The source.
  void source_up(std::uint32_t member);
  void source_message(const wire::Message& message);
  void source_gone();
  void input(const base::Bytes& bytes);
  void input_ended();
  void output_room() { after_event(); }

  // Members.
  void up(std::uint32_t member) {
    pool_.up(member, clock_.now());
    after_event();
  }
  void message(std::uint32_t member, const wire::Message& message);
  std::optional<std::uint64_t> lost(std::uint32_t member, const channel::Loss& loss);
  void drain() {
    pool_.drain(clock_.now());
    after_event();
  }

  /// Answers that were sent on, error records and left out ones included.
  std::uint64_t delivered() const { return delivered_; }
  channel::Pool& pool() { return pool_; }
  /// All is answered and has left for its destination.
  bool finished() const { return pool_.finished() && to_source_.empty(); }

 private:
  void give(channel::MemberId member, const channel::Batch& batch) override;
  void take_back(channel::MemberId member, std::uint32_t most) override;
  void end_input(channel::MemberId member) override;
  void deliver(const base::Bytes& answers, std::uint32_t count) override;
  void failed(std::uint64_t record, const std::string& json) override;
  void retried(std::uint64_t record) override;
  void stray(channel::MemberId member, std::string_view text) override;

  void cuts(const std::vector<channel::Cut>& cuts);
  void after_event();
  void forward();
  void grant();
  void set_timer();
  void tell_open_source();
  void tell_hungry(std::uint32_t member);

  const plan::Plan& plan_;
  base::Clock& clock_;
  Reporter& reporter_;
  Outside outside_;
  channel::Splitter splitter_;      // of fiber's own stdin
  channel::RecordQueue to_source_;  // answers that the destination has no room for
  channel::Pool pool_;
  std::optional<std::uint32_t> source_;
  std::int64_t in_flight_ = 0;     // bytes of answers sent to the source and not consumed
  std::uint64_t owed_credit_ = 0;  // bytes received from the source and not granted again
  std::uint64_t delivered_ = 0;
  bool source_ended_ = false, end_told_ = false;
  bool told_hungry_ = false, told_stray_ = false, told_full_ = false, told_open_ = false, told_failed_ = false;
  base::Timer tick_;
};

}  // namespace fiber::head
