#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/loop.hpp"
#include "base/socket.hpp"
#include "wire/frame.hpp"

namespace fiber::wire {

/// Messages to and from one other side, in order. What is sent in one round of the loop travels together.
class Link {
 public:
  /// Above this much unsent, a sender of bulk data should wait for `room`. Bytes.
  static constexpr std::size_t kFull = 1u << 20;

  struct Events {
    std::function<void(Message)> message;
    std::function<void()> room;                      ///< backlog has fallen below kFull again
    std::function<void(const std::string&)> broken;  ///< the other side said something that makes no sense
  };

  virtual ~Link() = default;
  virtual void listen_to(Events events) = 0;
  virtual void send(Message message) = 0;
  /// Payload bytes that the transport has not taken.
  virtual std::size_t backlog() const = 0;
};

/// Makes the head's side of links.
class Hub {
 public:
  struct Endpoint {
    std::string url;  ///< what the agent dials
    std::unique_ptr<Link> link;
  };
  virtual ~Hub() = default;
  virtual Endpoint open(const std::string& job) = 0;
};

/// A link over a nanomsg PAIR socket.
class SocketLink final : public Link {
 public:
  SocketLink(base::Clock& clock, base::Socket socket);
  void listen_to(Events events) override;
  void send(Message message) override;
  std::size_t backlog() const override { return packer_.bytes(); }

 private:
  void flush();
  void receive();

  base::Clock& clock_;
  base::Socket socket_;
  Events events_;
  Packer packer_;
  Unpacker unpacker_;
  bool flushing_ = false;  // a flush is posted
  bool blocked_ = false;   // the socket took nothing; it will call
  bool broken_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// Links within one machine: ipc:// sockets in a 0700 folder.
class LocalHub final : public Hub {
 public:
  LocalHub(base::Loop& loop, std::string folder) : loop_(loop), folder_(std::move(folder)) {}
  Endpoint open(const std::string& job) override;

 private:
  base::Loop& loop_;
  std::string folder_;
};

}  // namespace fiber::wire
