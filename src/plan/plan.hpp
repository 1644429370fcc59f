#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "channel/framing.hpp"

namespace fiber::plan {

using channel::Envelope;
using channel::Framing;
using channel::Order;
using channel::Reply;
enum class OnTaskFailure { reply, skip, abort };
enum class DoneWhen { master, all };

/// A command as it is executed: `argv`, run-time placeholders (%{rank} …) still in it.
/// A string in the spec became {"/bin/sh", "-c", text}.
struct Command {
  std::vector<std::string> argv;
  bool shell = false;
};

/// A named group of equal processes.
struct Role {
  std::string name;
  Command run;
  unsigned count = 1;
  unsigned per_job = 0;                    ///< members in one job; 0: the backend chooses
  std::map<std::string, std::string> env;  ///< the spec's and the role's, merged
};

/// The pool: records from one member, or fiber's own stdin/stdout, to the members of a role.
struct Pool {
  std::string name = "tasks";
  std::optional<std::string> from;  ///< the source role (count 1); nothing: fiber's own stdin and stdout
  std::string to;
  Framing framing = Framing::lines;
  Reply reply = Reply::one;
  Envelope envelope = Envelope::none;
  Order order = Order::input;
  std::uint64_t max_record = 64u << 20;  ///< bytes
};

struct Retry {
  unsigned worker_lost = 3;         ///< further tries after a lost worker
  unsigned task_error = 0;          ///< further tries after a task error
  std::vector<int> on_exit = {75};  ///< exit codes that ask for another try, uncounted
  std::chrono::milliseconds backoff_min{1000};
  std::chrono::milliseconds backoff_max{30000};
};

struct Limits {
  std::optional<std::chrono::milliseconds> run;
  std::chrono::milliseconds grace{10000};
  std::uint64_t spill = 10ull << 30;  ///< bytes on disk
};

/// All that must happen, decided. Pure data: it can be printed, compared and replayed.
struct Plan {
  std::string name;
  std::string backend = "local";
  std::string workdir;      ///< absolute
  std::vector<Role> roles;  ///< the master first, if there is one
  std::optional<Pool> pool;
  Retry retry;
  Limits limits;
  OnTaskFailure on_task_failure = OnTaskFailure::reply;
  DoneWhen done_when = DoneWhen::all;

  const Role* role(const std::string& name) const;
  bool has_master() const { return role("master") != nullptr; }
};

/// Values of the run-time placeholders of one member.
struct Placeholders {
  std::string role, run;
  unsigned rank = 0, size = 1, attempt = 0;
};

/// Replaces %{rank} %{size} %{role} %{run} %{attempt}; `%%{` becomes `%{`. Unknown ones were refused at load time.
std::string expand(const std::string& text, const Placeholders& values);

/// The plan as text: what `fiber plan` prints and tests compare. YAML, one fact a line.
std::string to_text(const Plan& plan);

}  // namespace fiber::plan
