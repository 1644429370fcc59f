#include "channel/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"

namespace fiber::channel {

Pool::Pool(PoolRules rules, Spill& spill, PoolActions& actions)
    : rules_(rules),
      records_(rules.framing),
      answers_(rules.framing, rules.reply),
      actions_(actions),
      queue_(records_, spill, rules.memory),
      ledger_(records_, rules.order, spill, rules.memory,
              [this](const base::Bytes& bytes, std::uint32_t count) { actions_.deliver(bytes, count); }) {}

void Pool::input(const Batch& batch, base::Time now) {
  counts_.in += batch.count;
  queue_.push(batch);
  hand_out(now);
}

void Pool::input_oversize(std::uint64_t size, base::Time now) {
  ++counts_.in;
  queue_.push_failed(fmt::format("\"error\":\"record_too_large\",\"size\":{},\"limit\":{}", size, rules_.max_record));
  hand_out(now);
}

void Pool::input_torn(std::uint64_t size, base::Time now) {
  ++counts_.in;
  queue_.push_failed(fmt::format("\"error\":\"record_torn\",\"size\":{}", size));
  hand_out(now);
}

void Pool::input_ended(base::Time now) {
  input_ended_ = true;
  hand_out(now);
}

void Pool::up(MemberId id, base::Time now) {
  Member& member = members_[id];
  member = {};
  member.up = true;
  ++up_;
  classify(id, member);
  hand_out(now);
}

void Pool::replies(MemberId id, const Batch& answers, base::Time now) {
  Member& member = members_[id];
  if (!member.up || answers.count == 0) return;
  accept(id, member, answers, now);
  classify(id, member);
  hand_out(now);
}

void Pool::accept(MemberId id, Member& member, const Batch& answers, base::Time now) {
  if (rules_.envelope == Envelope::none && answers.count > member.outstanding) {
    throw Error("an agent reports more answers than its member has records");
  }
  const double spent = std::chrono::duration<double>(now - member.since).count() / answers.count;
  member.service = member.service < 0 ? spent : (member.service + spent) / 2;
  member.since = now;
  member.stuck = false;
  if (rules_.envelope == Envelope::id) {
    accept_enveloped(id, member, answers);
  } else if (answers_.may_hold_error(answers.bytes.view())) {
    accept_marked(member, answers);
  } else {
    answer_next(member, answers.bytes, answers.count);
  }
}

/// Books `count` good answers to the member's oldest records.
void Pool::answer_next(Member& member, const base::Bytes& bytes, std::uint32_t count) {
  std::size_t at = 0;
  while (count > 0) {
    const std::uint64_t key = member.chunks.front();
    Chunk& chunk = ledger_.at(key);
    const std::uint32_t n = std::min(count, chunk.count - chunk.answered);
    const std::size_t end = n == count ? bytes.size() : at + answers_.prefix(bytes.view().substr(at), n);
    member.outstanding -= n;
    member.answered += n;
    counts_.answered += n;
    const bool done = chunk.answered + n == chunk.count;
    if (done) release(member, key);
    ledger_.answer(key, bytes.slice(at, end - at), n);
    at = end;
    count -= n;
  }
}

/// A chunk is no longer the member's.
void Pool::release(Member& member, std::uint64_t key) {
  const Chunk& chunk = ledger_.at(key);
  member.bytes -= std::min(member.bytes, chunk.in.size());
  if (chunk.solo) member.solo = false;
  if (!member.chunks.empty() && member.chunks.front() == key) {
    member.chunks.pop_front();
  } else {
    std::erase(member.chunks, key);
  }
}

/// Makes the member's oldest unanswered record a chunk of its own and takes it from the member.
std::uint64_t Pool::isolate_next(Member& member) {
  const std::uint64_t front = member.chunks.front();
  const std::size_t before = ledger_.at(front).in.size();
  const std::uint64_t key = ledger_.unanswered(front);
  member.chunks.pop_front();
  if (ledger_.at(key).count > 1) member.chunks.push_front(ledger_.split(key, 1));
  member.bytes -= std::min(member.bytes, before);
  if (!member.chunks.empty() && member.chunks.front() == key + 1) member.bytes += ledger_.at(key + 1).in.size();
  if (ledger_.at(key).solo) member.solo = false;
  --member.outstanding;
  ++member.answered;
  return key;
}

void Pool::accept_marked(Member& member, const Batch& answers) {
  std::string_view view = answers.bytes.view();
  std::size_t start = 0, at = 0;
  std::uint32_t good = 0;
  for (std::uint32_t i = 0; i < answers.count; ++i) {
    const std::size_t end = answers_.unit_end(view, at);
    std::string_view unit = view.substr(at, end - at);
    if (answers_.is_error(unit)) {
      if (good > 0) answer_next(member, answers.bytes.slice(start, at - start), std::exchange(good, 0));
      const std::uint64_t key = isolate_next(member);
      task_error(key, std::string(unit), std::string(answers_.payload(unit)));
      start = end;
    } else {
      ++good;
    }
    at = end;
  }
  if (good > 0) answer_next(member, answers.bytes.slice(start), good);
}

void Pool::accept_enveloped(MemberId id, Member& member, const Batch& answers) {
  std::string_view view = answers.bytes.view();
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < answers.count; ++i) {
    const std::size_t end = answers_.unit_end(view, at);
    std::string_view unit = view.substr(at, end - at);
    at = end;
    std::string_view text = answers_.payload(unit);
    std::uint64_t key = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), key);
    const std::size_t digits = static_cast<std::size_t>(parsed.ptr - text.data());
    if (parsed.ec != std::errc() || text.front() == '0' || digits >= text.size() || text[digits] != '\t' ||
        member.given.erase(key) == 0) {
      actions_.stray(id, text);
      continue;
    }
    text.remove_prefix(digits + 1);
    const std::string rest(unit.substr(static_cast<std::size_t>(text.data() + text.size() - unit.data())));
    std::string reply = answers_.framing() == Framing::len32 ? records_.frame(text) + rest : std::string(text) + rest;
    release(member, key);
    --member.outstanding;
    ++member.answered;
    if (answers_.is_error(reply)) {
      task_error(key, reply, std::string(answers_.payload(reply)));
    } else {
      ++counts_.answered;
      ledger_.answer(key, base::Bytes(std::move(reply)), 1);
    }
  }
}

