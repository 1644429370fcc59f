#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "channel/ledger.hpp"
#include "channel/record_queue.hpp"

namespace fiber::channel {

/// How a pool behaves; see the job spec for the meaning of each.
struct PoolRules {
  Framing framing = Framing::lines;
  Reply reply = Reply::one;
  Envelope envelope = Envelope::none;
  Order order = Order::input;
  std::uint64_t max_record = 64u << 20;
  unsigned worker_lost = 3, task_error = 0;  ///< further tries
  bool skip_failed = false;                  ///< a record that failed for good is left out, not answered
  std::size_t memory = 64u << 20;            ///< bytes held of the input, and of answers, before spilling
};

/// How a member of the pool ended, in the pool's terms.
struct Loss {
  enum class Kind { worker_lost, task_error, retry } kind = Kind::worker_lost;
  std::uint64_t taken = 0;  ///< records it had taken since its start
  int code = 0, signal = 0;
  base::Duration backoff{};  ///< for `retry`: how long the record waits
};

/// What the pool wants done. Called from inside the pool's own calls: must not call back into it.
class PoolActions {
 public:
  virtual ~PoolActions() = default;
  virtual void give(MemberId member, const Batch& batch) = 0;
  virtual void take_back(MemberId member, std::uint32_t most) = 0;
  virtual void end_input(MemberId member) = 0;
  /// Answers in their framing, in the order promised.
  virtual void deliver(const base::Bytes& answers, std::uint32_t count) = 0;
  /// A record has failed for good; `json` is what stands in its place.
  virtual void failed(std::uint64_t record, const std::string& json) = 0;
  /// A record was given up by one member and waits for another.
  virtual void retried(std::uint64_t record) = 0;
  /// Output that belongs to no record (envelope: id).
  virtual void stray(MemberId member, std::string_view text) = 0;
};

struct PoolCounts {
  std::uint64_t in = 0, answered = 0, failed = 0, retried = 0;
};

/// The pool: who owes which record. Every record gets exactly one answer. Pure: no I/O, no clock of its own.
class Pool {
 public:
  Pool(PoolRules rules, Spill& spill, PoolActions& actions);

  // Input.
  void input(const Batch& batch, base::Time now);
  void input_oversize(std::uint64_t size, base::Time now);
  /// The input has ended inside a record, of which so many bytes came.
  void input_torn(std::uint64_t size, base::Time now);
  void input_ended(base::Time now);

  // Members. A member is up from its start to `lost` or `down`; then it may come up again.
  void up(MemberId member, base::Time now);
  /// Its process has ended. Returns the number of the record it is blamed for, if it left one unanswered.
  std::optional<std::uint64_t> lost(MemberId member, const Loss& loss, base::Time now);
  void replies(MemberId member, const Batch& answers, base::Time now);
  /// Its next answer was over the limit.
  void reply_oversize(MemberId member, std::uint64_t size, base::Time now);
  void returned(MemberId member, std::uint32_t count, base::Time now);
  void hungry(MemberId member, base::Time now);

  /// Nothing more is handed out, what was not taken comes back (the run is being drained).
  void drain(base::Time now);

  /// Nothing is handed out while answers have nowhere to go.
  void hold(bool on, base::Time now);

  /// Time at which `tick` has something to do.
  std::optional<base::Time> next_tick() const;
  void tick(base::Time now);

  bool finished() const { return input_ended_ && queue_.empty() && ledger_.empty(); }
  bool idle() const;      ///< no member has a record
  bool starving() const;  ///< records wait and no member can take one
  /// A member that ends now should be replaced: there is work, or there may be.
  bool wants_members() const { return !draining_ && (!input_ended_ || anything_waiting() || !delayed_.empty()); }
  std::uint64_t answered(MemberId member) const;  ///< since its start
  bool input_full() const { return queue_.full() || ledger_.full(); }
  /// Records taken in and not delivered, and their bytes.
  std::uint64_t open_records() const { return queue_.records() + ledger_.open_records(); }
  std::uint64_t open_bytes() const { return queue_.bytes() + ledger_.open_bytes(); }
  std::uint32_t outstanding(MemberId member) const;
  bool was_closed(MemberId member) const;  ///< it was told the end of its input
  /// The first record that it was given since its start: if it has written too much, no answer from here on is sure.
  std::uint64_t first_given(MemberId member) const;
  const PoolCounts& counts() const { return counts_; }

 private:
  struct Member {
    bool up = false, closed = false, taking_back = false, stuck = false;
    std::deque<std::uint64_t> chunks;              // given and not answered, oldest first
    std::map<std::uint64_t, std::uint64_t> given;  // envelope: record -> how many were given before
    std::uint32_t outstanding = 0;
    std::uint64_t first = 0;  // the first record given
    std::size_t bytes = 0;    // of what is outstanding
    std::uint64_t total_given = 0, answered = 0;
    bool solo = false;        // has a record that must be alone
    std::uint32_t extra = 0;  // window of a member that asks for more before it answers
    base::Time since{};       // of the last answer, or of the first record given after idling
    double service = -1;      // seconds a record, mean; < 0: not known
  };

  // pool.cpp: answers and losses
  void accept(MemberId id, Member& member, const Batch& answers, base::Time now);
  void accept_marked(Member& member, const Batch& answers);
  void accept_enveloped(MemberId id, Member& member, const Batch& answers);
  void answer_next(Member& member, const base::Bytes& bytes, std::uint32_t count);
  std::uint64_t isolate_next(Member& member);
  void release(Member& member, std::uint64_t key);
  void task_error(std::uint64_t key, std::optional<std::string> reply, const std::string& json);
  void give_up(std::uint64_t key, const std::string& json, std::optional<std::string> reply);
  void wait_again(std::uint64_t key);
  std::vector<std::uint64_t> orphans(Member& member, std::uint64_t taken, std::size_t* taken_count);
  std::optional<std::uint64_t> blame(std::vector<std::uint64_t>& keys, std::size_t taken, const Loss& loss,
                                     base::Time now);
  std::string error_json(const char* error, std::uint64_t record, const std::string& detail) const;

  // pool_windows.cpp: hand-out
  void hand_out(base::Time now);
  bool anything_waiting() const { return !draining_ && (!waiting_.empty() || !queue_.empty()); }
  std::uint64_t waiting_count() const { return queue_.records() + waiting_records_; }
  std::uint32_t window(const Member& member) const;
  std::uint32_t fair_share(std::uint32_t least) const;
  void fill(MemberId id, Member& member, std::uint32_t target, base::Time now);
  std::optional<std::uint64_t> next_chunk(std::uint32_t most, std::size_t bytes, bool busy);
  void hand(MemberId id, Member& member, std::uint64_t key, base::Time now);
  Batch enveloped(std::uint64_t key) const;
  void recall();
  void end_inputs();
  void classify(MemberId id, Member& member);

  PoolRules rules_;
  Scanner records_, answers_;
  PoolActions& actions_;
  RecordQueue queue_;  // not yet numbered or handed out
  mutable Ledger ledger_;
  std::map<MemberId, Member> members_;
  std::set<std::uint64_t> waiting_;  // chunks that came back
  std::uint64_t waiting_records_ = 0;
  std::multimap<base::Time, std::uint64_t> delayed_;  // chunks that wait for their backoff
  std::set<MemberId> open_, idle_, roomy_, holders_;
  std::size_t up_ = 0;
  bool input_ended_ = false, draining_ = false, held_ = false;
  PoolCounts counts_;
};

}  // namespace fiber::channel
