#include <doctest/doctest.h>

#include "base/yaml.hpp"
#include "loading.hpp"

using namespace fiber::plan;

TEST_CASE("text: a plan, one fact a line") {
  LoadRequest request = request_of(
      "master: [python3, master.py]\nworkers: {run: './w \"%{rank}\"', count: 2, env: {A: 010}}\n"
      "limits: {run: 90s}\n");
  CHECK(to_text(load(request)) ==
        "fiber: 1\n"
        "name: train\n"
        "backend: local\n"
        "workdir: /tmp\n"
        "master:\n"
        "  run: [python3, master.py]\n"
        "  count: 1\n"
        "workers:\n"
        "  run: \"./w \\\"%{rank}\\\"\"\n"
        "  count: 2\n"
        "  env:\n"
        "    A: \"010\"\n"
        "channels:\n"
        "  tasks:\n"
        "    type: pool\n"
        "    from: master\n"
        "    to: workers\n"
        "    order: input\n"
        "    framing: lines\n"
        "    reply: one\n"
        "    envelope: none\n"
        "    max_record: 64Mi\n"
        "retry:\n"
        "  worker_lost: 3\n"
        "  task_error: 0\n"
        "  on_exit: [75]\n"
        "  backoff: 1s..30s\n"
        "on_task_failure: reply\n"
        "done_when: master\n"
        "limits:\n"
        "  run: 1m30s\n"
        "  grace: 10s\n"
        "  spill: 10Gi\n");
}

TEST_CASE("text: a printed plan is a job spec and means the same") {
  const char* specs[] = {
      "workers: cat\n",
      "master: ./m\n",
      "workers: {run: \"a\\tb\\n'c' \\\"d\\\" \\\\ $${x} %%{y} %{rank} é # : {}\", count: 3}\n",
      "workers: ['', x]\n",
      "workers: [x, '', ' ', '-', '~', 'null', 'yes', 'NO', '010', '1e3', 'a: b', 'a #b', '*a', '&a', '!a', '%a', "
      "'@a', "
      "'[', '{', '}', ',', '?', '|', '>', '`', \"\\x01\\x1b\\x7f\", \"\\r\\n\", '${N}', '$${N}', \"\\u2028\"]\n",
      "env: {A: NO, B: '', C: \"%{run}/x\", D: '=', NO: NO, y: n}\nroles: {b: ./b, a: {run: [a], count: 5, per_job: "
      "2}}\n",
      "roles: {boss: b, sims: {run: s, count: 9}}\nchannels: {c: {type: pool, from: boss, to: sims, reply: many}}\n",
      "workers: w\nio: {framing: len32, envelope: id, max_record: 1234567}\nretry: {on_exit: [], backoff: 0s..1h}\n"
      "on_task_failure: skip\nlimits: {run: 1ms, grace: 0s, spill: 0}\nworkdir: /usr/lib\n",
  };
  for (const char* spec : specs) {
    CAPTURE(spec);
    std::string said = refusal(spec);
    if (said.find("empty text") != std::string::npos) continue;  // ['', x] is no command
    REQUIRE(said == "");
    std::string text = to_text(load(request_of(spec)));
    CAPTURE(text);
    CHECK(fiber::base::parse_yaml(text).mistakes.empty());
    CHECK(refusal(text) == "");
    CHECK(to_text(load(request_of(text))) == text);
    Plan a = load(request_of(spec)), b = load(request_of(text));
    REQUIRE(a.roles.size() == b.roles.size());
    for (std::size_t i = 0; i < a.roles.size(); ++i) {
      CHECK(a.roles[i].run.argv == b.roles[i].run.argv);
      CHECK(a.roles[i].env == b.roles[i].env);
      CHECK(a.roles[i].count == b.roles[i].count);
    }
  }
}

TEST_CASE("text: only the plan's own environment is printed") {
  std::string text = to_text(load(request_of("workers: w\nenv: {A: 1}\n")));
  CHECK(text.find("TOKEN") == std::string::npos);
  CHECK(text.find("HOME") == std::string::npos);
}
