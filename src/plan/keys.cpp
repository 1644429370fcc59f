#include "plan/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fiber::plan {
namespace {

constexpr std::string_view kAll = "all";

/// path, kind, values, default, help, backends, missing feature
const std::vector<Key> kKeys = {
    {"fiber", Kind::number, "1..1", "1", "The version of the job spec.", kAll, ""},
    {"name", Kind::text, "", "from the file's name",
     "The name of the run: small letters, digits and -, beginning with a letter, at most 63 characters. Without it the "
     "file's base name in small letters, every other character as -, with run- before a digit.",
     kAll, ""},
    {"backend", Kind::choice, "local;docker|podman|slurm|kubernetes", "local", "Where the jobs live.", kAll, ""},
    {"workdir", Kind::text, "", "the spec's folder",
     "The working directory of every member. A relative path starts at the spec's folder.", kAll, ""},
    {"env", Kind::env, "", "{}",
     "Environment variables of every member. A variable without a value must be set by the caller, in the environment "
     "or with -e. Values are texts, taken as written.",
     kAll, ""},
    {"secrets", Kind::any, "", "[]", "Names of variables that travel sealed.", kAll, "secrets"},
    {"container", Kind::any, "", "absent", "The image that members run in.", kAll, "containers"},
    {"volumes", Kind::any, "", "[]", "Folders mounted into the jobs.", kAll, "volumes"},
    {"master", Kind::group, "", "none",
     "The role that hands out work; its exit code is the run's. A command alone is short for {run: COMMAND}.", kAll,
     ""},
    {"workers", Kind::group, "", "none", "The role that does the work. A command alone is short for {run: COMMAND}.",
     kAll, ""},
    {"roles", Kind::names, "", "{}", "Further roles by name, with the same keys.", kAll, ""},
    {"roles.NAME", Kind::group, "", "none", "A role: small letters, digits and _, beginning with a letter.", kAll, ""},
    {"ROLE.run", Kind::command, "", "none",
     "The program. A list is executed as it is; a string is given to /bin/sh -c.", kAll, ""},
    {"ROLE.count", Kind::number, "1..100000", "1",
     "How many members the role has; of a master always 1. With fiber map: the number of cores granted to fiber.", kAll,
     ""},
    {"ROLE.env", Kind::env, "", "{}", "Environment variables of the role, on top of the spec's.", kAll, ""},
    {"ROLE.per_job", Kind::number, "1..100000", "all members",
     "How many members share one job. A run has at most 400 jobs.", kAll, ""},
    {"ROLE.mode", Kind::choice, "loop;exec", "loop", "loop: a program reads many records.", kAll, ""},
    {"ROLE.on_failure", Kind::choice, "replace|abort;restart|ignore", "replace for readers of a pool, else abort",
     "What happens when a member fails: it is replaced, or the run ends.", kAll, ""},
    {"ROLE.max_tasks", Kind::any, "", "none", "A member is recycled after so many tasks.", kAll, "recycling"},
    {"ROLE.resources", Kind::any, "", "{}", "cpu, memory and gpu of a member.", kAll, "resources"},
    {"ROLE.container", Kind::any, "", "absent", "The image that members run in.", kAll, "containers"},
    {"ROLE.volumes", Kind::any, "", "[]", "Folders mounted into the jobs.", kAll, "volumes"},
    {"channels", Kind::names, "", "the default pool",
     "Links between roles by name. Without any, a pool named tasks leads from the master, or from fiber's own stdin "
     "and "
     "stdout, to the workers.",
     kAll, ""},
    {"channels.NAME", Kind::group, "", "none", "A channel: small letters, digits and _, beginning with a letter.", kAll,
     ""},
    {"channels.NAME.type", Kind::choice, "pool;queue|pipe|broadcast|ring|store", "none",
     "pool: every record gets exactly one reply, from whichever member is free.", kAll, ""},
    {"channels.NAME.from", Kind::role, "", "master, else stdin and stdout of fiber",
     "The role of one member that writes the records and reads the replies.", kAll, ""},
    {"channels.NAME.to", Kind::role, "", "workers", "The role that reads the records and writes the replies.", kAll,
     ""},
    {"channels.NAME.between", Kind::any, "", "none", "The two members of a pipe.", kAll, "pipes"},
    {"channels.NAME.among", Kind::any, "", "none", "The role of a ring.", kAll, "rings"},
    {"channels.NAME.stdio", Kind::flag, "", "true", "The channel rides on stdin and stdout of its members.", kAll, ""},
    {"channels.NAME.route", Kind::choice, "any;key|member", "any", "Who gets a record: any free member.", kAll, ""},
    {"channels.NAME.order", Kind::choice, "input|completion", "input",
     "The order of the replies: that of the records, or as they are done.", kAll, ""},
    {"channels.NAME.framing", Kind::choice, "lines|nul|len32", "as in io",
     "How records are told apart on this channel.", kAll, ""},
    {"channels.NAME.reply", Kind::choice, "one|many", "as in io", "What answers a record on this channel.", kAll, ""},
    {"channels.NAME.envelope", Kind::choice, "none|id", "as in io", "What is put before a record on this channel.",
     kAll, ""},
    {"channels.NAME.max_record", Kind::size, "1..2047Mi", "as in io", "The largest record of this channel.", kAll, ""},
    {"channels.NAME.limit", Kind::any, "", "none", "How many records may wait.", kAll, "queues"},
    {"channels.NAME.eof", Kind::any, "", "none", "What ends a writer.", kAll, "channels beside stdin and stdout"},
    {"channels.NAME.lost", Kind::any, "", "none", "What happens to calls to a lost member.", kAll, "keyed pools"},
    {"channels.NAME.keep", Kind::any, "", "all", "May a slow member skip records.", kAll, "broadcast channels"},
    {"channels.NAME.memory", Kind::any, "", "none", "The memory of a store.", kAll, "stores"},
    {"io", Kind::group, "", "{}", "Defaults of every channel.", kAll, ""},
    {"io.framing", Kind::choice, "lines|nul|len32", "lines",
     "How records are told apart: by newline, by a zero byte, by a length of 4 bytes, big-endian, before each.", kAll,
     ""},
    {"io.reply", Kind::choice, "one|many", "one", "What answers a record: one record, or many up to an empty one.",
     kAll, ""},
    {"io.envelope", Kind::choice, "none|id", "none",
     "id: the record's number and a tab stand before each record, and the reply must begin with the same.", kAll, ""},
    {"io.max_record", Kind::size, "1..2047Mi", "64Mi", "The largest record.", kAll, ""},
    {"retry", Kind::group, "", "{}", "When a record is executed again.", kAll, ""},
    {"retry.worker_lost", Kind::number, "0..1000000", "3", "Further tries of a record whose worker died.", kAll, ""},
    {"retry.task_error", Kind::number, "0..1000000", "0", "Further tries of a record that ended in an error.", kAll,
     ""},
    {"retry.on_exit", Kind::codes, "1..255", "[75]",
     "Exit codes of a worker that ask for its record to be tried again; such tries are not counted.", kAll, ""},
    {"retry.backoff", Kind::durations, "", "1s..30s", "The pause before a further try: the first and the longest.",
     kAll, ""},
    {"retry.speculate", Kind::any, "", "none", "A second copy of a slow record.", kAll, "speculation"},
    {"on_task_failure", Kind::choice, "reply|skip|abort", "reply",
     "What becomes of a record that failed for good: an error is its reply, it is left out, or the run ends.", kAll,
     ""},
    {"done_when", Kind::choice, "master|all", "master, else all",
     "The run ends with the master, or with all roles that read no pool.", kAll, ""},
    {"start", Kind::group, "", "{}", "When the run begins.", kAll, ""},
    {"start.min_ready", Kind::any, "", "1", "Members to wait for.", kAll, "waiting for several members"},
    {"start.timeout", Kind::any, "", "none", "How long to wait for them.", kAll, "a limit on the start"},
    {"limits", Kind::group, "", "{}", "Bounds.", kAll, ""},
    {"limits.run", Kind::duration, "1ms..876000h", "none", "The longest time of the run.", kAll, ""},
    {"limits.grace", Kind::duration, "0s..876000h", "10s", "The time between asking a program to end and killing it.",
     kAll, ""},
    {"limits.spill", Kind::size, "0..8191Pi", "10Gi", "The largest amount of waiting records on disk.", kAll, ""},
    {"limits.task", Kind::any, "", "none", "The longest time of a record.", kAll, "a limit per task"},
    {"limits.silence", Kind::any, "", "15s", "When a silent job counts as lost.", kAll, "another limit of silence"},
    {"limits.max_failures", Kind::any, "", "none", "Failed records that end the run.", kAll, "a limit of failures"},
    {"limits.bad_worker_after", Kind::any, "", "none", "Failures that take a member out.", kAll,
     "taking out bad workers"},
    {"log", Kind::choice, "all|failures", "all", "What the task log keeps.", kAll, "the task log"},
    {"matrix", Kind::any, "", "none", "A sweep over values.", kAll, "sweeps"},
    {"zip", Kind::any, "", "none", "A sweep over values side by side.", kAll, "sweeps"},
    {"include", Kind::any, "", "none", "Further points of a sweep.", kAll, "sweeps"},
    {"exclude", Kind::any, "", "none", "Points left out of a sweep.", kAll, "sweeps"},
    {"table", Kind::any, "", "none", "Fields in the table of a sweep.", kAll, "sweeps"},
    {"outputs", Kind::any, "", "[]", "What is brought back to the caller.", kAll, "outputs"},
    {"slurm", Kind::any, "", "{}", "Extras of Slurm.", "slurm", "Slurm"},
    {"kubernetes", Kind::any, "", "{}", "Extras of Kubernetes.", "kubernetes", "Kubernetes"},
    {"docker", Kind::any, "", "{}", "Extras of Docker.", "docker", "Docker"},
    {"podman", Kind::any, "", "{}", "Extras of Podman.", "podman", "Podman"},
    {"local", Kind::any, "", "{}", "Extras of the local backend.", "local", "extras of the local backend"},
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), older;
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    older = before;
    before = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1])});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row[b.size()];
}

