#include "base/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>

// Boost.Process 1.81 with std::filesystem forgets these.
#include <boost/optional.hpp>
#include <boost/type_traits/decay.hpp>
#include <boost/type_traits/is_convertible.hpp>
#include <boost/type_traits/remove_pointer.hpp>

#define BOOST_PROCESS_V2_SEPARATE_COMPILATION
#define BOOST_PROCESS_USE_STD_FS
#include <boost/process/v2/posix/default_launcher.hpp>
#include <boost/process/v2/src.hpp>

#include "base/fd.hpp"

namespace fiber::base {
namespace {

namespace process = boost::process::v2;
using boost::system::error_code;

/// The limit of open descriptors before `raise_file_limit`.
std::optional<rlim_t>& own_file_limit() {
  static std::optional<rlim_t> limit;
  return limit;
}

enum class Step : int { prepare, directory, exec };

/// What a child that could not become the program tells its parent.
struct Failure {
  Step step = Step::prepare;
  int error = 0;
};

/// What happens in the child, as a hook of Boost.Process. It shares the parent's memory until exec, so they only make
/// system calls, and leave by _exit.
class Hooks {
 public:
  Hooks(const Launch& what, int dir, int report) : what_(what), dir_(dir), report_(report), parent_(::getpid()) {}

  error_code on_exec_setup(process::posix::default_launcher&, const process::filesystem::path&, const char* const*&) {
    if (what_.own_group && ::setpgid(0, 0) != 0) fail(Step::prepare);
    if (what_.die_with_parent) {
      if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(Step::prepare);
      if (::getppid() != parent_) ::_exit(kExitFiber);
    }
    if (dir_ >= 0 && ::fchdir(dir_) != 0) fail(Step::directory);
    place_descriptors();
    give_file_limit_back();
    reset_signals();
    return {};
  }

  /// Reports errno and ends the child.
  [[noreturn]] void fail(Step step) const {
    const Failure failure{step, errno};
    [[maybe_unused]] const ssize_t written = ::write(report_, &failure, sizeof failure);
    ::_exit(kExitFiber);
  }

 private:
  void place_descriptors() const {
    std::array<int, 3> from{what_.in, what_.out, what_.err};
    for (int to = 0; to < 3; ++to) {
      int& fd = from[static_cast<std::size_t>(to)];
      if (fd < 0) fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      if (fd >= 0 && fd < 3 && fd != to) fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
      if (fd < 0) fail(Step::prepare);
    }
    for (int to = 0; to < 3; ++to) {
      const int fd = from[static_cast<std::size_t>(to)];
      if (fd == to ? ::fcntl(fd, F_SETFD, 0) != 0 : ::dup2(fd, to) < 0) fail(Step::prepare);
    }
    // The report is the one to stay open until exec.
    if (::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) == 0) return;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const int end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1u << 16));
    for (int fd = 3; fd < end; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }

  static void give_file_limit_back() {
    rlimit limit{};
    if (!own_file_limit() || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = std::min(*own_file_limit(), limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }

  /// Default actions, but what our parent had ignored (nohup) stays ignored. We ignore SIGPIPE and SIGXFSZ only for
  /// ourselves.
  static void reset_signals() {
    struct sigaction initial {};
    initial.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction now {};
      if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_DFL) continue;
      if (now.sa_handler == SIG_IGN && signal != SIGPIPE && signal != SIGXFSZ) continue;
      ::sigaction(signal, &initial, nullptr);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  const Launch& what_;
  int dir_;
  int report_;
  pid_t parent_;
};

/// No signal is handled between vfork and exec.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

/// A name for one line of text.
std::string shown(std::string name) {
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  return name.empty() ? "''" : name;
}

[[noreturn]] void refuse(const Launch& what, const std::string& why, int code) {
  throw Error(shown(what.argv.front()) + ": " + why, code);
}

/// 0 if `path` is a file that may be executed, else the errno that exec would give.
int executable_error(int dir, const std::string& path) {
  struct stat found {};
  if (::fstatat(dir, path.c_str(), &found, 0) != 0) return errno;
  if (S_ISDIR(found.st_mode)) return EISDIR;
  if (!S_ISREG(found.st_mode)) return EACCES;
  return ::faccessat(dir, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

std::string_view search_path(const Launch& what) {
  for (const std::string_view variable : what.env) {
    if (variable.starts_with("PATH=")) return variable.substr(5);
  }
  return "/bin:/usr/bin";
}

/// The path of the program, as exec is to see it once in the working directory.
std::string find_program(const Launch& what, int dir) {
  const std::string& name = what.argv.front();
  if (name.empty()) refuse(what, "not found", kExitNotFound);
  int remembered = ENOENT;
  if (name.find('/') != std::string::npos) {
    remembered = executable_error(dir, name);
    if (remembered == 0) return name;
    if (remembered == EISDIR) refuse(what, "is a directory", kExitCannotRun);
  } else {
    std::string_view rest = search_path(what);
    while (true) {
      const std::size_t colon = rest.find(':');
      const std::string_view element = rest.substr(0, colon);
      std::string path = (element.empty() ? "." : std::string(element)) + "/" + name;
      const int error = executable_error(dir, path);
      if (error == 0) return path;
      if (error == EACCES) remembered = EACCES;
      if (colon == std::string_view::npos) break;
      rest.remove_prefix(colon + 1);
    }
  }
  if (remembered == ENOENT || remembered == ENOTDIR) refuse(what, "not found", kExitNotFound);
  if (remembered == EACCES) refuse(what, "permission denied: not executable", kExitCannotRun);
  refuse(what, std::strerror(remembered), kExitCannotRun);
}

/// The program that the file's #! line names, or nothing.
std::string interpreter_of(int dir, const std::string& path) {
  const Fd file(::openat(dir, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, 256> head{};
  const ssize_t got = file ? ::read(file.get(), head.data(), head.size()) : 0;
  std::string_view line(head.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (!line.starts_with("#!")) return {};
  line.remove_prefix(2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return std::string(line.substr(0, line.find_first_of(" \t\n")));
}

[[noreturn]] void refuse(const Launch& what, int dir, const std::string& path, const Failure& failure) {
  const std::string reason = std::strerror(failure.error);
  const bool short_of = failure.error == EMFILE || failure.error == ENFILE || failure.error == ENOMEM;
  if (failure.step == Step::directory && !short_of) {
    refuse(what, "cannot enter the directory " + shown(what.dir) + ": " + reason, kExitCannotRun);
  }
  if (failure.step == Step::prepare || failure.error == EAGAIN || short_of) {
    refuse(what, "cannot start a process: " + reason, kExitFiber);
  }
  switch (failure.error) {
    case ENOEXEC:
      refuse(what, "cannot be executed: has no #! line and is no program for this machine", kExitCannotRun);
    case E2BIG:
      refuse(what, "cannot be executed: its arguments and environment are too long", kExitCannotRun);
    case ENOENT:
      if (const std::string interpreter = interpreter_of(dir, path); !interpreter.empty()) {
        refuse(what, "cannot be executed: its #! line names " + shown(interpreter) + ", which does not exist",
               kExitCannotRun);
      }
      break;
    default:
      break;
  }
  refuse(what, "cannot be executed: " + reason, kExitCannotRun);
}

/// Boost.Process's launcher, with vfork. Its own vfork_launcher tells an io_context of the fork in the child, where
/// that would renew the parent's event queue, and makes an event queue and a pidfd for each process.
class Launcher : public process::posix::default_launcher {
 public:
  /// Sets `pid`; returns an errno if there was no process to be had.
  int start(const process::filesystem::path& program, const char* const* argv, Hooks& hooks) {
    const BlockedSignals blocked;
    pid = ::vfork();
    if (pid != 0) return pid < 0 ? errno : 0;
    error_code failed = process::posix::detail::on_exec_setup(*this, program, argv, hooks);
    if (!failed) close_all_fds(failed);
    if (!failed) ::execve(program.c_str(), const_cast<char* const*>(argv), const_cast<char* const*>(env));
    hooks.fail(Step::exec);
  }
};

std::vector<const char*> pointers(const std::vector<std::string>& strings) {
  std::vector<const char*> made;
  made.reserve(strings.size() + 1);
  for (const std::string& string : strings) made.push_back(string.c_str());
  made.push_back(nullptr);
  return made;
}

}  // namespace

pid_t launch(const Launch& what) {
  if (what.argv.empty()) throw Error("no program to start");
  Fd dir;
  if (!what.dir.empty()) {
    dir = Fd(::open(what.dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!dir) refuse(what, -1, {}, Failure{Step::directory, errno});
  }
  const int at = dir ? dir.get() : AT_FDCWD;
  const std::string path = find_program(what, at);

  PipeEnds report = make_pipe(false, false);
  if (report.write.get() < 3) report.write = Fd(::fcntl(report.write.get(), F_DUPFD_CLOEXEC, 3));
  if (!report.write) throw_errno("cannot make a pipe");
  const std::vector<const char*> argv = pointers(what.argv);
  const std::vector<const char*> env = pointers(what.env);
  Launcher launcher;
  launcher.env = env.data();
  launcher.fd_whitelist = {0, 1, 2, report.write.get()};
  Hooks hooks(what, dir.get(), report.write.get());
  const int error = launcher.start(path, argv.data(), hooks);
  if (launcher.pid < 0) refuse(what, at, path, Failure{Step::prepare, error});

  report.write.reset();
  Failure failure;
  if (read_some(report.read.get(), reinterpret_cast<char*>(&failure), sizeof failure).value_or(0) == 0) {
    return launcher.pid;
  }
  while (::waitpid(launcher.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  refuse(what, at, path, failure);
}

void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0 && !own_file_limit()) own_file_limit() = before;
}

}  // namespace fiber::base
