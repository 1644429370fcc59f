#include "plan/mistakes.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "loading.hpp"

using namespace fiber::plan;

TEST_CASE("mistakes: five in one spec, all at their places, in order") {
  CHECK(
      refusal("name: Train\n"
              "worker: ./x\n"
              "workers:\n"
              "  run: ./w ${NONE}\n"
              "  count: 0\n"
              "limits: {run: 90}\n") ==
      "train.yaml:1:7: name must be small letters, digits and -, beginning with a letter, at most 63 characters, found "
      "Train\n"
      "train.yaml:2:1: unknown key worker, did you mean workers?\n"
      "train.yaml:4:12: NONE is not set; ${NONE:-...} would give it a default\n"
      "train.yaml:5:10: workers.count must be at least 1, found 0\n"
      "train.yaml:6:15: limits.run must be a time such as 90s, 15m or 2h30m, found 90; add a unit, as in 90s");
}

namespace {

// the text behind `workers: w` in line 1
const std::pair<const char*, const char*> kMistakes[] = {
    {"nmae: x", "2:1: unknown key nmae, did you mean name?"},
    {"count: 3", "2:1: unknown key count, did you mean workers.count?"},
    {"zzzzzz: 3", "2:1: unknown key zzzzzz"},
    {"\"a\\eb\": 1", "2:1: unknown key a\\x1bb"},
    {"name: x\nname: y", "3:1: duplicate key name, first given in line 2"},
    {"name: [x]", "2:7: name must be text, found a list"},
    {"name: ''", "2:7: name must be text, found an empty text"},
    {"name: a_b",
     "2:7: name must be small letters, digits and -, beginning with a letter, at most 63 characters, found a_b"},
    {"name: '%{run}'", "2:7: name: %{...} is known in run and env only"},
    {"fiber: 2", "2:8: fiber: 2 is a version of the job spec that is not known here; known is 1"},
    {"fiber: one", "2:8: fiber must be a whole number, found one"},
    {"fiber:", "2:1: fiber must be a whole number, found nothing"},
    {"backend: docker", "2:10: backend: docker is not supported by this version of fiber"},
    {"backend: exec:./mine", "2:10: backend: exec:./mine is not supported by this version of fiber"},
    {"backend: locl", "2:10: backend must be local, found locl, did you mean local?"},
    {"workdir: nowhere", "2:10: workdir: /tmp/nowhere does not exist"},
    {"workdir: /etc/passwd", "2:10: workdir: /etc/passwd is not a directory"},
    {"env: [A]", "2:6: env must be a map, found a list"},
    {"env: {A: [x]}", "2:10: env.A must be text, found a list"},
    {"env: {A: {}}", "2:10: env.A must be text, found a map"},
    {"env: {A: }", "2:7: env.A has no value and is not set: give it with -e A=..."},
    {"env: {a b: 1}", "2:7: env.a b is no name of a variable: letters, digits and _"},
    {"env: {1A: 1}", "2:7: env.1A is no name of a variable: letters, digits and _"},
    {"env: {FIBER_RANK: 1}", "2:7: env.FIBER_RANK is set by fiber itself"},
    {"env: {A: \"x\\0y\"}", "2:10: env.A holds a NUL character"},
    {"env: {A: \"é %{rnk}\"}", "2:13: unknown placeholder %{rnk}, did you mean %{rank}?"},
    {"env: {A: \"${x%.*}\"}", "2:11: ${x%.*} is no form of ${...} that fiber knows; write $${ for a literal ${"},
    {"secrets: [A]", "2:1: secrets is not supported by this version of fiber"},
    {"container: {}", "2:1: container (containers) is not supported by this version of fiber"},
    {"volumes: [a:/b]", "2:1: volumes is not supported by this version of fiber"},
    {"matrix: {a: [1]}", "2:1: matrix (sweeps) is not supported by this version of fiber"},
    {"zip: {a: [1]}", "2:1: zip (sweeps) is not supported by this version of fiber"},
    {"include: [{a: 1}]", "2:1: include (sweeps) is not supported by this version of fiber"},
    {"exclude: [{a: 1}]", "2:1: exclude (sweeps) is not supported by this version of fiber"},
    {"table: [x]", "2:1: table (sweeps) is not supported by this version of fiber"},
    {"outputs: [x]", "2:1: outputs is not supported by this version of fiber"},
    {"slurm: {a: 1}", "2:1: slurm (Slurm) is not supported by this version of fiber"},
    {"kubernetes: {a: 1}", "2:1: kubernetes (Kubernetes) is not supported by this version of fiber"},
    {"docker: {a: 1}", "2:1: docker (Docker) is not supported by this version of fiber"},
    {"podman: {a: 1}", "2:1: podman (Podman) is not supported by this version of fiber"},
    {"local: {link: tcp}", "2:1: local (extras of the local backend) is not supported by this version of fiber"},
    {"start: {min_ready: 2}",
     "2:9: start.min_ready (waiting for several members) is not supported by this version of fiber"},
    {"start: {timeout: 5s}", "2:9: start.timeout (a limit on the start) is not supported by this version of fiber"},
    {"limits: {task: 1s}", "2:10: limits.task (a limit per task) is not supported by this version of fiber"},
    {"limits: {silence: 1s}",
     "2:10: limits.silence (another limit of silence) is not supported by this version of fiber"},
    {"limits: {max_failures: 1}",
     "2:10: limits.max_failures (a limit of failures) is not supported by this version of fiber"},
    {"limits: {bad_worker_after: 1}",
     "2:10: limits.bad_worker_after (taking out bad workers) is not supported by this version of fiber"},
    {"limits: {run: 0s}", "2:15: limits.run must be at least 1ms, found 0s"},
    {"limits: {grace: -1s}", "2:17: limits.grace must not be negative, found -1s"},
    {"limits: {spill: 1GB}", "2:17: limits.spill must be a size such as 64Mi or 2G, found 1GB; write 1G"},
    {"limits: {spill: 9Ei}", "2:17: limits.spill must be at most 8191Pi, found 9Ei"},
    {"limits: 5", "2:9: limits must be a map, found 5"},
    {"limits: {rnu: 5s}", "2:10: unknown key limits.rnu, did you mean limits.run?"},
    {"io: {max_record: 0}", "2:18: io.max_record must be at least 1, found 0"},
    {"io: {max_record: 2Gi}", "2:18: io.max_record must be at most 2047Mi, found 2Gi"},
    {"io: {framing: json}", "2:15: io.framing must be lines, nul or len32, found json"},
    {"io: {framing: }", "2:6: io.framing must be lines, nul or len32, found nothing"},
    {"io: {reply: two}", "2:13: io.reply must be one or many, found two"},
    {"retry: {worker_lost: many}", "2:22: retry.worker_lost must be a whole number, found many"},
    {"retry: {worker_lost: \"3\"}", "2:22: retry.worker_lost must be a whole number, found 3 in quotes"},
    {"retry: {worker_lost: 010}", "2:22: retry.worker_lost must be a whole number, found 010"},
    {"retry: {on_exit: 75}", "2:18: retry.on_exit must be a list of exit codes such as [75, 76], found 75"},
    {"retry: {on_exit: [0]}", "2:19: item 1 of retry.on_exit must be at least 1, found 0"},
    {"retry: {on_exit: [1, 256]}", "2:22: item 2 of retry.on_exit must be at most 255, found 256"},
    {"retry: {backoff: 30s..1s}", "2:18: retry.backoff must begin with the shorter time, found 30s..1s"},
    {"retry: {speculate: 3x}", "2:9: retry.speculate (speculation) is not supported by this version of fiber"},
    {"on_task_failure: stop", "2:18: on_task_failure must be reply, skip or abort, found stop, did you mean skip?"},
    {"done_when: master", "2:12: done_when: master, and there is no master"},
    {"done_when: some", "2:12: done_when must be master or all, found some"},
    {"log: failures", "2:1: log (the task log) is not supported by this version of fiber"},
    {"master:", "2:1: master runs nothing: give master.run"},
    {"master: {count: 1}", "2:1: master runs nothing: give master.run"},
    {"master: {run: m, count: 2}", "2:25: master.count must be 1, found 2"},
    {"master: []", "2:9: master.run must not be an empty list"},
    {"master: ''", "2:9: master.run must be a command: text or a list of texts, found an empty text"},
    {"master: ['', x]", "2:10: item 1 of master.run is an empty text: a program is needed"},
    {"master: [x, ~]", "2:13: item 2 of master.run must be text, found nothing"},
    {"master: [x, [y]]", "2:13: item 2 of master.run must be text, found a list"},
    {"master: {run: {a: b}}", "2:15: master.run must be a command: text or a list of texts, found a map"},
    {"master: curl -w '%{http_code}'", "2:18: unknown placeholder %{http_code}; write %%{ for a literal %{"},
    {"master: {run: m, mode: exec}", "2:24: master.mode: exec is not supported by this version of fiber"},
    {"master: {run: m, on_failure: restart}",
     "2:30: master.on_failure: restart is not supported by this version of fiber"},
    {"master: {run: m, on_failure: replace}",
     "2:30: on_failure: replace for a role that reads no pool is not supported by this version of fiber"},
    {"master: {run: m, resources: {cpu: 1}}", "2:18: master.resources is not supported by this version of fiber"},
    {"master: {run: m, max_tasks: 5}", "2:18: master.max_tasks (recycling) is not supported by this version of fiber"},
    {"master: {run: m, volumes: [x]}", "2:18: master.volumes is not supported by this version of fiber"},
    {"master: {run: m, container: {image: x}}",
     "2:18: master.container (containers) is not supported by this version of fiber"},
    {"master: {run: m, per_job: 0}", "2:27: master.per_job must be at least 1, found 0"},
    {"roles: ./x", "2:8: roles must be a map, found ./x"},
    {"roles: {A: x}", "2:9: roles.A is no name: small letters, digits and _, beginning with a letter"},
    {"roles: {a-b: x}", "2:9: roles.a-b is no name: small letters, digits and _, beginning with a letter"},
    {"roles: {master: x}", "2:9: roles.master is written master, without roles"},
    {"roles: {s: {run: s, count: {min: 1, max: 3}}}",
     "2:28: roles.s.count: {min, max} (elastic roles) is not supported by this version of fiber"},
    {"roles: {s: {run: s, count: 100001}}", "2:28: roles.s.count must be at most 100000, found 100001"},
    {"roles: {s: {run: s, count: 1.5}}", "2:28: roles.s.count must be a whole number, found 1.5"},
    {"roles: {s: {run: s, count: 401, per_job: 1}}",
     "2:42: per_job splits the run into 402 jobs, at most 400 are possible: make it larger"},
    {"roles: {s: {run: s, cuont: 1}}", "2:21: unknown key roles.s.cuont, did you mean roles.s.count?"},
    {"channels: [x]", "2:11: channels must be a map, found a list"},
    {"channels: {T: {type: pool}}",
     "2:12: channels.T is no name: small letters, digits and _, beginning with a letter"},
    {"channels: {t: {to: workers}}", "2:12: channels.t.type is missing: pool"},
    {"channels: {t: {type: pol}}", "2:22: channels.t.type must be pool, found pol, did you mean pool?"},
    {"channels: {t: {type: queue, from: [a], to: b, limit: 3}}",
     "2:22: channels.t.type: queue is not supported by this version of fiber"},
    {"channels: {t: {type: pipe, between: [a, b]}}",
     "2:22: channels.t.type: pipe is not supported by this version of fiber"},
    {"channels: {t: {type: store, memory: 1Gi}}",
     "2:22: channels.t.type: store is not supported by this version of fiber"},
    {"channels: {t: {type: ring, amnog: x}}",
     "2:22: channels.t.type: ring is not supported by this version of fiber\n"
     "train.yaml:2:28: unknown key channels.t.amnog, did you mean channels.t.among?"},
    {"channels: {t: {type: pool}, u: {type: pool}}",
     "2:29: channels.u: more than one channel is not supported by this version of fiber"},
    {"channels: {t: {type: pool, from: boss}}", "2:34: channels.t.from: there is no role boss"},
    {"channels: {t: {type: pool, to: boss}}", "2:32: channels.t.to: there is no role boss"},
    {"channels: {t: {type: pool, to: Boss}}", "2:32: channels.t.to must be the name of a role, found Boss"},
    {"channels: {t: {type: pool, from: [a, b]}}",
     "2:34: channels.t.from of a pool must be one role, found a list of 2"},
    {"channels: {t: {type: pool, from: workers}}", "2:12: channels.t leads from workers to itself"},
    {"channels: {t: {type: pool, from: s}}\nroles: {s: {run: s, count: 2}}",
     "2:12: channels.t.from must be a role of one member, s has 2"},
    {"channels: {t: {type: pool, from: a, to: b}}\nroles: {a: a, b: b}",
     "2:12: channels.t beside the default pool of the workers: more than one channel is not supported by this "
     "version of fiber"},
    {"channels: {t: {type: pool, stdio: false}}",
     "2:35: channels.t.stdio: false (FIFOs) is not supported by this version of fiber"},
    {"channels: {t: {type: pool, stdio: yes}}", "2:35: channels.t.stdio must be true or false, found yes"},
    {"channels: {t: {type: pool, stdio: 'true'}}",
     "2:35: channels.t.stdio must be true or false, found true in quotes"},
    {"channels: {t: {type: pool, route: key}}",
     "2:35: channels.t.route: key is not supported by this version of fiber"},
    {"channels: {t: {type: pool, order: inptu}}",
     "2:35: channels.t.order must be input or completion, found inptu, did you mean input?"},
    {"channels: {t: {type: pool, limit: 3}}",
     "2:28: channels.t.limit (queues) is not supported by this version of fiber"},
    {"channels: {t: {type: pool, eof: close}}",
     "2:28: channels.t.eof (channels beside stdin and stdout) is not supported by this version of fiber"},
    {"channels: {t: {type: pool, lost: retry}}",
     "2:28: channels.t.lost (keyed pools) is not supported by this version of fiber"},
};

}  // namespace

