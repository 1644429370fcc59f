#include "cli/stdio.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace fiber::cli {

Stdio open_stdio() {
  bool was_open[3];
  for (int fd = 0; fd < 3; ++fd) {
    was_open[fd] = fcntl(fd, F_GETFD) != -1;
    // The lowest free number is this one. Without /dev/null there is no safe way on, and nobody to tell.
    if (!was_open[fd] && open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd) _exit(kExitFiber);
  }
  return {was_open[0], was_open[1], was_open[2]};
}

void print(std::string_view text, const Stdio& stdio) {
  if (!stdio.out) throw Error("cannot write to stdout: it is closed");
  while (!text.empty()) {
    const ssize_t n = write(STDOUT_FILENO, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd full{STDOUT_FILENO, POLLOUT, 0};
      poll(&full, 1, -1);
    } else if (errno != EINTR) {
      throw Error(std::string("cannot write to stdout: ") + std::strerror(errno),
                  errno == EPIPE ? kExitSignalBase + SIGPIPE : kExitFiber);
    }
  }
}

void refuse_one_file() {
  struct stat in {
  }, out{};
  if (fstat(STDIN_FILENO, &in) != 0 || fstat(STDOUT_FILENO, &out) != 0) return;
  if (!S_ISREG(in.st_mode) || !S_ISREG(out.st_mode)) return;
  if (in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
    throw Error("stdin and stdout are the same file; write the results to another one");
  }
}

}  // namespace fiber::cli
