#include "base/socket.hpp"

#include <fcntl.h>
#include <nanomsg/nn.h>
#include <nanomsg/pair.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "base/fd.hpp"

namespace fiber::base {
namespace {

constexpr int kReconnectMs = 10;
constexpr int kReconnectMostMs = 100;
constexpr std::size_t kHeadroom = 64u << 10;
constexpr std::size_t kLongestPath = 107;
constexpr std::string_view kIpc = "ipc://";

[[noreturn]] void throw_nanomsg(const std::string& what) { throw Error(what + ": " + ::nn_strerror(::nn_errno())); }

void check_url(const std::string& url) {
  if (url.starts_with(kIpc) && url.size() - kIpc.size() > kLongestPath) {
    throw Error(url + ": the path of a Unix socket has at most " + std::to_string(kLongestPath) +
                " bytes, this one has " + std::to_string(url.size() - kIpc.size()) + " (is TMPDIR long?)");
  }
}

/// A nanomsg message being built; freed unless it was sent.
class Outgoing {
 public:
  explicit Outgoing(const std::vector<std::string_view>& parts, std::size_t size)
      : bytes_(static_cast<char*>(::nn_allocmsg(size, 0))) {
    if (bytes_ == nullptr) throw_nanomsg("cannot build a message");
    char* at = bytes_;
    for (const std::string_view part : parts) at = std::copy(part.begin(), part.end(), at);
  }
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;
  ~Outgoing() {
    if (bytes_ != nullptr) ::nn_freemsg(bytes_);
  }
  /// False if the socket takes nothing now.
  bool send(int socket) {
    if (::nn_send(socket, &bytes_, NN_MSG, NN_DONTWAIT) >= 0) {
      bytes_ = nullptr;
      return true;
    }
    if (::nn_errno() != EAGAIN && ::nn_errno() != EINTR) throw_nanomsg("cannot send");
    return false;
  }

 private:
  char* bytes_;
};

}  // namespace

struct Socket::Impl {
  explicit Impl(Loop& its_loop) : loop(its_loop), socket(::nn_socket(AF_SP, NN_PAIR)) {
    if (socket < 0) throw_nanomsg("cannot make a nanomsg socket");
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    readable.reset();
    writable.reset();
    ::nn_close(socket);
  }

  void set_up() {
    set(NN_RCVMAXSIZE, static_cast<int>(kMaxMessage + kHeadroom));
    set(NN_RECONNECT_IVL, kReconnectMs);
    set(NN_RECONNECT_IVL_MAX, kReconnectMostMs);
    receive_fd = duplicate(NN_RCVFD);
    send_fd = duplicate(NN_SNDFD);
    // Readable when the socket can send. That is nearly always, so it is on only after a refusal.
    writable = loop.watch(send_fd.get(), Readiness::readable, [this] {
      writable->set(false);
      if (const auto call = on_writable) call();  // a copy: it may end the socket
    });
    writable->set(false);
  }

  void set(int option, int value) {
    if (::nn_setsockopt(socket, NN_SOL_SOCKET, option, &value, sizeof value) != 0) {
      throw_nanomsg("cannot set up a nanomsg socket");
    }
  }

  Fd duplicate(int option) {
    int fd = -1;
    std::size_t size = sizeof fd;
    if (::nn_getsockopt(socket, NN_SOL_SOCKET, option, &fd, &size) != 0) throw_nanomsg("cannot watch a nanomsg socket");
    Fd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (!copy) throw_errno("cannot watch a nanomsg socket");
    return copy;
  }

  /// Cheaper than to build a message in vain.
  bool can_send() const {
    pollfd look{send_fd.get(), POLLIN, 0};
    return ::poll(&look, 1, 0) > 0;
  }

  Loop& loop;
  int socket;
  Fd receive_fd, send_fd;
  std::unique_ptr<Watch> readable, writable;
  std::function<void()> on_writable;
};

Socket::Socket(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Socket::Socket(Socket&&) noexcept = default;
Socket& Socket::operator=(Socket&&) noexcept = default;
Socket::~Socket() = default;

Socket Socket::bind(Loop& loop, const std::string& url) {
  check_url(url);
  auto impl = std::make_unique<Impl>(loop);
  impl->set_up();
  if (::nn_bind(impl->socket, url.c_str()) < 0) throw_nanomsg("cannot listen on " + url);
  return Socket(std::move(impl));
}

Socket Socket::connect(Loop& loop, const std::string& url) {
  check_url(url);
  auto impl = std::make_unique<Impl>(loop);
  impl->set_up();
  if (::nn_connect(impl->socket, url.c_str()) < 0) throw_nanomsg("cannot connect to " + url);
  return Socket(std::move(impl));
}

bool Socket::send(const std::vector<std::string_view>& parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  if (size > kMaxMessage) throw Error("a message of " + std::to_string(size) + " bytes is too large to send");
  if (impl_->can_send() && Outgoing(parts, size).send(impl_->socket)) return true;
  impl_->writable->set(true);
  return false;
}

std::optional<Bytes> Socket::receive() {
  while (true) {
    char* bytes = nullptr;
    const int size = ::nn_recv(impl_->socket, &bytes, NN_MSG, NN_DONTWAIT);
    if (size >= 0) {
      return Bytes(std::shared_ptr<const void>(bytes, [](char* own) { ::nn_freemsg(own); }),
                   std::string_view(bytes, static_cast<std::size_t>(size)));
    }
    if (::nn_errno() == EAGAIN) return std::nullopt;
    if (::nn_errno() != EINTR) throw_nanomsg("cannot receive");
  }
}

void Socket::on_readable(std::function<void()> ready) {
  impl_->readable.reset();
  if (ready) impl_->readable = impl_->loop.watch(impl_->receive_fd.get(), Readiness::readable, std::move(ready));
}

void Socket::on_writable(std::function<void()> ready) { impl_->on_writable = std::move(ready); }

}  // namespace fiber::base