void split_words(std::string_view list, std::vector<std::string_view>& out) {
  while (!list.empty()) {
    auto bar = std::min(list.find('|'), list.size());
    out.push_back(list.substr(0, bar));
    list.remove_prefix(std::min(bar + 1, list.size()));
  }
}

std::string spoken(const std::vector<std::string_view>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

}  // namespace

const std::vector<Key>& keys() { return kKeys; }

const Key* find_key(std::string_view pattern) {
  auto found = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& key) { return key.path == pattern; });
  return found == kKeys.end() ? nullptr : &*found;
}

std::string child_pattern(std::string_view parent, std::string_view child) {
  if (parent.empty()) return std::string(child);
  if (parent == "master" || parent == "workers" || parent == "roles.NAME") parent = "ROLE";
  return fmt::format("{}.{}", parent, child);
}

std::vector<const Key*> children(std::string_view parent) {
  std::vector<const Key*> out;
  for (const Key& key : kKeys) {
    if (key.path.substr(0, 5) == "ROLE." && parent.empty()) continue;
    if (key.path == child_pattern(parent, key.name())) out.push_back(&key);
  }
  return out;
}

std::vector<std::string_view> choices(const Key& key, bool known) {
  std::vector<std::string_view> out;
  auto semicolon = std::min(key.values.find(';'), key.values.size());
  split_words(key.values.substr(0, semicolon), out);
  if (known && semicolon < key.values.size()) split_words(key.values.substr(semicolon + 1), out);
  return out;
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& words) {
  std::string_view best;
  std::size_t least = word.size() <= 3 ? 2 : word.size() <= 6 ? 3 : 4;  // exclusive
  if (word.empty() || word.size() > 64) return best;
  for (std::string_view candidate : words) {
    std::size_t distance = edit_distance(word, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string home_of(std::string_view name) {
  for (const Key& key : kKeys) {
    if (key.name() != name || key.path.find('.') == std::string_view::npos) continue;
    if (key.path.substr(0, 5) == "ROLE.") return fmt::format("workers.{}", name);
    return std::string(key.path);
  }
  return {};
}

std::string expectation(const Key& key) {
  switch (key.kind) {
    case Kind::group:
      return key.path == "master" || key.path == "workers" || key.path == "roles.NAME" ? "a command or a map" : "a map";
    case Kind::names:
    case Kind::env:
      return "a map";
    case Kind::command:
      return "a command: text or a list of texts";
    case Kind::text:
      return "text";
    case Kind::choice:
      return spoken(choices(key));
    case Kind::flag:
      return "true or false";
    case Kind::number:
      return "a whole number";
    case Kind::size:
      return "a size such as 64Mi or 2G";
    case Kind::duration:
      return "a time such as 90s, 15m or 2h30m";
    case Kind::durations:
      return "two times such as 1s..30s";
    case Kind::codes:
      return "a list of exit codes such as [75, 76]";
    case Kind::role:
      return "the name of a role";
    case Kind::any:
      return "absent";
  }
  return {};
}

}  // namespace fiber::plan
