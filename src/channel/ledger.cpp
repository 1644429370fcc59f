#include "channel/ledger.hpp"

#include <utility>

namespace fiber::channel {

Ledger::Ledger(Scanner records, Order order, Spill& spill, std::size_t memory, Deliver deliver)
    : records_(records), order_(order), spill_(spill), memory_(memory), deliver_(std::move(deliver)) {}

std::uint64_t Ledger::add(Batch batch) {
  const std::uint64_t key = next_;
  next_ += batch.count;
  held_ += batch.bytes.size();
  Chunk& chunk = chunks_[key];
  chunk.count = batch.count;
  chunk.in = std::move(batch.bytes);
  return key;
}

std::uint64_t Ledger::split(std::uint64_t key, std::uint32_t n) {
  Chunk& first = chunks_.at(key);
  const std::size_t cut = records_.prefix(first.in.view(), n);
  Chunk second;
  second.count = first.count - n;
  second.in = first.in.slice(cut);
  second.solo = first.solo;
  first.count = n;
  first.in = first.in.slice(0, cut);
  chunks_.emplace(key + n, std::move(second));
  return key + n;
}

std::uint64_t Ledger::unanswered(std::uint64_t key) {
  Chunk& chunk = chunks_.at(key);
  if (chunk.answered == 0) return key;
  const std::uint64_t rest = split(key, chunk.answered);
  settle(key);
  return rest;
}

void Ledger::settle(std::uint64_t key) {
  if (order_ == Order::completion) {
    erase(chunks_.find(key));
  } else {
    flush();
  }
}

void Ledger::answer(std::uint64_t key, const base::Bytes& bytes, std::uint32_t n) {
  auto at = chunks_.find(key);
  Chunk& chunk = at->second;
  chunk.answered += n;
  if (order_ == Order::completion || at == chunks_.begin()) {
    deliver_(bytes, n);
    delivered_ += n;
    if (chunk.done()) {
      erase(at);
      flush();
    }
    return;
  }
  store(chunk, bytes, n);
}

void Ledger::fail(std::uint64_t key, std::string reply) {
  chunks_.at(key).failed = true;
  answer(key, base::Bytes(std::move(reply)), 1);
}

void Ledger::store(Chunk& chunk, const base::Bytes& bytes, std::uint32_t n) {
  Chunk::Piece piece{bytes, std::nullopt, n};
  if (waiting_ + bytes.size() > memory_) {
    piece.spilled = spill_.put(bytes.view());
    full_ = !piece.spilled;
    if (piece.spilled) piece.bytes = {};
  }
  waiting_ += piece.bytes.size();
  chunk.out.push_back(std::move(piece));
}

void Ledger::hand_over(Chunk& chunk) {
  for (Chunk::Piece& piece : std::exchange(chunk.out, {})) {
    waiting_ -= piece.bytes.size();
    if (piece.spilled) piece.bytes = spill_.take(*piece.spilled);
    delivered_ += piece.count;
    deliver_(piece.bytes, piece.count);
  }
}

void Ledger::flush() {
  while (!chunks_.empty()) {
    auto front = chunks_.begin();
    if (!front->second.out.empty()) hand_over(front->second);
    full_ = false;
    if (!front->second.done()) return;
    erase(front);
  }
}

void Ledger::erase(std::map<std::uint64_t, Chunk>::iterator at) {
  held_ -= at->second.in.size();
  chunks_.erase(at);
}

}  // namespace fiber::channel
