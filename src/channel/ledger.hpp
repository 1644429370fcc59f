#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "channel/framing.hpp"
#include "channel/spill.hpp"

namespace fiber::channel {

using MemberId = std::uint32_t;

/// Consecutive records that share one fate: the unit in which the ledger keeps its books.
struct Chunk {
  std::uint32_t count = 0;
  std::uint32_t answered = 0;  ///< its first so many records have their answers
  base::Bytes in;              ///< the records
  bool solo = false;           ///< to be handed out alone: somebody died over it or next to it
  bool failed = false;
  unsigned lost = 0;    ///< tries that ended with a lost worker
  unsigned errors = 0;  ///< tries that ended with a task error
  struct Piece {
    base::Bytes bytes;
    std::optional<Spill::Extent> spilled;
    std::uint32_t count = 0;
  };
  std::vector<Piece> out;  ///< answers that wait for their turn
  bool done() const { return answered == count; }
};

/// Which records are out and which answers have come: from hand-out to delivery. Keys are record numbers, from 1; a
/// chunk has the number of its first record.
class Ledger {
 public:
  using Deliver = std::function<void(const base::Bytes&, std::uint32_t)>;

  Ledger(Scanner records, Order order, Spill& spill, std::size_t memory, Deliver deliver);

  /// Enters the next records of the input; returns their key.
  std::uint64_t add(Batch batch);
  Chunk& at(std::uint64_t key) { return chunks_.at(key); }
  /// Cuts a chunk behind its first `n` records (0 < n < count); returns the key of the second part.
  std::uint64_t split(std::uint64_t key, std::uint32_t n);
  /// Parts with the answered beginning of a chunk that is not done; returns the key of the rest.
  std::uint64_t unanswered(std::uint64_t key);
  /// A chunk has become done by a split.
  void settle(std::uint64_t key);
  /// The next `n` records of the chunk are answered by `bytes`.
  void answer(std::uint64_t key, const base::Bytes& bytes, std::uint32_t n);
  /// A chunk of one record will have no good answer; `reply` (may be empty) stands in its place.
  void fail(std::uint64_t key, std::string reply);
  /// Delivers what has its turn.
  void flush();

  bool empty() const { return chunks_.empty(); }
  /// Records entered and not delivered, and the bytes that they hold.
  std::uint64_t open_records() const { return next_ - 1 - delivered_; }
  std::uint64_t open_bytes() const { return held_; }
  std::uint64_t entered() const { return next_ - 1; }
  bool full() const { return full_; }

 private:
  void store(Chunk& chunk, const base::Bytes& bytes, std::uint32_t n);
  void hand_over(Chunk& chunk);
  void erase(std::map<std::uint64_t, Chunk>::iterator at);

  Scanner records_;
  Order order_;
  Spill& spill_;
  std::size_t memory_;
  Deliver deliver_;
  std::map<std::uint64_t, Chunk> chunks_;
  std::uint64_t next_ = 1;
  std::uint64_t delivered_ = 0;
  std::uint64_t held_ = 0;     // bytes of records
  std::uint64_t waiting_ = 0;  // bytes of answers in memory
  bool full_ = false;
};

}  // namespace fiber::channel
