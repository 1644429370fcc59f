#include <doctest/doctest.h>

#include <chrono>

#include "loading.hpp"
#include "plan/build.hpp"

using namespace fiber::plan;
using namespace std::chrono_literals;

using Argv = std::vector<std::string>;
using Env = std::map<std::string, std::string>;

namespace {

Plan plan_of(const std::string& text) { return load(request_of(text)); }
Plan plan_of(const std::string& text, const std::vector<std::string>& settings) {
  return load(with(request_of(text), settings));
}

}  // namespace

TEST_CASE("spec: a master and workers") {
  Plan plan = plan_of("fiber: 1\nmaster: [python3, master.py]\nworkers:\n  run: ./simulate $LR\n  count: 4\n");
  CHECK(plan.name == "train");
  CHECK(plan.backend == "local");
  CHECK(plan.workdir == "/tmp");
  REQUIRE(plan.roles.size() == 2);
  CHECK(plan.roles[0].name == "master");
  CHECK(plan.roles[0].run.argv == Argv{"python3", "master.py"});
  CHECK_FALSE(plan.roles[0].run.shell);
  CHECK(plan.roles[0].count == 1);
  CHECK(plan.roles[1].run.argv == Argv{"/bin/sh", "-c", "./simulate $LR"});
  CHECK(plan.roles[1].run.shell);
  CHECK(plan.roles[1].count == 4);
  CHECK(plan.roles[1].per_job == 0);
  REQUIRE(plan.pool);
  CHECK(plan.pool->name == "tasks");
  CHECK(plan.pool->from == "master");
  CHECK(plan.pool->to == "workers");
  CHECK(plan.done_when == DoneWhen::master);
  CHECK(plan.retry.worker_lost == 3);
  CHECK(plan.retry.on_exit == std::vector<int>{75});
  CHECK_FALSE(plan.limits.run);
}

TEST_CASE("spec: which roles make which pool") {
  Plan workers = plan_of("workers: cat\n");
  REQUIRE(workers.pool);
  CHECK_FALSE(workers.pool->from);
  CHECK(workers.done_when == DoneWhen::all);
  CHECK_FALSE(workers.has_master());

  Plan master = plan_of("master: ./m\n");
  CHECK_FALSE(master.pool);
  CHECK(master.done_when == DoneWhen::master);

  Plan others = plan_of("roles: {b: ./b, a: {run: ./a, count: 2}}\n");
  CHECK_FALSE(others.pool);
  REQUIRE(others.roles.size() == 2);
  CHECK(others.roles[0].name == "b");
  CHECK(others.roles[1].count == 2);

  Plan order = plan_of("roles: {z: ./z}\nworkers: ./w\nmaster: ./m\n");
  REQUIRE(order.roles.size() == 3);
  CHECK(order.roles[0].name == "master");
  CHECK(order.roles[1].name == "workers");
  CHECK(order.roles[2].name == "z");

  Plan named = plan_of(
      "roles: {boss: ./b, sims: {run: ./s, count: 3}}\n"
      "channels: {jobs: {type: pool, from: boss, to: [sims], order: completion}}\n");
  REQUIRE(named.pool);
  CHECK(named.pool->name == "jobs");
  CHECK(named.pool->from == "boss");
  CHECK(named.pool->to == "sims");
  CHECK(named.pool->order == Order::completion);

  Plan short_form = plan_of("master: ./m\nworkers: ./w\nchannels: {t: {type: pool}}\n");
  CHECK(short_form.pool->from == "master");
  CHECK(short_form.pool->to == "workers");
  CHECK_FALSE(plan_of("workers: ./w\nchannels: {t: {type: pool, to: workers}}\n").pool->from);
}

TEST_CASE("spec: io is the default of the channel") {
  Plan plan = plan_of("workers: w\nio: {framing: len32, reply: many, envelope: id, max_record: 1Mi}\n");
  CHECK(plan.pool->framing == Framing::len32);
  CHECK(plan.pool->reply == Reply::many);
  CHECK(plan.pool->envelope == Envelope::id);
  CHECK(plan.pool->max_record == 1u << 20);
  plan = plan_of(
      "workers: w\nio: {framing: len32, reply: many}\n"
      "channels: {t: {type: pool, to: workers, framing: nul, max_record: 5k, stdio: true, route: any}}\n");
  CHECK(plan.pool->framing == Framing::nul);
  CHECK(plan.pool->reply == Reply::many);
  CHECK(plan.pool->max_record == 5000);
}

