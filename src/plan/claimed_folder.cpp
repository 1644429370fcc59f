#include "plan/claimed_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>

#include "base/error.hpp"

namespace fiber::plan {
namespace fs = std::filesystem;
namespace {

constexpr const char* kLockName = ".lock";
constexpr int kAttempts = 100;

fs::path hidden(const fs::path& folder) { return folder.parent_path() / ("." + folder.filename().string()); }

[[noreturn]] void fail(const std::string& what, const fs::path& path, int error) {
  throw Error("cannot " + what + " " + path.string() + ": " + std::strerror(error));
}

int lock(int fd, int how) {
  int result;
  do result = flock(fd, how);
  while (result != 0 && errno == EINTR);
  return result;
}

/// False if the file has been removed since it was opened.
bool still_there(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 && info.st_nlink > 0;
}

/// Gives the owner access to all folders below, so that their contents can be removed.
void open_up(const fs::path& folder) {
  chmod(folder.c_str(), 0700);
  std::error_code ignored;
  for (auto at = fs::directory_iterator(folder, ignored); at != fs::directory_iterator(); at.increment(ignored)) {
    if (ignored) return;
    if (at->symlink_status(ignored).type() == fs::file_type::directory) open_up(at->path());
  }
}

/// Others may remove the same things at the same time, which is an error for each now and then.
void remove_tree(const fs::path& folder) {
  for (int i = 0; i < kAttempts; ++i) {
    std::error_code error;
    fs::remove_all(folder, error);
    if (!error) return;
    open_up(folder);
  }
}

/// Removes a folder that is hidden, or that the caller has locked, under its hidden name.
void hide_and_remove(const fs::path& folder) {
  const fs::path away = hidden(folder);
  remove_tree(away);
  if (rename(folder.c_str(), away.c_str()) == 0) {
    remove_tree(away);
  } else if (errno != ENOENT) {
    remove_tree(folder);
  }
}

base::Fd open_lock(const fs::path& folder) {
  return base::Fd(open((folder / kLockName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
}

/// A half made folder with a held lock; nothing if somebody removed it meanwhile.
std::optional<base::Fd> make_hidden(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0700) != 0) {
    if (errno == EEXIST) return std::nullopt;
    fail("create", folder, errno);
  }
  chmod(folder.c_str(), 0700);
  const fs::path file = folder / kLockName;
  base::Fd held(open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!held) {
    const int error = errno;
    rmdir(folder.c_str());
    if (error == ENOENT) return std::nullopt;
    fail("create", file, error);
  }
  if (lock(held.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::nullopt;  // taken for half made, and being removed
    const int error = errno;
    remove_tree(folder);
    fail("lock", file, error);
  }
  if (!still_there(held.get())) return std::nullopt;
  return held;
}

void sweep_hidden(const fs::path& folder) {
  struct stat info {};
  if (lstat(folder.c_str(), &info) != 0 || info.st_mtime > std::time(nullptr) - 60) return;
  const base::Fd held = open_lock(folder);
  if (held && lock(held.get(), LOCK_EX | LOCK_NB) != 0) return;
  remove_tree(folder);
}

}  // namespace

std::optional<base::Fd> claim_folder(const fs::path& parent, const std::string& name) {
  const fs::path folder = parent / name;
  struct stat info {};
  for (int i = 0; i < kAttempts; ++i) {
    if (lstat(folder.c_str(), &info) == 0) return std::nullopt;
    std::optional<base::Fd> held = make_hidden(hidden(folder));
    if (!held) continue;
    // renameat2 is not needed: a visible folder is never empty, and rename() refuses to replace one that is
    // not.
    if (rename(hidden(folder).c_str(), folder.c_str()) == 0) return held;
    const int error = errno;
    remove_tree(hidden(folder));
    if (error == EEXIST || error == ENOTEMPTY) return std::nullopt;
    if (error != ENOENT) fail("create", folder, error);
  }
  return std::nullopt;
}

bool folder_is_claimed(const fs::path& folder) {
  const base::Fd file = open_lock(folder);
  return file && lock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool remove_unclaimed(const fs::path& folder) {
  const base::Fd held = open_lock(folder);
  if (!held || lock(held.get(), LOCK_EX | LOCK_NB) != 0 || !still_there(held.get())) return false;
  hide_and_remove(folder);
  return true;
}

void remove_claimed(const fs::path& folder, base::Fd) { hide_and_remove(folder); }

std::vector<std::string> list_folders(const fs::path& parent) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(parent.c_str()), closedir);
  if (!dir) return names;
  while (const dirent* entry = readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) continue;
    if (name.front() != '.') {
      names.push_back(name);
    } else if (name != "." && name != "..") {
      sweep_hidden(parent / name);
    }
  }
  return names;
}

void require_private_folder(const fs::path& folder, bool narrow, const std::string& advice) {
  const auto refuse = [&](const std::string& why) { throw Error(folder.string() + " " + why + "; " + advice); };
  if (mkdir(folder.c_str(), 0700) == 0) {
    chmod(folder.c_str(), 0700);  // whatever the umask is
  } else if (errno != EEXIST) {
    refuse(std::string("cannot be created: ") + std::strerror(errno));
  }
  const base::Fd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | (narrow ? 0 : O_NOFOLLOW)));
  if (!fd && (errno == ELOOP || errno == ENOTDIR)) refuse("is not a folder");
  if (!fd) refuse(std::string("cannot be opened: ") + std::strerror(errno));
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) refuse(std::string("cannot be read: ") + std::strerror(errno));
  if (info.st_uid != geteuid()) refuse("belongs to another user");
  if ((info.st_mode & 077) == 0) return;
  if (!narrow) refuse("is open to other users");
  if (fchmod(fd.get(), 0700) != 0) refuse("is open to other users");
}

}  // namespace fiber::plan
