#include "head/head.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <random>

#include "unit/simulation.hpp"

using namespace fiber;
using namespace std::chrono_literals;
using simulation::Reaction;
using simulation::Run;
using simulation::World;

namespace {

plan::Plan map_plan(unsigned workers, unsigned per_job = 0) {
  plan::Plan plan;
  plan.name = "map";
  plan.workdir = "/";
  plan::Role role;
  role.name = "workers";
  role.run.argv = {"w"};
  role.count = workers;
  role.per_job = per_job;
  plan.roles.push_back(role);
  plan.pool = plan::Pool{};
  plan.pool->to = "workers";
  return plan;
}

std::string numbers(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += std::to_string(i) + '\n';
  return text;
}

World echo(base::Duration each) {
  World world;
  world.react = [each](const agent::Start&, const std::string& record) { return Reaction{each, record, {}}; };
  return world;
}

}  // namespace

TEST_CASE("a map over many records is its input, in order, and exits 0") {
  Run run(map_plan(4), echo(100us), numbers(1, 5000));
  REQUIRE(run.play());
  CHECK(run.output == run.input);
  CHECK(run.code == 0);
  CHECK(run.world.starts == 4);
  CHECK(run.backend.running().empty());
}

TEST_CASE("no input at all: exit 0 and no output") {
  Run run(map_plan(2), echo(1ms), "");
  REQUIRE(run.play());
  CHECK(run.output.empty());
  CHECK(run.code == 0);
}

TEST_CASE("four records of a second on four members take a second") {
  Run run(map_plan(4), echo(1s), numbers(1, 4));
  REQUIRE(run.play());
  CHECK(run.clock.now().time_since_epoch() < 1100ms);
}

TEST_CASE("one fast and one slow member: the end is within one slow record of the ideal") {
  World world;
  world.react = [](const agent::Start& start, const std::string& record) {
    return Reaction{start.name == "workers.0" ? 1000ms : 10ms, record, {}};
  };
  Run run(map_plan(2), world, numbers(1, 1000));
  REQUIRE(run.play());
  CHECK(run.output == run.input);
  CHECK(run.clock.now().time_since_epoch() < 9.9s + 1s + 100ms);  // ideal: 1000 / (100 + 1) s
}

TEST_CASE("empty records, then slow ones, are shared evenly") {
  World world;
  world.react = [](const agent::Start&, const std::string& record) {
    return Reaction{std::stoi(record) > 20000 ? base::Duration(100ms) : base::Duration(1us), record, {}};
  };
  Run run(map_plan(4), world, numbers(1, 20040));
  REQUIRE(run.play());
  CHECK(run.output == run.input);
  CHECK(run.clock.now().time_since_epoch() < 1300ms);  // ideal: 1 s
}

TEST_CASE("a program that cannot start ends the run") {
  World world = echo(1ms);
  world.begin = [](const agent::Start&) { return Reaction{1ms, "", base::ExitStatus{3, 0}}; };
  Run run(map_plan(1), world, numbers(1, 3));
  REQUIRE(run.play());
  CHECK(run.code == 1);
  CHECK(run.world.starts == 5);
}

TEST_CASE("output before a record was taken ends the run with 125") {
  World world = echo(1ms);
  world.begin = [](const agent::Start&) { return Reaction{0ms, "hello\n", {}}; };
  Run run(map_plan(1), world, numbers(1, 3));
  REQUIRE(run.play());
  CHECK(run.code == 125);
  CHECK(run.output.empty());
}

TEST_CASE("an extra line is found out, early or late") {
  for (int bad : {1, 2, 3, 500, 999}) {
    CAPTURE(bad);
    World world;
    world.react = [bad](const agent::Start&, const std::string& record) {
      return Reaction{1ms, std::stoi(record) == bad ? record + "extra\n" : record, {}};
    };
    Run run(map_plan(1), world, numbers(1, 1000));
    REQUIRE(run.play());
    CHECK(run.code == 125);
  }
}

TEST_CASE("what a member says that never had a record, at the end of its input, shifts nothing") {
  World world = echo(1s);
  world.begin = [](const agent::Start& start) {
    return start.name == "workers.1" ? Reaction{500ms, "\n", base::ExitStatus{}} : Reaction{0ms, "", {}};
  };
  Run run(map_plan(2), world, numbers(1, 1));
  REQUIRE(run.play());
  CHECK(run.code == 0);
  CHECK(run.output == "1\n");
}

