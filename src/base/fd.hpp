#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace fiber::base {

/// The reader of a pipe or the peer of a socket is gone.
class BrokenPipe : public Error {
 public:
  BrokenPipe() : Error("the reader is gone") {}
};

/// Owner of a file descriptor; closes it.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Fd() { reset(); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

struct PipeEnds {
  Fd read, write;
};

/// A pipe, both ends close-on-exec; `nonblocking_*` asks for O_NONBLOCK on that end alone.
PipeEnds make_pipe(bool nonblocking_read, bool nonblocking_write);

/// One read: bytes read, 0 at end of file, nothing when it would block. Other errors throw fiber::Error.
std::optional<std::size_t> read_some(int fd, char* into, std::size_t most);

/// One write: bytes written, nothing when it would block. Throws fiber::Error; BrokenPipe for EPIPE (SIGPIPE must be
/// ignored: making a Loop does that).
std::optional<std::size_t> write_some(int fd, std::string_view bytes);

/// Bytes in a pipe that nobody has read (FIONREAD; works on either end, also after the reader's death).
std::size_t unread_bytes(int pipe_end);

/// Takes everything unread out of a pipe, given its write end (Linux: through /proc/self/fd).
std::string drain_pipe(int write_end);

/// "what: strerror(errno)" as a fiber::Error.
[[noreturn]] void throw_errno(const std::string& what);

}  // namespace fiber::base
