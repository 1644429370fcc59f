#include "channel/pool.hpp"

#include <doctest/doctest.h>

#include <random>

#include "pool_bench.hpp"

using namespace fiber;
using namespace fiber::channel;
using std::chrono::milliseconds;

TEST_CASE("four records on four members: one each, and the end of input to all") {
  Bench bench;
  for (MemberId id = 0; id < 4; ++id) bench.pool.up(id, bench.now);
  bench.in(numbers(1, 4));
  bench.pool.input_ended(bench.now);
  for (MemberId id = 0; id < 4; ++id) CHECK(bench.held[id].size() == 1);
  CHECK(bench.closed.size() == 4);
}

TEST_CASE("answers are delivered in input order, or as they come") {
  for (Order order : {Order::input, Order::completion}) {
    PoolRules rules;
    rules.order = order;
    Bench bench(rules);
    bench.pool.up(0, bench.now);
    bench.pool.up(1, bench.now);
    bench.in("a\nb\n");
    bench.pool.input_ended(bench.now);
    bench.answer(1);
    CHECK(bench.out == (order == Order::input ? "" : "b\n"));
    bench.answer(0);
    CHECK(bench.out == (order == Order::input ? "a\nb\n" : "b\na\n"));
    CHECK(bench.pool.finished());
  }
}

TEST_CASE("the first three records come one at a time, then quick members get many") {
  Bench bench;
  bench.pool.up(0, bench.now);
  bench.in(numbers(1, 50000));
  for (int i = 0; i < 3; ++i) {
    CHECK(bench.held[0].size() == 1);
    bench.pool.replies(0, {base::Bytes(bench.held[0].front()), 1}, bench.now);  // in no time
    bench.held[0].pop_front();
  }
  CHECK(bench.held[0].size() > 100);
}

TEST_CASE("what a busy member has not started goes to an idle one") {
  Bench bench;
  bench.pool.up(0, bench.now);
  bench.in(numbers(1, 3));
  bench.answer(0);
  bench.answer(0);
  bench.answer(0);
  bench.in(numbers(4, 9));
  const std::size_t before = bench.held[0].size();
  REQUIRE(before >= 2);
  bench.in("");
  bench.pool.input_ended(bench.now);
  bench.pool.up(1, bench.now);
  while (bench.held[1].empty() && !bench.asked.empty()) bench.give_back(0, 1);
  CHECK_FALSE(bench.held[1].empty());
}

TEST_CASE("a lost worker: the taken record is tried again alone, and answered with an error in the end") {
  Bench bench;
  bench.pool.up(0, bench.now);
  bench.in("bad\ngood\n");
  bench.pool.input_ended(bench.now);
  for (int i = 0; i < 4; ++i) {
    CHECK(bench.held[0].front() == "bad\n");
    bench.held[0].clear();
    CHECK(bench.pool.lost(0, {Loss::Kind::worker_lost, 1, 0, 9, {}}, bench.now) == 1);
    bench.closed.clear();
    bench.pool.up(0, bench.now);
  }
  CHECK(bench.held[0].front() == "good\n");
  bench.answer(0);
  CHECK(bench.out == "\x15{\"error\":\"worker_lost\",\"tries\":4,\"signal\":9,\"record\":1}\ngood\n");
  CHECK(bench.pool.finished());
  CHECK(bench.pool.counts().failed == 1);
}

TEST_CASE("a held pool hands nothing out, and goes on when it is let go") {
  Bench bench;
  bench.pool.hold(true, bench.now);
  bench.pool.up(0, bench.now);
  bench.in("a\n");
  bench.pool.input_ended(bench.now);
  CHECK(bench.held[0].empty());
  CHECK(bench.closed.empty());
  bench.pool.hold(false, bench.now);
  CHECK(bench.held[0].size() == 1);
  CHECK(bench.closed.contains(0));
}

