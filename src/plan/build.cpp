#include "plan/build.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "plan/check.hpp"
#include "plan/command.hpp"
#include "plan/interpolate.hpp"
#include "plan/quantity.hpp"

namespace fiber::plan {
namespace {

using base::Position;
using base::printable;
using base::Yaml;
using base::YamlEntry;

constexpr unsigned kMaxJobs = 400;

unsigned granted_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

/// A value of a map, where there is one that was not refused.
const Yaml* get(const Yaml& map, std::string_view key) {
  const YamlEntry* entry = map.find(key);
  return entry && !entry->value.is_null() ? &entry->value : nullptr;
}

unsigned number(const Yaml& map, std::string_view key, unsigned fallback) {
  const Yaml* value = get(map, key);
  return value ? static_cast<unsigned>(*read_number(value->text).value) : fallback;
}

/// The position of a word in a list; the enumerations are in the same order.
template <class Enum>
void choose(const Yaml& map, std::string_view key, std::initializer_list<std::string_view> words, Enum& out) {
  const Yaml* value = get(map, key);
  if (!value) return;
  auto found = std::find(words.begin(), words.end(), value->text);
  if (found != words.end()) out = static_cast<Enum>(found - words.begin());
}

/// A role in the making, with its place in the spec.
struct Draft {
  Role role;
  Position at;
  const Yaml* map = nullptr;
};

class Builder {
 public:
  Builder(const Yaml& root, const LoadRequest& request, Mistakes& mistakes)
      : root_(root), request_(request), mistakes_(mistakes) {}

  Plan run() {
    static const Yaml kNothing = Yaml::map({});
    plan_.name = text("name", request_.spec ? name_from_file(request_.spec->file) : "map");
    workdir();
    io_ = get(root_, "io") ? get(root_, "io") : &kNothing;
    roles();
    pool();
    on_failure();
    jobs();
    append_args();
    retry(get(root_, "retry") ? *get(root_, "retry") : kNothing);
    limits(get(root_, "limits") ? *get(root_, "limits") : kNothing);
    rest();
    for (Draft& draft : drafts_) plan_.roles.push_back(std::move(draft.role));
    return std::move(plan_);
  }

 private:
  std::string text(std::string_view key, const std::string& fallback) const {
    const Yaml* value = get(root_, key);
    return value ? value->text : fallback;
  }

  Draft* draft(const std::string& name) {
    auto found = std::find_if(drafts_.begin(), drafts_.end(), [&](const Draft& d) { return d.role.name == name; });
    return found == drafts_.end() ? nullptr : &*found;
  }

  void workdir() {
    namespace fs = std::filesystem;
    const Yaml* value = get(root_, "workdir");
    fs::path path = fs::path(request_.directory) / (value ? value->text : std::string());
    path = path.lexically_normal();
    if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
    std::error_code error;
    bool there = fs::exists(path, error);
    if (value && !there) {
      mistakes_.add(value->at, fmt::format("workdir: {} does not exist", printable(path.string(), 200)));
    } else if (value && !fs::is_directory(path, error)) {
      mistakes_.add(value->at, fmt::format("workdir: {} is not a directory", printable(path.string(), 200)));
    }
    plan_.workdir = path.string();
  }

  void roles() {
    for (const char* name : {"master", "workers"}) {
      if (const YamlEntry* entry = root_.find(name)) role(name, name, *entry);
    }
    if (const Yaml* further = get(root_, "roles")) {
      if (further->entries.size() > kMaxJobs) {
        return mistakes_.add(
            further->at, fmt::format("roles has {} roles, at most {} are possible", further->entries.size(), kMaxJobs));
      }
      for (const YamlEntry& entry : further->entries) role(entry.key, "roles." + entry.key, entry);
    }
    if (drafts_.empty() && !root_.find("master") && !root_.find("workers") && !get(root_, "roles")) {
      mistakes_.add(root_.at, "nothing to run: give master, workers or roles");
    }
  }

  void role(const std::string& name, const std::string& path, const YamlEntry& entry) {
    Draft out;
    out.role.name = name;
    out.at = entry.at;
    static const Yaml kNothing = Yaml::map({});
    const Yaml& map = entry.value.is_map() ? entry.value : kNothing;
    out.map = &map;
    bool mapped = !request_.command.empty() && name == "workers";
    if (mapped) {
      for (const std::string& word : request_.command) out.role.run.argv.push_back(literal(word));
    } else if (const Yaml* run = get(map, "run")) {
      out.role.run = read_command(*run);
    } else if (!map.find("run") && entry.value.is_map()) {
      mistakes_.add(entry.at, fmt::format("{} runs nothing: give {}.run", path, path));
    }
    unsigned count = mapped ? (request_.cores > 0 ? request_.cores : granted_cores()) : 1;
    out.role.count = number(map, "count", count);
    if (name == "master" && out.role.count != 1) {
      mistakes_.add(get(map, "count")->at, fmt::format("master.count must be 1, found {}", out.role.count));
    }
    out.role.per_job = number(map, "per_job", 0);
    out.role.env = environment(path, map);
    drafts_.push_back(std::move(out));
  }

