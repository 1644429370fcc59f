#include "wire/frame.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace fiber::wire {

namespace {

constexpr std::string_view kMagic = "fibr";
constexpr std::size_t kHeader = 16;

void put(std::string& out, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
}

std::uint32_t get(std::string_view bytes, std::size_t at, int width) {
  std::uint32_t value = 0;
  for (int i = width - 1; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

}  // namespace

void Packer::push(Message message) {
  bytes_ += message.payload.size();
  queue_.push_back(std::move(message));
}

const std::vector<std::string_view>& Packer::frame() {
  struct Piece {
    const Message* message;
    std::size_t from, size;
    bool more;
  };
  std::vector<Piece> pieces;
  std::size_t total = 0;
  std::size_t offset = offset_;
  whole_ = 0;
  next_offset_ = 0;
  for (const Message& message : queue_) {
    if (total >= kFrameTarget) break;
    const std::size_t left = message.payload.size() - offset;
    const std::size_t size = std::min(left, kFrameTarget - total);
    pieces.push_back({&message, offset, size, size < left});
    total += size + kHeader;
    if (size < left) {
      next_offset_ = offset + size;
      break;
    }
    offset = 0;
    ++whole_;
  }
  headers_.clear();
  headers_.reserve(kHeader * (pieces.size() + 1));
  headers_ += kMagic;
  put(headers_, kProtocol, 2);
  put(headers_, 0, 2);
  put(headers_, number_, 4);
  put(headers_, 0, 4);
  parts_.assign(1, std::string_view(headers_.data(), kHeader));
  for (const Piece& piece : pieces) {
    const std::size_t at = headers_.size();
    put(headers_, static_cast<std::uint8_t>(piece.message->type), 1);
    put(headers_, piece.more ? 1 : 0, 1);
    put(headers_, 0, 2);
    put(headers_, piece.message->member, 4);
    put(headers_, piece.message->count, 4);
    put(headers_, piece.size, 4);
    parts_.emplace_back(headers_.data() + at, kHeader);
    if (piece.size > 0) parts_.push_back(piece.message->payload.view().substr(piece.from, piece.size));
  }
  return parts_;
}

void Packer::sent() {
  for (; whole_ > 0; --whole_) {
    bytes_ -= queue_.front().payload.size() - offset_;
    offset_ = 0;
    queue_.pop_front();
  }
  bytes_ -= next_offset_ > offset_ ? next_offset_ - offset_ : 0;
  offset_ = next_offset_;
  ++number_;
}

std::vector<Message> Unpacker::feed(const base::Bytes& frame) {
  std::vector<Message> messages;
  const std::string_view bytes = frame.view();
  if (bytes.size() < kHeader || bytes.substr(0, kMagic.size()) != kMagic) throw Error("not a frame of fiber");
  const std::uint32_t protocol = get(bytes, 4, 2);
  if (protocol != kProtocol)
    throw Error(fmt::format("the other side speaks protocol {}, this fiber {}", protocol, kProtocol));
  if (get(bytes, 8, 4) != number_++) throw Error("a frame is missing or came twice");
  std::size_t at = kHeader;
  while (at < bytes.size()) {
    if (bytes.size() - at < kHeader) throw Error("a frame is cut short");
    const std::size_t length = get(bytes, at + 12, 4);
    if (length > bytes.size() - at - kHeader) throw Error("a frame is cut short");
    Message message{static_cast<Type>(bytes[at]), get(bytes, at + 4, 4), get(bytes, at + 8, 4),
                    frame.slice(at + kHeader, length)};
    const bool more = bytes[at + 1] != 0;
    at += kHeader + length;
    if (more || !partial_.empty()) {
      partial_ += message.payload.view();
      if (more) continue;
      message.payload = base::Bytes(std::exchange(partial_, std::string()));
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

}  // namespace fiber::wire
