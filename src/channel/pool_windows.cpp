#include <algorithm>
#include <limits>
#include <utility>

#include "channel/pool.hpp"

namespace fiber::channel {

namespace {

constexpr std::uint32_t kMostAhead = 4096;        // records a member may hold
constexpr double kAheadSeconds = 0.002;           // ... or so much work of them, if that is less
constexpr std::uint32_t kTrial = 3;               // a member's first records, which it gets one at a time
constexpr std::size_t kBytesAhead = 1u << 20;     // bytes a member may hold, beyond two records
constexpr std::size_t kBytesAtOnce = 256u << 10;  // bytes of one hand-out

}  // namespace

/// How many records a member may hold: two (one to work on, one to follow at once), and more where they are quick.
std::uint32_t Pool::window(const Member& member) const {
  if (member.extra > 0) return std::max(member.extra, 1U);
  if (member.answered < kTrial || member.solo || rules_.worker_lost == 0 || member.service < 0) return 1;
  const double ahead = kAheadSeconds / std::max(member.service, 1e-9);
  return ahead >= kMostAhead ? kMostAhead : 2 + static_cast<std::uint32_t>(ahead);
}

/// Half of an equal share of what waits, so that the end of the input does not pile up at one member.
std::uint32_t Pool::fair_share(std::uint32_t least) const {
  const std::uint64_t share = waiting_count() / (2 * std::max<std::size_t>(up_, 1));
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(share, least, kMostAhead));
}

void Pool::hand_out(base::Time now) {
  if (held_) return;
  while (anything_waiting() && !idle_.empty()) {
    const MemberId id = *idle_.begin();
    Member& member = members_[id];
    fill(id, member, std::min(window(member), fair_share(1)), now);
    if (member.outstanding == 0) break;  // what waited had failed already
  }
  if (anything_waiting()) {
    for (MemberId id : std::vector<MemberId>(roomy_.begin(), roomy_.end())) {
      if (!anything_waiting()) break;
      Member& member = members_[id];
      fill(id, member, std::min(window(member), fair_share(2)), now);
    }
  }
  if (anything_waiting()) return;
  if (!idle_.empty() || draining_) recall();
  end_inputs();
}

/// Gives the member records until it holds `target`.
void Pool::fill(MemberId id, Member& member, std::uint32_t target, base::Time now) {
  while (member.outstanding < target && anything_waiting()) {
    if (member.outstanding >= 2 && member.bytes >= kBytesAhead) break;
    const bool busy = member.outstanding > 0;
    auto key = next_chunk(target - member.outstanding, kBytesAtOnce, busy);
    if (!key) break;
    hand(id, member, *key, now);
    if (member.solo) break;
  }
  classify(id, member);
}

/// Takes the next chunk to hand out; nothing if it is one that must not join others (`busy` member).
std::optional<std::uint64_t> Pool::next_chunk(std::uint32_t most, std::size_t bytes, bool busy) {
  if (!waiting_.empty()) {
    const std::uint64_t key = *waiting_.begin();
    Chunk& chunk = ledger_.at(key);
    if (chunk.solo && busy) return std::nullopt;
    waiting_.erase(waiting_.begin());
    waiting_records_ -= chunk.count;
    const std::uint32_t want = chunk.solo || rules_.envelope == Envelope::id ? 1 : most;
    if (chunk.count > want) wait_again(ledger_.split(key, want));
    return key;
  }
  while (!queue_.empty()) {
    auto item = queue_.pop(rules_.envelope == Envelope::id ? 1 : most, bytes);
    const std::uint64_t key = ledger_.add(std::move(item.batch));
    if (item.failed.empty()) return key;
    give_up(key, "{" + item.failed + ",\"record\":" + std::to_string(key) + "}", {});
  }
  return std::nullopt;
}