TEST_CASE("mistakes: one at a time") {
  for (auto [text, expected] : kMistakes) {
    CAPTURE(text);
    CHECK(refusal(std::string("workers: w\n") + text + "\n") == std::string("train.yaml:") + expected);
  }
}

TEST_CASE("mistakes: whole files") {
  const std::pair<std::string, const char*> cases[] = {
      {"", "train.yaml:1:1: the file is empty: expected the keys of a job spec"},
      {"# nothing\n", "train.yaml:1:1: the file is empty: expected the keys of a job spec"},
      {"---\n", "train.yaml:1:1: the file is empty: expected the keys of a job spec"},
      {"- a\n", "train.yaml:1:1: expected a map of keys, found a list"},
      {"hello\n", "train.yaml:1:1: expected a map of keys, found text"},
      {"{}\n", "train.yaml:1:1: nothing to run: give master, workers or roles"},
      {"name: x\n", "train.yaml:1:1: nothing to run: give master, workers or roles"},
      {"workers: w\n---\nworkers: w\n", "train.yaml:2:1: a second document: a file holds one"},
      {"workers: %{rank}\n", "train.yaml:1:10: syntax: a value may not begin with %: quote it"},
      {"workers: w\nenv: {A: ${X}}\n", "train.yaml:2:10: quote a value that holds ${...} inside [] and {}"},
      {std::string(10u << 20, 'x'), "train.yaml:1:1: the file is too big: over 1 MiB"},
      {std::string(1u << 20, '\n') + "a: 1", "train.yaml:1:1: the file is too big: over 1 MiB"},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(text.substr(0, 100));
    CHECK(refusal(text) == expected);
  }
}