TEST_CASE("spec: the other keys") {
  Plan plan = plan_of(
      "name: a-1\nworkdir: /usr/../usr/\nworkers: {run: w, per_job: 2, count: 7}\n"
      "retry: {worker_lost: 0, task_error: 2, on_exit: [1, 75], backoff: 250ms..2m}\n"
      "on_task_failure: abort\ndone_when: all\nlimits: {run: 2h30m, grace: 0s, spill: 1G}\n");
  CHECK(plan.name == "a-1");
  CHECK(plan.workdir == "/usr");
  CHECK(plan.roles[0].per_job == 2);
  CHECK(plan.retry.worker_lost == 0);
  CHECK(plan.retry.task_error == 2);
  CHECK(plan.retry.on_exit == std::vector<int>{1, 75});
  CHECK(plan.retry.backoff_min == 250ms);
  CHECK(plan.retry.backoff_max == 2min);
  CHECK(plan.on_task_failure == OnTaskFailure::abort);
  CHECK(plan.limits.run == 150min);
  CHECK(plan.limits.grace == 0ms);
  CHECK(plan.limits.spill == 1'000'000'000);
  CHECK(plan_of("workers: w\nretry: {on_exit: []}\n").retry.on_exit.empty());
  CHECK(plan_of("workers: w\nworkdir: .\n").workdir == "/tmp");
  CHECK(plan_of("workers: w\nworkdir: ../usr/bin\n").workdir == "/usr/bin");
}

TEST_CASE("spec: what says no more than the default is accepted") {
  for (const char* text : {"secrets: []",
                           "volumes: []",
                           "local: {}",
                           "slurm: {}",
                           "kubernetes: {}",
                           "docker: {}",
                           "outputs: []",
                           "matrix:",
                           "start: {min_ready: 1}",
                           "limits: {silence: 15s}",
                           "limits: {task: }",
                           "limits:",
                           "env:",
                           "env: {}",
                           "x-mine: {a: b}",
                           "x-mine: ${UNSET}",
                           "limits: {x-a: 1, run: }",
                           "backend: local",
                           "retry: {}",
                           "roles: {}",
                           "roles:",
                           "roles: {x-a: 1}",
                           "channels: {}",
                           "name:",
                           "workdir:",
                           "fiber: 1"}) {
    CAPTURE(text);
    CHECK(refusal(std::string("workers: w\n") + text + "\n") == "");
  }
  for (const char* text :
       {"mode: loop", "volumes: []", "resources: {}", "on_failure: replace", "max_tasks: ", "x-y: {}"}) {
    CAPTURE(text);
    CHECK(refusal(std::string("workers:\n  run: w\n  ") + text + "\n") == "");
  }
  CHECK(refusal("master: {run: m, on_failure: abort}\n") == "");
}

TEST_CASE("spec: names") {
  const std::pair<const char*, const char*> cases[] = {{"train.yaml", "train"},
                                                       {"/a/b/Train.YAML", "train"},
                                                       {"my job_2.yml", "my-job-2"},
                                                       {"2fast.yaml", "run-2fast"},
                                                       {"train.v2.yaml", "train-v2"},
                                                       {"_x.yaml", "x"},
                                                       {"-", "run"},
                                                       {"...yaml", "run"},
                                                       {"ärger.yaml", "rger"},
                                                       {"für.yaml", "f-r"},
                                                       {"fiber.yaml", "fiber"},
                                                       {"/dev/stdin", "stdin"}};
  for (auto [file, name] : cases) {
    CAPTURE(file);
    CHECK(name_from_file(file) == name);
  }
  CHECK(name_from_file(std::string(300, 'x') + ".yaml").size() == 63);
}

TEST_CASE("spec: environment values stay as written") {
  Plan plan =
      plan_of("env: {NO: NO, OCT: 010, F: 1.0, T: true, Q: 'a b', E: '', D: 1_000, R: \"%{rank}\"}\nworkers: w\n");
  CHECK(plan.roles[0].env == Env{{"NO", "NO"},
                                 {"OCT", "010"},
                                 {"F", "1.0"},
                                 {"T", "true"},
                                 {"Q", "a b"},
                                 {"E", ""},
                                 {"D", "1_000"},
                                 {"R", "%{rank}"}});
}

TEST_CASE("spec: environments are merged, the last one wins") {
  LoadRequest request = request_of(
      "env: {A: 1, B: 1, C: 1, HOME: , G: }\nmaster: {run: m, env: {B: 2, G: g}}\n"
      "workers: {run: w, env: {C: 2, TOKEN: , G: }}\n");
  request.env = {{"C", "3"}, {"N", std::nullopt}, {"G", "%{rank} ${X}"}};
  Plan plan = load(request);
  CHECK(plan.role("master")->env ==
        Env{{"A", "1"}, {"B", "2"}, {"C", "3"}, {"HOME", "/root"}, {"N", "3"}, {"G", "%%{rank} ${X}"}});
  CHECK(plan.role("workers")->env == Env{{"A", "1"},
                                         {"B", "1"},
                                         {"C", "3"},
                                         {"HOME", "/root"},
                                         {"N", "3"},
                                         {"G", "%%{rank} ${X}"},
                                         {"TOKEN", "t %%{x}"}});
}

TEST_CASE("spec: variables") {
  CHECK(plan_of("workers: {run: w, count: \"${N:-4}\"}\n").roles[0].count == 3);
  CHECK(plan_of("workers: {run: w, count: \"${M:-4}\"}\n").roles[0].count == 4);
  CHECK(plan_of("workers: \"echo ${N} $x $1 $$ $${y}\"\n").roles[0].run.argv[2] == "echo 3 $x $1 $$ ${y}");
  CHECK(plan_of("workers: [echo, \"${N}\", '%{rank}']\n").roles[0].run.argv == Argv{"echo", "3", "%{rank}"});
  CHECK(plan_of("workers: w\nlimits: {run: \"${LIMIT:-}\"}\n").limits.run == std::nullopt);
  CHECK(plan_of("workers: w\nenv: {A: \"${EMPTY}\"}\n").roles[0].env == Env{{"A", ""}});
  CHECK(plan_of("workers: w\nchannels: {t: {type: pool, stdio: \"${BOOL}\"}}\n").pool);
  CHECK(plan_of("workers: [echo, 010, 1.0, NO, true]\n").roles[0].run.argv == Argv{"echo", "010", "1.0", "NO", "true"});
  CHECK(plan_of("x-c: &c {run: \"${N}\"}\nworkers: *c\n").roles[0].run.argv[2] == "3");
  CHECK(plan_of("x-r: &r {count: 2, env: {A: 1}}\nworkers: {<<: *r, run: w}\n").roles[0].count == 2);
}

TEST_CASE("spec: overrides") {
  const std::string spec = "env: {A: 1}\nworkers: ./w\n";
  CHECK(plan_of(spec, {"workers.count=8"}).roles[0].count == 8);
  CHECK(plan_of(spec, {"workers.count=8"}).roles[0].run.argv[2] == "./w");
  CHECK(plan_of(spec, {"workers.count=8", "workers.count=2"}).roles[0].count == 2);
  CHECK(plan_of(spec, {"env.B=2"}).roles[0].env == Env{{"A", "1"}, {"B", "2"}});
  CHECK(plan_of(spec, {"env={B: x, C: '1'}"}).roles[0].env == Env{{"B", "x"}, {"C", "1"}});
  CHECK(plan_of(spec, {"retry.on_exit=[75,76]"}).retry.on_exit == std::vector<int>{75, 76});
  CHECK(plan_of(spec, {"workers=./other"}).roles[0].run.argv[2] == "./other");
  CHECK(plan_of(spec, {"workers=[a, b]"}).roles[0].run.argv == Argv{"a", "b"});
  CHECK(plan_of(spec, {"workers.run=\"./my prog\" -x"}).roles[0].run.argv[2] == "\"./my prog\" -x");
  CHECK(plan_of(spec, {"workers.run=echo %{rank}: a"}).roles[0].run.argv[2] == "echo %{rank}: a");
  CHECK(plan_of(spec, {"workers.run=%{rank}"}).roles[0].run.argv[2] == "%{rank}");
  CHECK(plan_of(spec, {"limits.run=90s"}).limits.run == 90s);
  CHECK(plan_of(spec + "limits: {run: 1h}\n", {"limits.run=null"}).limits.run == std::nullopt);
  CHECK(plan_of(spec, {"io.framing=nul"}).pool->framing == Framing::nul);
  CHECK(plan_of(spec, {"roles.sims={run: s, count: 3}"}).role("sims")->count == 3);
  CHECK(plan_of(spec, {"roles.sims=./s", "roles.sims.count=4"}).role("sims")->count == 4);
  CHECK(plan_of(spec, {"name='x-1'"}).name == "x-1");
  CHECK(plan_of(spec, {"env.A=NO"}).roles[0].env == Env{{"A", "NO"}});
  CHECK(plan_of("workers: {run: w, count: \"${UNSET}\"}\n", {"workers.count=2"}).roles[0].count == 2);
}

TEST_CASE("spec: the config file is the weakest") {
  LoadRequest request = request_of("workers: ./w\nenv: {A: 1}\nretry: {task_error: 1}\n");
  request.config = Document{"config.yaml",
                            "workers: {count: 9}\nmaster: {env: {X: 1}}\nroles: {r: ./r}\nenv: {A: 2, B: 2}\n"
                            "retry: {task_error: 5, worker_lost: 5}\non_task_failure: skip\n"};
  Plan plan = load(request);
  REQUIRE(plan.roles.size() == 1);
  CHECK(plan.roles[0].count == 9);
  CHECK(plan.roles[0].env == Env{{"A", "1"}, {"B", "2"}});
  CHECK(plan.retry.task_error == 1);
  CHECK(plan.retry.worker_lost == 5);
  CHECK(plan.on_task_failure == OnTaskFailure::skip);
  request = with(request, {"workers.count=1", "on_task_failure=abort"});
  CHECK(load(request).roles[0].count == 1);
  CHECK(load(request).on_task_failure == OnTaskFailure::abort);
  request.config = Document{"config.yaml", "# nothing\n"};
  CHECK(refusal(request) == "");
  request.config = Document{"/c/config.yaml", "done_when: some\nretry: {worker_lost: -1}\n"};
  CHECK(refusal(with(request, {"done_when=some"})) ==
        "/c/config.yaml:2:22: retry.worker_lost must be at least 0, found -1\n"
        "--set done_when: done_when must be master or all, found some");
}

TEST_CASE("map: a command and no spec") {
  LoadRequest request;
  request.command = {"./worker", "-x", "%{rank}", "${HOME}"};
  request.directory = "/tmp";
  request.cores = 6;
  Plan plan = load(request);
  CHECK(plan.name == "map");
  CHECK(plan.workdir == "/tmp");
  REQUIRE(plan.roles.size() == 1);
  CHECK(plan.roles[0].name == "workers");
  CHECK(plan.roles[0].count == 6);
  CHECK(plan.roles[0].run.argv == Argv{"./worker", "-x", "%%{rank}", "${HOME}"});
  REQUIRE(plan.pool);
  CHECK_FALSE(plan.pool->from);
  CHECK(load(with(request, {"workers.count=2"})).roles[0].count == 2);
  CHECK(load(with(request, {"io.framing=nul"})).pool->framing == Framing::nul);
  request.args = {"a b"};
  CHECK(load(request).roles[0].run.argv.back() == "a b");
  request.cores = 0;
  CHECK(load(request).roles[0].count >= 1);
  request.config = Document{"config.yaml", "workers: {count: 9}\n"};
  CHECK(load(request).roles[0].count == 9);
  CHECK(refusal(with(request, {"workers.count=0"})) ==
        "--set workers.count: workers.count must be at least 1, found 0");
}

TEST_CASE("arguments are appended to the master's command, else the workers'") {
  auto run = [](const std::string& text, const std::string& role) {
    LoadRequest request = request_of(text);
    request.args = {"--n", "a b", "it's", "%{rank}", "${N}", ""};
    return load(request).role(role)->run.argv;
  };
  const Argv tail = {"--n", "a b", "it's", "%%{rank}", "${N}", ""};
  Argv list = {"./m"};
  list.insert(list.end(), tail.begin(), tail.end());
  CHECK(run("master: [./m]\nworkers: ./w\n", "master") == list);
  CHECK(run("master: [./m]\nworkers: ./w\n", "workers") == Argv{"/bin/sh", "-c", "./w"});
  CHECK(run("workers: ./w -x\n", "workers") ==
        Argv{"/bin/sh", "-c", "./w -x --n 'a b' 'it'\\''s' '%%{rank}' '${N}' ''"});
  CHECK(run("workers: |\n  cd /\n  ./w\n", "workers")[2] == "cd /\n./w --n 'a b' 'it'\\''s' '%%{rank}' '${N}' ''");
  Argv positional = {"/bin/sh", "-c", "exec ./w \"$@\"", "sh"};
  positional.insert(positional.end(), tail.begin(), tail.end());
  CHECK(run("workers: exec ./w \"$@\"\n", "workers") == positional);
}

TEST_CASE("a lenient value for a role that the spec lacks is left out") {
  LoadRequest request = request_of("master: m\n");
  request.overrides.push_back({"workers.count", "3", "FIBER_WORKERS", true});
  CHECK(load(request).roles.size() == 1);
  request.spec->text += "workers: w\n";
  CHECK(load(request).role("workers")->count == 3);
}