void Pool::reply_oversize(MemberId id, std::uint64_t size, base::Time now) {
  Member& member = members_[id];
  if (!member.up || member.outstanding == 0) return;
  member.since = now;
  const std::uint64_t key = isolate_next(member);
  member.given.erase(key);
  give_up(key, error_json("reply_too_large", key, fmt::format("\"size\":{},\"limit\":{}", size, rules_.max_record)),
          {});
  classify(id, member);
  hand_out(now);
}

void Pool::returned(MemberId id, std::uint32_t count, base::Time now) {
  Member& member = members_[id];
  if (!member.up) return;
  if (!member.taking_back || count > member.outstanding) throw Error("an agent returns records that it does not have");
  member.taking_back = false;
  member.stuck = true;  // until it is given something new: all it holds has been taken
  member.outstanding -= count;
  while (count > 0) {
    std::uint64_t key = member.chunks.back();
    Chunk& chunk = ledger_.at(key);
    if (chunk.count > count) {
      const std::uint64_t kept = std::exchange(key, ledger_.split(key, chunk.count - count));
      if (chunk.done()) {
        member.chunks.pop_back();
        ledger_.settle(kept);
      }
    } else {
      member.chunks.pop_back();
    }
    const Chunk& back = ledger_.at(key);
    count -= back.count;
    member.total_given -= back.count;
    member.bytes -= std::min(member.bytes, back.in.size());
    member.given.erase(key);
    if (back.solo) member.solo = false;
    wait_again(key);
  }
  classify(id, member);
  hand_out(now);
}

void Pool::wait_again(std::uint64_t key) {
  waiting_.insert(key);
  waiting_records_ += ledger_.at(key).count;
}

std::optional<std::uint64_t> Pool::lost(MemberId id, const Loss& loss, base::Time now) {
  Member& member = members_[id];
  if (!member.up) return std::nullopt;
  std::size_t taken = 0;
  std::vector<std::uint64_t> keys = orphans(member, loss.taken, &taken);
  member = {};
  --up_;
  classify(id, member);
  const std::size_t all = keys.size();
  auto blamed = blame(keys, taken, loss, now);
  taken -= all - keys.size();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i < taken) {
      ledger_.at(keys[i]).solo = true;
      if (!draining_) {
        ++counts_.retried;
        actions_.retried(keys[i]);
      }
    }
    wait_again(keys[i]);
  }
  hand_out(now);
  return blamed;
}