TEST_CASE("mistakes: on the command line") {
  const std::pair<std::string, const char*> cases[] = {
      {"workers.cont=3", "--set workers.cont: unknown key workers.cont, did you mean workers.count?"},
      {"workers.count=x", "--set workers.count: workers.count must be a whole number, found x"},
      {"workers.count=", "--set workers.count: workers.count must be a whole number, found nothing"},
      {"name.x=1", "--set name.x: name must be text, found a map"},
      {"wrkers.count=1", "--set wrkers.count: unknown key wrkers, did you mean workers?"},
      {"env={A: 1", "--set env: env cannot be read: a key must be text, not a list or a map: is a [ or { not closed?"},
      {"retry.on_exit=[75, 0]", "--set retry.on_exit: item 2 of retry.on_exit must be at least 1, found 0"},
      {"retry.on_exit=75",
       "--set retry.on_exit: retry.on_exit must be a list of exit codes such as [75, 76], found 75"},
      {"matrix={a: [1]}", "--set matrix: matrix (sweeps) is not supported by this version of fiber"},
      {"master.count=2",
       "--set master.count: master runs nothing: give master.run\n"
       "--set master.count: master.count must be 1, found 2"},
      {"a..b=1", "--set a..b: a..b is not the path of a key"},
      {".=1", "--set .: . is not the path of a key"},
      {"workdir=nowhere", "--set workdir: workdir: /tmp/nowhere does not exist"},
      {"name=${NONE}", "--set name: NONE is not set; ${NONE:-...} would give it a default"},
  };
  for (const auto& [setting, expected] : cases) {
    CAPTURE(setting);
    CHECK(refusal(with(request_of("workers: w\n"), {setting})) == expected);
  }
  LoadRequest request = request_of("workers: {run: w, count: 0}\n");
  request.env = {{"GONE", std::nullopt}};
  CHECK(refusal(with(request, {"done_when=x"})) ==
        "train.yaml:1:26: workers.count must be at least 1, found 0\n"
        "--set done_when: done_when must be master or all, found x\n"
        "-e GONE: GONE is not set");
  LoadRequest lonely = request_of("roles: {a: ./a}\n");
  lonely.args = {"x"};
  CHECK(refusal(lonely) == "train.yaml:1:1: arguments are given, and there is neither a master nor workers");
}

