#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <optional>
#include <string_view>
#include <thread>

#include "base/child.hpp"
#include "base/fd.hpp"

namespace fiber::base {
namespace {

constexpr std::size_t kRemembered = 1024;

ExitStatus exit_status(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

/// Whether `pid` is a child of ours that nobody has reaped.
bool is_child(pid_t pid) {
  siginfo_t found{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &found, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/// All of a small file under /proc; empty if it is gone.
std::string read_all(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char part[4096];
  ssize_t got = 0;
  while (file && (got = ::read(file.get(), part, sizeof part)) > 0) text.append(part, static_cast<std::size_t>(got));
  return text;
}

std::optional<pid_t> number(std::string_view text) {
  pid_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<pid_t> numbered_entries(const std::string& path) {
  std::vector<pid_t> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(path.c_str()), &::closedir);
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
    if (const auto pid = number(entry->d_name)) found.push_back(*pid);
  }
  return found;
}

struct Relation {
  pid_t parent = 0;
  bool dead = false;
};

/// Parent and state of a process, from /proc/PID/stat: "pid (name) state ppid ...", where the name may hold anything.
std::optional<Relation> relation(pid_t pid) {
  const std::string text = read_all("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= text.size()) return std::nullopt;
  const char state = text[name_end + 2];
  const std::string_view rest = std::string_view(text).substr(name_end + 4);
  const auto parent = number(rest.substr(0, rest.find(' ')));
  if (!parent) return std::nullopt;
  return Relation{*parent, state == 'Z' || state == 'X'};
}

/// Who is whose child, of all processes: for kernels without /proc/PID/task/TID/children.
std::multimap<pid_t, pid_t> all_children() {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : numbered_entries("/proc")) {
    if (const auto found = relation(pid)) children.emplace(found->parent, pid);
  }
  return children;
}

void append_children(pid_t parent, std::vector<pid_t>& to) {
  const std::string tasks = "/proc/" + std::to_string(parent) + "/task";
  for (const pid_t task : numbered_entries(tasks)) {
    const std::string text = read_all(tasks + "/" + std::to_string(task) + "/children");
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (const auto pid = number(rest.substr(0, end))) to.push_back(*pid);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

/// Descendants of `root`, zombies included, but not those below one of `spare`.
std::vector<pid_t> tree(pid_t root, const std::vector<pid_t>& spare) {
  const std::string probe = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  const bool listed = ::access(probe.c_str(), R_OK) == 0;
  const auto children = listed ? std::multimap<pid_t, pid_t>() : all_children();
  std::vector<pid_t> found;
  std::vector<pid_t> next{root};
  while (!next.empty()) {
    const pid_t parent = next.back();
    next.pop_back();
    std::vector<pid_t> below;
    if (listed) append_children(parent, below);
    const auto [first, last] = children.equal_range(parent);
    for (auto at = first; at != last; ++at) below.push_back(at->second);
    for (const pid_t pid : below) {
      if (std::find(spare.begin(), spare.end(), pid) != spare.end()) continue;
      found.push_back(pid);
      next.push_back(pid);
    }
  }
  return found;
}

}  // namespace

void become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) throw_errno("cannot adopt orphaned processes");
}

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found = tree(root, {});
  std::erase_if(found, [](pid_t pid) {
    const auto state = relation(pid);
    return !state || state->dead;
  });
  return found;
}

void kill_descendants(Duration limit, const std::vector<pid_t>& spare) {
  const Time end = std::chrono::steady_clock::now() + limit;
  int clean = 0;  // a list of children can miss one while others end, so one empty look is not enough
  while (clean < 2) {
    const std::vector<pid_t> left = tree(::getpid(), spare);
    clean = left.empty() ? clean + 1 : 0;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    std::size_t reaped = 0;
    for (const pid_t pid : left) reaped += ::waitpid(pid, nullptr, WNOHANG) == pid ? 1 : 0;
    if (left.empty() || reaped > 0) continue;
    if (std::chrono::steady_clock::now() >= end) return;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
}

Reaper::Reaper(Loop& loop) : loop_(loop), alive_(std::make_shared<bool>(true)) {
  signal_ = loop.on_signal({SIGCHLD}, [this](int) { reap(); });
  loop.post([this, alive = alive_] {
    if (*alive) reap();  // what ended before SIGCHLD was caught
  });
}

Reaper::~Reaper() { *alive_ = false; }

void Reaper::expect(pid_t pid, std::function<void(ExitStatus)> ended) {
  const auto early = std::find_if(early_.begin(), early_.end(), [pid](const auto& it) { return it.first == pid; });
  if (early == early_.end()) {
    expected_[pid] = std::move(ended);
    return;
  }
  const ExitStatus status = early->second;
  early_.erase(early);
  if (is_child(pid)) {  // the number is in use again
    expected_[pid] = std::move(ended);
    return;
  }
  loop_.post([alive = alive_, status, call = std::move(ended)] {
    if (*alive) call(status);
  });
}

void Reaper::ended_early(pid_t pid, ExitStatus status) {
  std::erase_if(early_, [pid](const auto& it) { return it.first == pid; });
  early_.emplace_back(pid, status);
  if (early_.size() > kRemembered) early_.pop_front();
}

void Reaper::reap() {
  const auto alive = alive_;
  int status = 0;
  pid_t pid = 0;
  while (*alive && ((pid = ::waitpid(-1, &status, WNOHANG)) > 0 || (pid < 0 && errno == EINTR))) {
    if (pid < 0) continue;
    const auto found = expected_.find(pid);
    if (found == expected_.end()) {
      ended_early(pid, exit_status(status));
      continue;
    }
    const auto ended = std::move(found->second);
    expected_.erase(found);
    ended(exit_status(status));  // may end this object
  }
}

}  // namespace fiber::base
