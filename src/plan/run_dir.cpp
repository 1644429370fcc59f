#include "plan/run_dir.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/home.hpp"
#include "plan/claimed_folder.hpp"

namespace fiber::plan {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kKeptRuns = 200;
constexpr std::size_t kIdLength = 8;
constexpr std::size_t kSocketPathMax = 107;
constexpr std::size_t kSocketNameMax = 40;  // what is put behind scratch()
constexpr int kAttempts = 100;

constexpr const char* kStateAdvice = "set XDG_STATE_HOME to a folder of your own";

/// Lower case letters and digits that are not taken for one another; a letter first, so that YAML sees no
/// number.
std::string random_id() {
  constexpr std::string_view kAlphabet = "abcdefghjkmnpqrstuvwxyz23456789";
  constexpr std::size_t kLetters = 23;
  unsigned char bytes[kIdLength];
  std::size_t got = 0;
  while (got < kIdLength) {
    const ssize_t n = getrandom(bytes + got, kIdLength - got, 0);
    if (n < 0 && errno != EINTR) throw Error(std::string("no random numbers: ") + std::strerror(errno));
    if (n > 0) got += static_cast<std::size_t>(n);
  }
  std::string id;
  for (const unsigned char byte : bytes) id += kAlphabet[byte % (id.empty() ? kLetters : kAlphabet.size())];
  return id;
}

void make_parents(const fs::path& folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) == 0) {
    if (!S_ISDIR(info.st_mode)) throw Error(folder.string() + " is not a folder; " + kStateAdvice);
    return;
  }
  if (folder.has_relative_path()) make_parents(folder.parent_path());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw Error(folder.string() + " cannot be created: " + std::strerror(errno) + "; " + kStateAdvice);
  }
}

/// The folder of all runs' records.
fs::path runs_folder() {
  const fs::path state = base::xdg_folder("XDG_STATE_HOME", ".local/state").lexically_normal();
  make_parents(state.has_filename() ? state : state.parent_path());
  require_private_folder(state / "fiber", true, kStateAdvice);
  require_private_folder(state / "fiber" / "runs", true, kStateAdvice);
  return state / "fiber" / "runs";
}

/// The folder of all runs' scratch folders.
fs::path scratch_parent() {
  const std::string mine = "fiber-" + std::to_string(geteuid());
  const char* variable = std::getenv("TMPDIR");
  fs::path parent = variable && *variable == '/' ? variable : "/tmp";
  if ((parent / mine).string().size() + 1 + kIdLength + kSocketNameMax > kSocketPathMax) parent = "/tmp";
  parent /= mine;
  require_private_folder(parent, false, "set TMPDIR to another folder");
  return parent;
}

/// Removes the oldest ended runs above the number that is kept.
void prune(const fs::path& runs) {
  const std::vector<std::string> names = list_folders(runs);
  if (names.size() <= kKeptRuns) return;
  std::vector<std::pair<timespec, fs::path>> ended;
  for (const std::string& name : names) {
    const fs::path folder = runs / name;
    struct stat info {};
    if (folder_is_claimed(folder) || stat(folder.c_str(), &info) != 0) continue;
    ended.emplace_back(info.st_mtim, folder);
  }
  if (ended.size() <= kKeptRuns) return;
  std::sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.tv_sec, a.first.tv_nsec) < std::pair(b.first.tv_sec, b.first.tv_nsec);
  });
  ended.resize(ended.size() - kKeptRuns);
  for (const auto& [when, folder] : ended) remove_unclaimed(folder);
}

void sweep_scratch(const fs::path& parent) {
  for (const std::string& name : list_folders(parent)) {
    if (!folder_is_claimed(parent / name)) remove_unclaimed(parent / name);
  }
}

/// True if all was written. What was written is counted in `done`.
bool write_all(int fd, std::string_view bytes, std::size_t& done) {
  while (done < bytes.size()) {
    const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

base::Fd open_append(const fs::path& file) {
  return base::Fd(open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
}

}  // namespace

RunDirectory RunDirectory::create() {
  const fs::path runs = runs_folder();
  const fs::path scratches = scratch_parent();
  RunDirectory made;
  for (int i = 0; !made.lock_; ++i) {
    if (i == kAttempts) throw Error("no free run id in " + runs.string());
    const std::string id = random_id();
    std::optional<base::Fd> scratch_lock = claim_folder(scratches, id);
    if (!scratch_lock) continue;
    made.id_ = id;
    made.scratch_ = scratches / id;
    made.scratch_lock_ = std::move(*scratch_lock);  // from here on removed with `made`
    if (std::optional<base::Fd> lock = claim_folder(runs, id)) {
      made.path_ = runs / id;
      made.lock_ = std::move(*lock);
    } else {
      remove_claimed(made.scratch_, std::move(made.scratch_lock_));
    }
  }
  made.open_files();
  prune(runs);
  sweep_scratch(scratches);
  return made;
}

void RunDirectory::open_files() {
  if (mkdir((path_ / "logs").c_str(), 0700) != 0) base::throw_errno("cannot create " + (path_ / "logs").string());
  events_ = open_append(path_ / "events.jsonl");
  if (!events_) base::throw_errno("cannot create " + (path_ / "events.jsonl").string());
}

void RunDirectory::write_job(std::string_view text) {
  const fs::path file = path_ / "job.yaml", half = path_ / ".job.yaml";
  const base::Fd fd(open(half.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  std::size_t done = 0;
  if (!fd || !write_all(fd.get(), text, done) || rename(half.c_str(), file.c_str()) != 0) {
    base::throw_errno("cannot write " + file.string());
  }
}

bool RunDirectory::append_event(std::string_view json_line) {
  std::string line(json_line);
  if (line.empty() || line.back() != '\n') line += '\n';
  struct stat before {};
  if (fstat(events_.get(), &before) != 0 || before.st_nlink == 0) return false;
  std::size_t done = 0;
  if (write_all(events_.get(), line, done)) return true;
  while (done > 0 && ftruncate(events_.get(), before.st_size) != 0 && errno == EINTR) {
  }  // no half lines: this process is the only writer
  return false;
}

bool RunDirectory::append_log(const std::string& member, std::string_view bytes) {
  std::string name = member + ".log";
  std::replace(name.begin(), name.end(), '/', '_');
  const base::Fd fd = open_append(path_ / "logs" / name);
  std::size_t done = 0;
  return fd && write_all(fd.get(), bytes, done);
}

RunDirectory::~RunDirectory() {
  if (lock_) utimensat(AT_FDCWD, path_.c_str(), nullptr, 0);  // the time of its end: the oldest are removed first
  if (!scratch_lock_) return;
  try {
    remove_claimed(scratch_, std::move(scratch_lock_));
  } catch (const std::exception&) {  // the next run removes it
  }
}

}  // namespace fiber::plan