TEST_CASE("mistakes: at most fifty are printed") {
  std::string text = "workers: w\n";
  for (int i = 0; i < 1000; ++i) text += fmt::format("bad{}: 1\n", i);
  std::string all = refusal(text);
  CHECK(std::count(all.begin(), all.end(), '\n') == 50);
  CHECK(all.find("\n... and 950 more") != std::string::npos);
  CHECK(all.find("train.yaml:51:1: unknown key bad49") != std::string::npos);
}

TEST_CASE("mistakes: files of nothing but mistakes") {
  std::string keys, roles = "roles:\n", env = "workers: w\nenv:\n";
  for (int i = 0; i < 40'000; ++i) {
    keys += fmt::format("workes{}: 1\n", i);
    roles += fmt::format("  r{}: x\n", i);
    env += fmt::format("  V{}: \n", i);
  }
  CHECK(refusal(keys).find("... and 39951 more") != std::string::npos);
  CHECK(refusal(roles) == "train.yaml:2:3: roles has 40000 roles, at most 400 are possible");
  CHECK(refusal(env) == "train.yaml:3:3: env has 40000 variables, at most 4096 are possible");
}

TEST_CASE("mistakes: random specs are read or refused, never more") {
  const std::string seed =
      "fiber: 1\nname: t\nenv: {A: \"${N:-1}\", B: x}\nmaster: &m\n  run: [python3, 'm.py', \"%{rank}\"]\n"
      "workers:\n  <<: *m\n  count: 4\n  per_job: 2\nchannels:\n  t: {type: pool, from: master, to: workers}\n"
      "retry: {on_exit: [75], backoff: 1s..30s}\nlimits:\n  run: 2h30m\n  spill: 10Gi\nlog: all\n";
  const std::string alphabet = "\n\n  ::--[]{}\"'&*!|>%#?,$~ab0159smhGi_.\xc3\xa9";
  const std::vector<std::string> words = {
      "count", "run: ",  "{min: 1}", "[a, b]", "null", "${", "%{", "-1", "workers", "master", "999999999999999999999",
      "x-",    "<<: *m", "type: ",   "1s..",   "true"};
  std::mt19937 random(7);
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  int read = 0;
  for (int round = 0; round < 4'000; ++round) {
    std::string text = seed;
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = alphabet[below(alphabet.size())];
          break;
        case 1:
          text.insert(at, words[below(words.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(6));
          break;
        default:
          text.insert(at, 1, alphabet[below(alphabet.size())]);
      }
    }
    std::string said = refusal(text);
    REQUIRE(said != "wrong code");
    read += said.empty();
  }
  CHECK(read > 100);
}