TEST_CASE("a poison record is answered by an error, the others are untouched") {
  World world;
  world.react = [](const agent::Start&, const std::string& record) {
    if (record == "7\n") return Reaction{1ms, "", base::ExitStatus{0, SIGSEGV}};
    return Reaction{1ms, record, {}};
  };
  Run run(map_plan(3), world, numbers(1, 100));
  REQUIRE(run.play());
  CHECK(run.code == 1);
  CHECK(run.output ==
        numbers(1, 6) + "\x15{\"error\":\"worker_lost\",\"tries\":4,\"signal\":11,\"record\":7}\n" + numbers(8, 100));
}

TEST_CASE("exit 75 asks for another try that is not counted") {
  auto tries = std::make_shared<int>(0);
  World world;
  world.react = [tries](const agent::Start&, const std::string& record) {
    if (record == "2\n" && ++*tries < 8) return Reaction{1ms, "", base::ExitStatus{75, 0}};
    return Reaction{1ms, record, {}};
  };
  Run run(map_plan(2), world, numbers(1, 5));
  REQUIRE(run.play());
  CHECK(run.output == run.input);
  CHECK(run.code == 0);
}

TEST_CASE("a record lost after the end of input goes to a member started for it") {
  auto tries = std::make_shared<int>(0);
  World world;
  world.react = [tries](const agent::Start&, const std::string& record) {
    if (record == "2\n" && ++*tries < 2) return Reaction{1s, "", base::ExitStatus{0, SIGKILL}};
    return Reaction{1ms, record, {}};
  };
  Run run(map_plan(2), world, numbers(1, 2));
  REQUIRE(run.play());
  CHECK(run.output == run.input);
  CHECK(run.code == 0);
}

TEST_CASE("the first Ctrl-C lets running tasks finish, and their answers arrive") {
  Run run(map_plan(2), echo(1s), numbers(1, 100));
  run.head->start();
  auto timer = run.clock.after(1500ms, [&] { run.head->interrupt(SIGINT); });
  REQUIRE(run.clock.run_until([&] { return run.code >= 0; }, 1h));
  CHECK(run.output == numbers(1, 4));
  CHECK(run.code == 130);
  CHECK(run.clock.now().time_since_epoch() < 3s);
}

TEST_CASE("limits.run ends the run with 124") {
  plan::Plan plan = map_plan(2);
  plan.limits.run = 2s;
  Run run(plan, echo(1h), numbers(1, 2));
  REQUIRE(run.play());
  CHECK(run.code == 124);
}

TEST_CASE("whatever dies, every record is answered once and in order") {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    auto random = std::make_shared<std::mt19937>(seed);
    const unsigned workers = 1 + (*random)() % 8;
    plan::Plan plan = map_plan(workers, (*random)() % 2 ? 0 : 1 + (*random)() % 3);
    plan.retry.worker_lost = 10000;
    World world;
    world.pipe = (*random)() % 2 ? 64 << 10 : 16;
    const unsigned danger = 20 + (*random)() % 200;
    world.react = [random, danger](const agent::Start&, const std::string& record) {
      const auto after = std::chrono::microseconds((*random)() % 3000);
      if ((*random)() % danger == 0) {
        return Reaction{after, record.substr(0, (*random)() % record.size()), base::ExitStatus{0, SIGKILL}};
      }
      if ((*random)() % danger == 0) return Reaction{after, record, base::ExitStatus{0, SIGKILL}};
      if ((*random)() % danger == 0) return Reaction{after, record, base::ExitStatus{0, 0}};
      return Reaction{after, record, {}};
    };
    Run run(plan, world, numbers(1, 1000), std::chrono::microseconds((*random)() % 500));
    run.piece = 1 + (*random)() % 2000;
    run.pause = std::chrono::microseconds((*random)() % 5000);
    std::vector<base::Timer> kills;
    for (int i = 0; i < 10; ++i) {
      kills.push_back(run.clock.after(std::chrono::milliseconds((*random)() % 500), [&run, random] {
        auto names = run.backend.running();
        if (!names.empty()) run.backend.kill(names[(*random)() % names.size()]);
      }));
    }
    REQUIRE(run.play());
    CHECK(run.output == run.input);
    CHECK(run.code == 0);
    CHECK(run.spill.held == 0);
  }
}