  /// The spec's, the role's and `-e`, each over the one before.
  std::map<std::string, std::string> environment(const std::string& path, const Yaml& role) {
    struct Value {
      const Yaml* value;
      std::string path;
    };
    std::map<std::string, Value> merged;
    for (const auto& [map, prefix] : {std::pair{&root_, std::string()}, std::pair{&role, path + "."}}) {
      const Yaml* env = get(*map, "env");
      if (!env) continue;
      for (const YamlEntry& entry : env->entries) merged[entry.key] = {&entry.value, prefix + "env." + entry.key};
    }
    std::map<std::string, std::string> out;
    for (const auto& [name, value] : merged) {
      if (request_.env.count(name)) continue;
      auto caller = request_.variables.find(name);
      if (value.value->is_scalar()) {
        out[name] = value.value->text;
      } else if (caller != request_.variables.end()) {
        out[name] = literal(caller->second);
      } else {
        mistakes_.add(value.value->at,
                      fmt::format("{} has no value and is not set: give it with -e {}=...", value.path, name));
      }
    }
    for (const auto& [name, value] : request_.env) {
      auto caller = request_.variables.find(name);
      if (value || caller != request_.variables.end()) out[name] = literal(value ? *value : caller->second);
    }
    return out;
  }

  void pool() {
    const Yaml* channels = get(root_, "channels");
    static const Yaml kNothing = Yaml::map({});
    const YamlEntry* first = nullptr;
    for (const YamlEntry& entry : channels ? channels->entries : kNothing.entries) {
      if (!entry.value.is_map()) return;
      const YamlEntry* type = entry.value.find("type");
      if (!type) mistakes_.add(entry.at, fmt::format("channels.{}.type is missing: pool", entry.key));
      if (type && type->value.is_null()) return;  // of a type that was refused
      if (first) {
        mistakes_.add(
            entry.at,
            fmt::format("channels.{}: more than one channel is not supported by this version of fiber", entry.key));
      }
      if (!first) first = &entry;
    }
    if (!first && !draft("workers")) return;
    Pool out;
    if (draft("master")) out.from = "master";
    out.to = "workers";
    records(*io_, out);
    if (first) {
      out.name = first->key;
      if (!ends(*first, out)) return;
      records(first->value, out);
      check_second_pool(*first, out);
    }
    plan_.pool = out;
  }

  void records(const Yaml& map, Pool& out) const {
    choose(map, "framing", {"lines", "nul", "len32"}, out.framing);
    choose(map, "reply", {"one", "many"}, out.reply);
    choose(map, "envelope", {"none", "id"}, out.envelope);
    choose(map, "order", {"input", "completion"}, out.order);
    if (const Yaml* value = get(map, "max_record")) out.max_record = *read_size(value->text).value;
  }

  /// The two ends of an explicit pool.
  bool ends(const YamlEntry& channel, Pool& out) {
    std::string path = "channels." + channel.key;
    for (const char* end : {"from", "to"}) {
      const YamlEntry* entry = channel.value.find(end);
      if (!entry) continue;
      if (entry->value.is_null()) return false;
      std::string name = entry->value.text;
      if (!draft(name)) {
        mistakes_.add(entry->value.at, fmt::format("{}.{}: there is no role {}", path, end, name));
        return false;
      }
      if (end == std::string_view("from")) out.from = name;
      if (end == std::string_view("to")) out.to = name;
    }
    if (!draft(out.to)) {
      mistakes_.add(channel.at, fmt::format("{}.to is missing: there is no role workers", path));
      return false;
    }
    if (out.from == out.to) {
      mistakes_.add(channel.at, fmt::format("{} leads from {} to itself", path, out.to));
      return false;
    }
    if (out.from && draft(*out.from)->role.count != 1 && *out.from != "master") {
      mistakes_.add(channel.at, fmt::format("{}.from must be a role of one member, {} has {}", path, *out.from,
                                            draft(*out.from)->role.count));
    }
    return true;
  }

  /// Where a channel names neither master nor workers, the default pool is there as well.
  void check_second_pool(const YamlEntry& channel, const Pool& pool) {
    bool named = pool.to == "workers" || pool.to == "master" || pool.from == "master" || pool.from == "workers";
    if (named || !draft("workers")) return;
    mistakes_.add(channel.at, fmt::format("channels.{} beside the default pool of the workers: more than one channel "
                                          "is not supported by this version of fiber",
                                          channel.key));
  }

