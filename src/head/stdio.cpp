#include "head/stdio.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>

namespace fiber::head {

namespace {

constexpr std::size_t kRead = 64u << 10;
constexpr std::size_t kWriteBlocking = PIPE_BUF;  // so much a pipe takes at once when it is ready
constexpr std::size_t kWrite = 1u << 20;

bool is_socket(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode);
}

/// Another descriptor of the same pipe or terminal with a blocking mode of its own; nothing where that is not allowed.
/// (O_NONBLOCK on the inherited one would hit everybody who shares it.)
base::Fd reopen(int fd, int flags) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISFIFO(info.st_mode)) return {};
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  return base::Fd(::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

}  // namespace

Input::Input(base::Loop& loop, int fd, Events events)
    : loop_(loop), fd_(fd), own_(reopen(fd, O_RDONLY)), events_(std::move(events)), pollable_(base::pollable(fd)) {
  if (own_) fd_ = own_.get();
}

void Input::want(std::size_t most) {
  most_ = most;
  if (ended_) return;
  // A FIFO that was opened anew after its writer had gone never becomes ready: only a read tells that it has ended.
  if (!waiting_ && (own_ || !pollable_)) {
    if (watch_) watch_->set(false);
    if (most_ > 0 && !next_) again();
    return;
  }
  if (!watch_) watch_ = loop_.watch(fd_, base::Readiness::readable, [this] { read(); });
  watch_->set(most_ > 0);
}

/// Reads in the next round, ready or not: of a file, or of what does not block.
void Input::again() {
  next_ = loop_.after(base::Duration::zero(), [this] {
    next_.reset();
    read();
    want(most_);
  });
}

void Input::read() {
  const std::size_t size = std::min(kRead, most_);
  if (size == 0) return;
  auto buffer = std::make_shared_for_overwrite<char[]>(size);
  auto got = base::read_some(fd_, buffer.get(), size);
  waiting_ = !got;
  if (!got) return;
  if (*got == 0) {
    ended_ = true;
    if (watch_) watch_->set(false);
    events_.ended();
    return;
  }
  const char* start = buffer.get();
  events_.bytes({std::move(buffer), std::string_view(start, *got)});
}

Output::Output(base::Loop& loop, int fd, Events events)
    : loop_(loop), own_(reopen(fd, O_WRONLY)), fd_(own_ ? own_.get() : fd), events_(std::move(events)) {
  pollable_ = base::pollable(fd_);
  socket_ = is_socket(fd_);
  at_once_ = pollable_ && !own_ && !socket_ ? kWriteBlocking : kWrite;
  if (!pollable_) return;
  writing_ = loop_.watch(fd_, base::Readiness::writable, [this] { flush(); });
  writing_->set(false);
  hangup_ = loop_.watch(fd_, base::Readiness::hangup, [this] { lost(); });
}

void Output::write(const base::Bytes& bytes) {
  if (broken_ || bytes.empty()) return;
  queue_.push_back(bytes);
  backlog_ += bytes.size();
  if (posted_) return;
  posted_ = true;
  loop_.post([this] {
    posted_ = false;
    if (pollable_ && !own_ && !socket_) {
      writing_->set(true);  // a blocking descriptor: write only when it is known to be ready
    } else {
      flush();
    }
  });
}

void Output::flush() {
  const bool was_full = backlog_ >= kFull;
  bool ready = true;
  while (ready && !queue_.empty() && !broken_) {
    iovec parts[16];
    std::size_t count = 0, size = 0;
    for (auto at = queue_.begin(); at != queue_.end() && count < std::size(parts) && size < at_once_; ++at, ++count) {
      parts[count] = {const_cast<char*>(at->data()), std::min(at->size(), at_once_ - size)};
      size += parts[count].iov_len;
    }
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    ssize_t wrote =
        socket_ ? ::sendmsg(fd_, &message, MSG_DONTWAIT | MSG_NOSIGNAL) : ::writev(fd_, parts, static_cast<int>(count));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (wrote < 0 && (errno == EPIPE || errno == ECONNRESET)) return lost();
    if (wrote < 0) throw Error(fmt::format("cannot write to stdout: {}", std::strerror(errno)));
    ready = at_once_ != kWriteBlocking;
    backlog_ -= static_cast<std::size_t>(wrote);
    for (auto left = static_cast<std::size_t>(wrote); left > 0;) {
      const std::size_t step = std::min(left, queue_.front().size());
      queue_.front() = queue_.front().slice(step);
      left -= step;
      if (queue_.front().empty()) queue_.pop_front();
    }
  }
  if (pollable_) writing_->set(!queue_.empty());
  if (queue_.empty() || (was_full && backlog_ < kFull)) events_.room();
}

void Output::lost() {
  if (broken_) return;
  broken_ = true;
  queue_.clear();
  backlog_ = 0;
  writing_->set(false);
  hangup_->set(false);
  events_.broken();
}

}  // namespace fiber::head
