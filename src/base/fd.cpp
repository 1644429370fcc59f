#include "base/fd.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fiber::base {

void Fd::reset() {
  if (fd_ >= 0) ::close(fd_);  // Linux frees the number even on EINTR
  fd_ = -1;
}

PipeEnds make_pipe(bool nonblocking_read, bool nonblocking_write) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno("cannot make a pipe");
  PipeEnds made{Fd(ends[0]), Fd(ends[1])};
  if (nonblocking_read && ::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) throw_errno("cannot set up a pipe");
  if (nonblocking_write && ::fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0) throw_errno("cannot set up a pipe");
  return made;
}

std::optional<std::size_t> read_some(int fd, char* into, std::size_t most) {
  while (true) {
    const ssize_t got = ::read(fd, into, most);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::nullopt;
    if (errno != EINTR) throw_errno("cannot read");
  }
}

std::optional<std::size_t> write_some(int fd, std::string_view bytes) {
  while (true) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put >= 0) return static_cast<std::size_t>(put);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::nullopt;
    if (errno == EPIPE) throw BrokenPipe();
    if (errno != EINTR) throw_errno("cannot write");
  }
}

std::size_t unread_bytes(int pipe_end) {
  int count = 0;
  if (::ioctl(pipe_end, FIONREAD, &count) != 0) throw_errno("cannot look into a pipe");
  return static_cast<std::size_t>(count);
}

std::string drain_pipe(int write_end) {
  const std::string path = "/proc/self/fd/" + std::to_string(write_end);
  Fd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!reader) throw_errno("cannot open a pipe for reading");
  const int capacity = ::fcntl(reader.get(), F_GETPIPE_SZ);
  if (capacity < 0) throw_errno("cannot drain a pipe");
  // One read with room for all: another reader gets all of a write before it or nothing.
  std::string taken(static_cast<std::size_t>(capacity), '\0');
  taken.resize(read_some(reader.get(), taken.data(), taken.size()).value_or(0));
  return taken;
}

void throw_errno(const std::string& what) {
  const int error = errno;
  throw Error(what + ": " + std::strerror(error));
}

}  // namespace fiber::base
