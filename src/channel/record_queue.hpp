#pragma once
#include <cstdint>
#include <deque>
#include <string>

#include "channel/framing.hpp"
#include "channel/spill.hpp"

namespace fiber::channel {

/// First in, first out, of records: in memory up to `memory` bytes, then on disk.
class RecordQueue {
 public:
  struct Item {
    Batch batch;
    std::string failed;  ///< not empty: this one record cannot be handed out, and this is why
  };

  RecordQueue(Scanner scanner, Spill& spill, std::size_t memory) : scanner_(scanner), spill_(spill), memory_(memory) {}

  void push(const Batch& batch);
  void push_failed(std::string why);
  /// The next records: at least one, at most `most`, and no more than `bytes` if that leaves one.
  Item pop(std::uint32_t most, std::size_t bytes);

  bool empty() const { return records_ == 0; }
  std::uint64_t records() const { return records_; }
  std::uint64_t bytes() const { return bytes_; }
  /// True when neither memory nor disk may take more.
  bool full() const { return full_; }

 private:
  struct Block {
    Batch batch;
    std::optional<Spill::Extent> spilled;
    std::string failed;
  };
  void seal();

  Scanner scanner_;
  Spill& spill_;
  std::size_t memory_;
  std::deque<Block> blocks_;
  std::string open_;  // the newest records, still growing
  std::uint32_t open_count_ = 0;
  std::uint64_t records_ = 0, bytes_ = 0;
  std::uint64_t in_memory_ = 0;
  bool full_ = false;
};

}  // namespace fiber::channel
