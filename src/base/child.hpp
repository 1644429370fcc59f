#pragma once
#include <sys/types.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/loop.hpp"

namespace fiber::base {

/// How a process ended. Exactly one of the two is meaningful: `signal` if not 0, else `code`.
struct ExitStatus {
  int code = 0;
  int signal = 0;
  bool ok() const { return code == 0 && signal == 0; }
  /// The shell's number: code, or 128 + signal.
  int shell_code() const { return signal ? kExitSignalBase + signal : code; }
  bool operator==(const ExitStatus&) const = default;
};

/// What to start. The three descriptors stay the caller's; -1 stands for /dev/null.
struct Launch {
  std::vector<std::string> argv;  ///< argv[0] is looked up in `env`'s PATH unless it has a slash
  std::vector<std::string> env;   ///< "NAME=value", complete
  std::string dir;                ///< working directory; relative paths start there, argv[0] and PATH included
  int in = -1, out = -1, err = -1;
  bool own_group = true;        ///< leader of a new process group
  bool die_with_parent = true;  ///< SIGKILL when the starting process dies (PR_SET_PDEATHSIG)
};

/// Starts a process: default signal actions, empty signal mask, no other descriptors. Throws fiber::Error with code
/// 127 (not found), 126 (found, cannot be executed), 125 (no process to be had).
pid_t launch(const Launch& what);

/// Raises this process's soft limit of open descriptors to the hard one. What `launch` starts gets the old one back.
void raise_file_limit();

/// Makes this process the parent of orphaned descendants, so that none gets away (PR_SET_CHILD_SUBREAPER).
void become_subreaper();

/// Kills (SIGKILL) all descendants of this process and reaps them, until none is left or `limit` has passed.
/// `spare`: direct children to leave alone, with their own descendants. A Reaper is not told of those killed here.
void kill_descendants(Duration limit, const std::vector<pid_t>& spare = {});

/// Pids of all live descendants of `root`, found through /proc.
std::vector<pid_t> descendants(pid_t root);

/// Reaps all children of this process (SIGCHLD), adopted ones included, and tells who asked. One per process.
class Reaper {
 public:
  explicit Reaper(Loop& loop);
  ~Reaper();
  /// Calls `ended` once, from the loop, when `pid`, a child, has ended; also if that was before this call. Ask soon
  /// after `launch`: of the children nobody asked for, the last 1,024 that ended are remembered.
  void expect(pid_t pid, std::function<void(ExitStatus)> ended);

 private:
  void reap();
  void ended_early(pid_t pid, ExitStatus status);
  Loop& loop_;
  std::shared_ptr<bool> alive_;  ///< false once this object is gone
  std::map<pid_t, std::function<void(ExitStatus)>> expected_;
  std::deque<std::pair<pid_t, ExitStatus>> early_;
  std::unique_ptr<Registration> signal_;
};

}  // namespace fiber::base
