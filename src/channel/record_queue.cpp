#include "channel/record_queue.hpp"

#include <utility>

namespace fiber::channel {

namespace {
constexpr std::size_t kBlock = 128u << 10;  // bytes; a block is a range of memory or of the spill file
}

void RecordQueue::push(const Batch& batch) {
  if (batch.count == 0) return;
  records_ += batch.count;
  bytes_ += batch.bytes.size();
  in_memory_ += batch.bytes.size();
  if (batch.bytes.size() >= kBlock) {
    seal();
    open_count_ = batch.count;
    open_ = std::string(batch.bytes.view());
  } else {
    if (open_.capacity() < kBlock) open_.reserve(std::min(kBlock, 4 * (open_.size() + batch.bytes.size())));
    open_.append(batch.bytes.view());
    open_count_ += batch.count;
  }
  if (open_.size() >= kBlock) seal();
}

void RecordQueue::push_failed(std::string why) {
  seal();
  blocks_.push_back({{{}, 1}, std::nullopt, std::move(why)});
  ++records_;
}

void RecordQueue::seal() {
  if (open_count_ == 0) return;
  Block block{{base::Bytes(std::exchange(open_, std::string())), std::exchange(open_count_, 0)}, std::nullopt, {}};
  if (in_memory_ > memory_) {
    block.spilled = spill_.put(block.batch.bytes.view());
    full_ = !block.spilled;
    if (block.spilled) {
      in_memory_ -= block.batch.bytes.size();
      block.batch.bytes = {};
    }
  }
  blocks_.push_back(std::move(block));
}

RecordQueue::Item RecordQueue::pop(std::uint32_t most, std::size_t bytes) {
  if (blocks_.empty()) seal();
  Block& front = blocks_.front();
  if (!front.failed.empty()) {
    Item item{front.batch, std::move(front.failed)};
    blocks_.pop_front();
    --records_;
    return item;
  }
  if (front.spilled) {
    front.batch.bytes = spill_.take(*front.spilled);
    in_memory_ += front.batch.bytes.size();
    front.spilled.reset();
    full_ = false;
  }
  Item item;
  if (front.batch.count <= most && front.batch.bytes.size() <= bytes) {
    item.batch = std::move(front.batch);
    blocks_.pop_front();
  } else {
    std::string_view view = front.batch.bytes.view();
    std::size_t end = 0;
    std::uint32_t count = 0;
    while (count < most && count < front.batch.count) {
      const std::size_t next = scanner_.unit_end(view, end);
      if (count > 0 && next > bytes) break;
      end = next;
      ++count;
    }
    item.batch = {front.batch.bytes.slice(0, end), count};
    front.batch = {front.batch.bytes.slice(end), front.batch.count - count};
    if (front.batch.count == 0) blocks_.pop_front();
  }
  records_ -= item.batch.count;
  bytes_ -= item.batch.bytes.size();
  in_memory_ -= item.batch.bytes.size();
  if (in_memory_ <= memory_) full_ = false;
  return item;
}

}  // namespace fiber::channel