void Pool::hand(MemberId id, Member& member, std::uint64_t key, base::Time now) {
  const Chunk& chunk = ledger_.at(key);
  if (member.outstanding == 0) member.since = now;
  if (member.first == 0) member.first = key;
  if (chunk.solo) member.solo = true;
  member.stuck = false;
  member.chunks.push_back(key);
  member.outstanding += chunk.count;
  member.bytes += chunk.in.size();
  if (rules_.envelope == Envelope::id) member.given[key] = member.total_given;
  member.total_given += chunk.count;
  actions_.give(id, rules_.envelope == Envelope::id ? enveloped(key) : Batch{chunk.in, chunk.count});
}

Batch Pool::enveloped(std::uint64_t key) const {
  const Chunk& chunk = ledger_.at(key);
  std::string text = std::to_string(key) + '\t';
  text += records_.payload(chunk.in.view());
  return {base::Bytes(records_.frame(text)), 1};
}

/// Somebody is idle and nothing waits: asks those who hold more than the record they work on.
void Pool::recall() {
  std::size_t askers = idle_.size();
  std::vector<MemberId> asked;
  for (MemberId id : holders_) {
    Member& member = members_[id];
    if (member.taking_back) {
      if (askers > 0) --askers;
      continue;
    }
    if (askers == 0 && !draining_) break;
    asked.push_back(id);
    if (askers > 0) --askers;
  }
  for (MemberId id : asked) {
    Member& member = members_[id];
    member.taking_back = true;
    classify(id, member);
    actions_.take_back(id, draining_ ? std::numeric_limits<std::uint32_t>::max() : member.outstanding / 2);
  }
}

void Pool::end_inputs() {
  if (!input_ended_ || draining_ || !delayed_.empty()) return;
  if (holders_.size() > 1) return;
  for (MemberId id : std::vector<MemberId>(open_.begin(), open_.end())) {
    Member& member = members_[id];
    if (member.taking_back) continue;
    const bool others_hold = holders_.size() > (holders_.contains(id) ? 1U : 0U);
    if (others_hold) continue;
    member.closed = true;
    actions_.end_input(id);
    classify(id, member);
  }
}

/// A member sits in read and owes an answer: it buffers. It gets as many records again as it has; when there are none
/// to be had, or it must be alone with its record, the end of its input, which makes it answer.
void Pool::hungry(MemberId id, base::Time now) {
  Member& member = members_[id];
  if (!member.up || member.outstanding == 0 || member.closed || member.taking_back) return;
  const std::uint32_t before = member.outstanding;
  member.extra = std::min(kMostAhead, 2 * before);
  member.stuck = true;
  if (!member.solo && !draining_ && !held_) fill(id, member, member.extra, now);
  if (member.outstanding == before) {
    member.closed = true;
    actions_.end_input(id);
  }
  classify(id, member);
  hand_out(now);
}

void Pool::hold(bool on, base::Time now) {
  if (std::exchange(held_, on) && !on) hand_out(now);
}

void Pool::drain(base::Time now) {
  draining_ = true;
  hand_out(now);
}

/// Keeps the sets that hand-out looks at: who is idle, who has room for more, who holds what others could do.
void Pool::classify(MemberId id, Member& member) {
  const auto put = [id](std::set<MemberId>& set, bool in) {
    if (in) {
      set.insert(id);
    } else {
      set.erase(id);
    }
  };
  // Between a question for records and its answer nothing is given: it would be behind the one there, and before the
  // other here.
  const bool open = member.up && !member.closed && !member.taking_back;
  const std::uint32_t most = window(member);
  put(open_, member.up && !member.closed);
  put(idle_, open && member.outstanding == 0);
  put(roomy_, open && member.outstanding > 0 && !member.solo && most > 1 && member.outstanding <= most / 2 &&
                  (member.outstanding < 2 || member.bytes < kBytesAhead));
  put(holders_, member.up && member.outstanding >= 2 && !member.stuck);
}

}  // namespace fiber::channel