TEST_CASE("after a surplus all answers since the member's start are in doubt") {
  Bench bench;
  bench.in("a\nb\n");
  bench.pool.up(0, bench.now);
  CHECK(bench.pool.first_given(0) == 1);
  bench.answer(0);
  bench.answer(0);
  CHECK(bench.pool.first_given(0) == 1);
  bench.pool.up(1, bench.now);
  CHECK(bench.pool.first_given(1) == 0);
}

TEST_CASE("records that were not taken are nobody's fault") {
  Bench bench;
  bench.pool.up(0, bench.now);
  bench.in("a\n");
  for (int i = 0; i < 10; ++i) {
    CHECK(bench.held[0].size() == 1);
    bench.held[0].clear();
    CHECK_FALSE(bench.pool.lost(0, {Loss::Kind::worker_lost, 0, 0, 9, {}}, bench.now));
    bench.pool.up(0, bench.now);
  }
  CHECK(bench.errors.empty());
}

TEST_CASE("a reply that begins with 0x15 is a task error") {
  PoolRules rules;
  rules.task_error = 1;
  Bench bench(rules);
  bench.pool.up(0, bench.now);
  bench.in("a\nb\n");
  bench.pool.input_ended(bench.now);
  bench.pool.replies(0, {base::Bytes(std::string("\x15{\"x\":1}\n")), 1}, bench.now);
  CHECK(bench.out.empty());
  CHECK(bench.pool.counts().retried == 1);
  bench.held[0].pop_front();
  CHECK(bench.held[0].front() == "a\n");
  bench.pool.replies(0, {base::Bytes(std::string("\x15{\"x\":2}\n")), 1}, bench.now);
  CHECK(bench.out == "\x15{\"x\":2}\n");
}

TEST_CASE("envelope: answers in any order, strays told apart") {
  PoolRules rules;
  rules.envelope = Envelope::id;
  Bench bench(rules);
  bench.pool.up(0, bench.now);
  bench.in("a\n");
  CHECK(bench.held[0].front() == "1\ta\n");
  bench.pool.replies(0, {base::Bytes(std::string("debug\n1\tA\n")), 2}, bench.now);
  CHECK(bench.out == "A\n");
  CHECK(bench.strays == std::vector<std::string>{"debug"});
}

TEST_CASE("a record over the limit is answered in its place") {
  Bench bench;
  bench.pool.up(0, bench.now);
  bench.in("a\n");
  bench.pool.input_oversize(99, bench.now);
  bench.in("b\n");
  bench.answer(0);
  bench.answer(0);
  CHECK(bench.out == "a\n\x15{\"error\":\"record_too_large\",\"size\":99,\"limit\":67108864,\"record\":2}\nb\n");
}

TEST_CASE("a member that asks for more before it answers gets 1, 2, 4 … more, and the end of input at last") {
  Bench bench;
  bench.pool.up(0, bench.now);
  bench.in(numbers(1, 7));
  bench.pool.input_ended(bench.now);
  CHECK(bench.held[0].size() == 1);
  bench.pool.hungry(0, bench.now);
  CHECK(bench.held[0].size() == 2);
  bench.pool.hungry(0, bench.now);
  CHECK(bench.held[0].size() == 4);
  CHECK(bench.closed.empty());
  bench.pool.hungry(0, bench.now);
  CHECK(bench.held[0].size() == 7);
  CHECK(bench.closed.contains(0));
}

TEST_CASE("a member that asks for more when there is none gets the end of its input, though more may come") {
  Bench bench;
  bench.pool.up(0, bench.now);
  bench.in("a\n");
  bench.pool.hungry(0, bench.now);
  CHECK(bench.closed.contains(0));
  bench.answer(0);
  bench.pool.lost(0, {}, bench.now);
  CHECK(bench.pool.wants_members());
  bench.in("b\n");
  CHECK(bench.pool.starving());
  bench.closed.clear();
  bench.pool.up(0, bench.now);
  CHECK(bench.held[0].front() == "b\n");
}