  /// What is asked of a role at failures must be what it does.
  void on_failure() {
    for (const Draft& d : drafts_) {
      const Yaml* value = get(*d.map, "on_failure");
      bool reader = plan_.pool && plan_.pool->to == d.role.name;
      if (!value || value->text == (reader ? "replace" : "abort")) continue;
      mistakes_.add(value->at, fmt::format("on_failure: {} for a role that reads {} pool is not supported by this "
                                           "version of fiber",
                                           value->text, reader ? "a" : "no"));
    }
  }

  void jobs() {
    unsigned total = 0, most = 0;
    Position at = root_.at;
    for (const Draft& d : drafts_) {
      unsigned jobs = d.role.per_job == 0 ? 1 : (d.role.count + d.role.per_job - 1) / d.role.per_job;
      total += jobs;
      if (jobs <= most) continue;
      most = jobs;
      const Yaml* value = get(*d.map, "per_job");
      at = value ? value->at : d.at;
    }
    if (total > kMaxJobs) {
      mistakes_.add(at, fmt::format("per_job splits the run into {} jobs, at most {} are possible: make it larger",
                                    total, kMaxJobs));
    }
  }

  void append_args() {
    if (request_.args.empty()) return;
    Draft* target = draft("master") ? draft("master") : draft("workers");
    if (!target) return mistakes_.add(root_.at, "arguments are given, and there is neither a master nor workers");
    if (!target->role.run.argv.empty()) append_arguments(target->role.run, request_.args);
  }

  void retry(const Yaml& map) {
    plan_.retry.worker_lost = number(map, "worker_lost", plan_.retry.worker_lost);
    plan_.retry.task_error = number(map, "task_error", plan_.retry.task_error);
    if (const Yaml* codes = get(map, "on_exit")) {
      plan_.retry.on_exit.clear();
      for (const Yaml& code : codes->items) plan_.retry.on_exit.push_back(std::stoi(code.text));
    }
    if (const Yaml* backoff = get(map, "backoff")) {
      auto range = *read_duration_range(backoff->text).value;
      plan_.retry.backoff_min = range.min;
      plan_.retry.backoff_max = range.max;
    }
  }

  void limits(const Yaml& map) {
    if (const Yaml* value = get(map, "run")) plan_.limits.run = *read_duration(value->text).value;
    if (const Yaml* value = get(map, "grace")) plan_.limits.grace = *read_duration(value->text).value;
    if (const Yaml* value = get(map, "spill")) plan_.limits.spill = *read_size(value->text).value;
  }

  void rest() {
    plan_.backend = text("backend", "local");
    choose(root_, "on_task_failure", {"reply", "skip", "abort"}, plan_.on_task_failure);
    plan_.done_when = draft("master") ? DoneWhen::master : DoneWhen::all;
    choose(root_, "done_when", {"master", "all"}, plan_.done_when);
    if (plan_.done_when == DoneWhen::master && !draft("master")) {
      mistakes_.add(get(root_, "done_when")->at, "done_when: master, and there is no master");
    }
    if (const Yaml* name = get(root_, "name"); name && !is_run_name(name->text)) {
      mistakes_.add(name->at, fmt::format("name must be small letters, digits and -, beginning with a letter, at most "
                                          "63 characters, found {}",
                                          printable(name->text)));
    }
  }

  static bool is_run_name(const std::string& name) {
    auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    return !name.empty() && name.size() <= 63 && name[0] >= 'a' && name[0] <= 'z' &&
           std::all_of(name.begin(), name.end(), fits);
  }

  const Yaml& root_;
  const LoadRequest& request_;
  Mistakes& mistakes_;
  Plan plan_;
  const Yaml* io_ = nullptr;
  std::vector<Draft> drafts_;
};

}  // namespace

std::string name_from_file(const std::string& file) {
  std::string stem = std::filesystem::path(file).stem().string(), out;
  for (unsigned char c : stem) {
    if ((c & 0xC0) == 0x80) continue;  // the rest of a character of several bytes
    bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    out += plain ? static_cast<char>(c) : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '-';
  }
  out.erase(0, out.find_first_not_of('-'));
  if (out.empty()) return "run";
  if (out[0] >= '0' && out[0] <= '9') out = "run-" + out;
  return out.substr(0, 63);
}

Plan build(const base::Yaml& root, const LoadRequest& request, Mistakes& mistakes) {
  return Builder(root, request, mistakes).run();
}

}  // namespace fiber::plan
