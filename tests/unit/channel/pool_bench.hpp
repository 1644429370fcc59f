#pragma once
#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "channel/pool.hpp"
#include "unit/memory_spill.hpp"

namespace fiber::channel {

/// Members that answer when told to, one record after the other.
struct Bench : PoolActions {
  explicit Bench(PoolRules rules = {}) : rules_(rules), pool(rules, spill, *this) {}

  void give(MemberId id, const Batch& batch) override {
    Scanner scanner(rules_.framing);
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      std::size_t end = scanner.unit_end(batch.bytes.view(), at);
      REQUIRE(end != std::string::npos);
      held[id].emplace_back(batch.bytes.view().substr(at, end - at));
      at = end;
    }
    CHECK(at == batch.bytes.size());
    CHECK_FALSE(closed.contains(id));
    // What is given now would be behind the question at the member, and before its answer here.
    CHECK_FALSE(asked.contains(id));
  }
  void take_back(MemberId id, std::uint32_t most) override { asked[id] = most; }
  void end_input(MemberId id) override { closed.insert(id); }
  void deliver(const base::Bytes& answers, std::uint32_t count) override {
    out += answers.view();
    delivered += count;
  }
  void failed(std::uint64_t record, const std::string& json) override { errors[record] = json; }
  void retried(std::uint64_t) override { ++retries; }
  void stray(MemberId, std::string_view text) override { strays.emplace_back(text); }

  void in(const std::string& text) {
    Splitter splitter(Scanner(rules_.framing), rules_.max_record);
    for (const Cut& cut : splitter.feed(base::Bytes(text))) pool.input(cut.batch, now);
  }
  void answer(MemberId id, std::uint32_t n = 1) {
    std::string text;
    for (std::uint32_t i = 0; i < n; ++i) {
      text += held[id].front();
      held[id].pop_front();
    }
    now += std::chrono::milliseconds(1);
    pool.replies(id, {base::Bytes(text), n}, now);
  }
  /// Gives back what was asked, but for the first `taken` records.
  void give_back(MemberId id, std::size_t taken) {
    std::uint32_t most = asked[id];
    asked.erase(id);
    std::uint32_t n = 0;
    while (n < most && held[id].size() > taken) {
      held[id].pop_back();
      ++n;
    }
    pool.returned(id, n, now);
  }

  PoolRules rules_;
  MemorySpill spill;
  base::Time now{};
  std::map<MemberId, std::deque<std::string>> held;
  std::map<MemberId, std::uint32_t> asked;
  std::set<MemberId> closed;
  std::string out;
  std::uint64_t delivered = 0, retries = 0;
  std::map<std::uint64_t, std::string> errors;
  std::vector<std::string> strays;
  Pool pool;
};

inline std::string numbers(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += std::to_string(i) + '\n';
  return text;
}

}  // namespace fiber::channel
