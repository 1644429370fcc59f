#include "wire/link.hpp"

#include "base/error.hpp"

namespace fiber::wire {

SocketLink::SocketLink(base::Clock& clock, base::Socket socket) : clock_(clock), socket_(std::move(socket)) {}

void SocketLink::listen_to(Events events) {
  events_ = std::move(events);
  socket_.on_writable([this] {
    blocked_ = false;
    flush();
  });
  socket_.on_readable([this] { receive(); });
}

void SocketLink::send(Message message) {
  packer_.push(std::move(message));
  if (flushing_ || blocked_) return;
  flushing_ = true;
  clock_.post([this, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    flushing_ = false;
    flush();
  });
}

void SocketLink::flush() {
  const bool was_full = packer_.bytes() >= kFull;
  while (!blocked_ && !packer_.empty()) {
    if (socket_.send(packer_.frame())) {
      packer_.sent();
    } else {
      blocked_ = true;
    }
  }
  if (was_full && packer_.bytes() < kFull && events_.room) events_.room();
}

void SocketLink::receive() {
  constexpr int kAtOnce = 16;  // frames, then others have their turn
  std::weak_ptr<bool> alive = alive_;
  for (int i = 0; i < kAtOnce && !broken_; ++i) {
    auto frame = socket_.receive();
    if (!frame) return;
    std::vector<Message> messages;
    try {
      messages = unpacker_.feed(*frame);
    } catch (const Error& error) {
      broken_ = true;
      events_.broken(error.what());
      return;
    }
    for (Message& message : messages) {
      events_.message(std::move(message));
      if (alive.expired()) return;
    }
  }
}

Hub::Endpoint LocalHub::open(const std::string& job) {
  std::string url = "ipc://" + folder_ + "/" + job;
  return {url, std::make_unique<SocketLink>(loop_, base::Socket::bind(loop_, url))};
}

}  // namespace fiber::wire
