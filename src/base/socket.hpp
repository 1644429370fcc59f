#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/loop.hpp"

namespace fiber::base {

/// One nanomsg PAIR socket: whole messages to and from one peer, in order, while both processes live.
class Socket {
 public:
  /// Binds or connects `url` (ipc:// with a path of at most 107 bytes). Throws fiber::Error naming the url.
  static Socket bind(Loop& loop, const std::string& url);
  static Socket connect(Loop& loop, const std::string& url);
  Socket(Socket&&) noexcept;
  Socket& operator=(Socket&&) noexcept;
  ~Socket();

  /// Sends the parts as one message; false if the peer takes nothing now (then `on_writable` is called once it does).
  bool send(const std::vector<std::string_view>& parts);
  /// The next message, if one is there. The bytes are nanomsg's own buffer.
  std::optional<Bytes> receive();

  void on_readable(std::function<void()> ready);
  void on_writable(std::function<void()> ready);

 private:
  struct Impl;
  explicit Socket(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The largest message that `send` and `receive` take, bytes.
inline constexpr std::size_t kMaxMessage = 1u << 20;

}  // namespace fiber::base