TEST_CASE("a member that must be alone with its record gets the end of its input when it asks for more") {
  Bench bench;
  bench.pool.up(0, bench.now);
  bench.in("a\nb\n");
  bench.held[0].clear();
  bench.pool.lost(0, {Loss::Kind::worker_lost, 1, 0, 9, {}}, bench.now);
  bench.pool.up(0, bench.now);
  CHECK(bench.held[0].size() == 1);
  bench.pool.hungry(0, bench.now);
  CHECK(bench.held[0].size() == 1);
  CHECK(bench.closed.contains(0));
}

TEST_CASE("input and waiting answers go to disk above the memory allowed") {
  PoolRules rules;
  rules.memory = 256 << 10;
  Bench bench(rules);
  std::string big(100 << 10, 'x');
  big += '\n';
  bench.pool.up(0, bench.now);
  bench.pool.up(1, bench.now);
  for (int i = 0; i < 40; ++i) bench.in(big);
  CHECK(bench.spill.held > (2u << 20));
  bench.pool.input_ended(bench.now);
  while (!bench.held[1].empty()) bench.answer(1);  // member 0 is slow: everything behind its record waits
  CHECK(bench.out.empty());
  CHECK(bench.spill.held > (2u << 20));
  while (!bench.held[0].empty()) bench.answer(0);
  CHECK(bench.out.size() == 40 * big.size());
  CHECK(bench.spill.held == 0);
  CHECK(bench.pool.finished());
}

namespace {

/// Members that come, answer, give back, ask for more and die as the dice say.
struct Fray {
  explicit Fray(unsigned seed) : random(seed), bench(rules_of(random)), total(static_cast<int>(random() % 500)) {}

  static PoolRules rules_of(std::mt19937& random) {
    PoolRules rules;
    rules.worker_lost = 1000;
    rules.memory = random() % 2 ? 200 : 64 << 20;
    rules.envelope = random() % 4 ? Envelope::none : Envelope::id;
    return rules;
  }
  void more_input() {
    if (given == total) return bench.pool.input_ended(bench.now);
    const int n = std::min<int>(total - given, static_cast<int>(1 + random() % 50));
    bench.in(numbers(given + 1, given + n));
    given += n;
  }
  void come(MemberId id) {
    if (!up.insert(id).second) return;
    bench.closed.erase(id);
    answered[id] = 0;
    bench.pool.up(id, bench.now);
  }
  void go(MemberId id, std::uint64_t taken) {
    bench.held[id].clear();
    up.erase(id);
    bench.asked.erase(id);
    bench.pool.lost(id, {Loss::Kind::worker_lost, taken, 0, 9, {}}, bench.now);
  }
  std::uint64_t part_of(const std::deque<std::string>& held) { return random() % (held.size() + 1); }
  void step(MemberId id) {
    auto& held = bench.held[id];
    const unsigned what = random() % 8;
    if (what == 0) {
      more_input();
    } else if (what == 1) {
      come(id);
    } else if (what == 3 && bench.asked.contains(id)) {
      bench.give_back(id, part_of(held));
    } else if (!up.contains(id)) {
      return;
    } else if (bench.closed.contains(id) && held.empty()) {
      if (random() % 3 == 0) go(id, answered[id]);
    } else if (what == 2) {
      if (random() % 4 == 0) go(id, answered[id] + part_of(held));
    } else if (what == 4 && !held.empty()) {
      bench.pool.hungry(id, bench.now);
    } else if (!held.empty()) {
      const auto n = static_cast<std::uint32_t>(1 + random() % held.size());
      answered[id] += n;
      bench.answer(id, n);
    }
  }

  std::mt19937 random;
  Bench bench;
  int total, given = 0;
  std::set<MemberId> up;
  std::map<MemberId, std::uint64_t> answered;
};

}  // namespace

TEST_CASE("whatever members do, every record is answered once and in order") {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    Fray fray(seed);
    const MemberId members = 1 + fray.random() % 5;
    for (int step = 0; step < 200000 && !fray.bench.pool.finished(); ++step) fray.step(fray.random() % members);
    REQUIRE(fray.bench.pool.finished());
    CHECK(fray.bench.out == numbers(1, fray.total));
    CHECK(fray.bench.errors.empty());
    CHECK(fray.bench.spill.held == 0);
  }
}