/// The chunks that a dead member leaves, taken ones first and one record each; `*taken_count` tells how many.
std::vector<std::uint64_t> Pool::orphans(Member& member, std::uint64_t taken, std::size_t* taken_count) {
  std::vector<std::uint64_t> keys, rest;
  std::uint64_t left = taken > member.answered ? taken - member.answered : 0;
  for (std::uint64_t front : member.chunks) {
    std::uint64_t key = ledger_.unanswered(front);
    if (rules_.envelope == Envelope::id) {
      (member.given[key] < taken ? keys : rest).push_back(key);
      continue;
    }
    for (; left > 0; --left) {
      keys.push_back(key);
      if (ledger_.at(key).count == 1) {
        key = 0;
        --left;
        break;
      }
      key = ledger_.split(key, 1);
    }
    if (key != 0) rest.push_back(key);
  }
  *taken_count = keys.size();
  keys.insert(keys.end(), rest.begin(), rest.end());
  return keys;
}

/// Counts the loss against the first record that was taken. Removes it from `keys` where it does not simply wait again.
std::optional<std::uint64_t> Pool::blame(std::vector<std::uint64_t>& keys, std::size_t taken, const Loss& loss,
                                         base::Time now) {
  if (taken == 0) return std::nullopt;
  const std::uint64_t key = keys.front();
  Chunk& chunk = ledger_.at(key);
  chunk.solo = true;
  if (loss.kind == Loss::Kind::worker_lost && ++chunk.lost <= rules_.worker_lost) return key;
  keys.erase(keys.begin());
  const std::string how =
      loss.signal ? fmt::format("\"signal\":{}", loss.signal) : fmt::format("\"exit\":{}", loss.code);
  if (loss.kind == Loss::Kind::retry) {
    ++counts_.retried;
    actions_.retried(key);
    delayed_.emplace(now + loss.backoff, key);
  } else if (loss.kind == Loss::Kind::task_error) {
    task_error(key, {}, error_json("task_error", key, fmt::format("\"tries\":{},{}", chunk.errors + 1, how)));
  } else {
    give_up(key, error_json("worker_lost", key, fmt::format("\"tries\":{},{}", chunk.lost, how)), {});
  }
  return key;
}

void Pool::task_error(std::uint64_t key, std::optional<std::string> reply, const std::string& json) {
  Chunk& chunk = ledger_.at(key);
  if (++chunk.errors > rules_.task_error) {
    give_up(key, json, std::move(reply));
    return;
  }
  chunk.solo = true;
  ++counts_.retried;
  actions_.retried(key);
  wait_again(key);
}

void Pool::give_up(std::uint64_t key, const std::string& json, std::optional<std::string> reply) {
  ++counts_.failed;
  actions_.failed(key, json);
  if (rules_.skip_failed) {
    reply = std::string();
  } else if (!reply) {
    reply = answers_.frame_error(json);
  }
  ledger_.fail(key, std::move(*reply));
}

std::string Pool::error_json(const char* error, std::uint64_t record, const std::string& detail) const {
  return fmt::format("{{\"error\":\"{}\",{},\"record\":{}}}", error, detail, record);
}

std::optional<base::Time> Pool::next_tick() const {
  if (delayed_.empty()) return std::nullopt;
  return delayed_.begin()->first;
}

void Pool::tick(base::Time now) {
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    wait_again(delayed_.begin()->second);
    delayed_.erase(delayed_.begin());
  }
  hand_out(now);
}

bool Pool::idle() const {
  return std::all_of(members_.begin(), members_.end(), [](const auto& entry) { return entry.second.outstanding == 0; });
}

bool Pool::starving() const { return !held_ && anything_waiting() && open_.empty(); }

std::uint32_t Pool::outstanding(MemberId id) const {
  auto at = members_.find(id);
  return at == members_.end() ? 0 : at->second.outstanding;
}

std::uint64_t Pool::answered(MemberId id) const {
  auto at = members_.find(id);
  return at == members_.end() ? 0 : at->second.answered;
}

bool Pool::was_closed(MemberId id) const {
  auto at = members_.find(id);
  return at != members_.end() && at->second.closed;
}

std::uint64_t Pool::first_given(MemberId id) const {
  auto at = members_.find(id);
  return at == members_.end() ? 0 : at->second.first;
}

}  // namespace fiber::channel
