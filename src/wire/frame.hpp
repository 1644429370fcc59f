#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "wire/message.hpp"

namespace fiber::wire {

/// A frame carries many messages: 16 bytes of header (magic "fibr", protocol, zero, number of the frame on this
/// connection, zero), then per message 16 bytes (type, more, zero, member, count, length) and its bytes. `more` is 1
/// when the message goes on in the next piece. All numbers little-endian. Pure; the same over any transport.
inline constexpr std::size_t kFrameTarget = 256u << 10;  ///< bytes a frame is filled up to, and the size of a piece

/// Packs queued messages into frames.
class Packer {
 public:
  void push(Message message);
  bool empty() const { return queue_.empty(); }
  std::size_t bytes() const { return bytes_; }

  /// The next frame as parts to be sent one after the other; valid until the next call. Not taken out of the queue
  /// until `sent`.
  const std::vector<std::string_view>& frame();
  void sent();

 private:
  std::deque<Message> queue_;
  std::size_t bytes_ = 0;   // of payloads queued
  std::size_t offset_ = 0;  // of the first message: bytes already sent
  std::uint32_t number_ = 0;
  std::string headers_;
  std::vector<std::string_view> parts_;
  std::size_t whole_ = 0;  // messages that the built frame ends
  std::size_t next_offset_ = 0;
};

/// Takes frames apart. Throws fiber::Error for anything that is not the next frame of this protocol.
class Unpacker {
 public:
  std::vector<Message> feed(const base::Bytes& frame);

 private:
  std::uint32_t number_ = 0;
  std::string partial_;
};

}  // namespace fiber::wire
