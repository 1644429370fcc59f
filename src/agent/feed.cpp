#include "agent/feed.hpp"

#include <algorithm>

namespace fiber::agent {

void Feed::push(channel::Batch batch) {
  given_ += batch.count;
  allowed_known_ = false;
  const std::uint64_t start = end_;
  end_ += batch.bytes.size();
  slices_.push_back({std::move(batch), start});
  pump();
}

void Feed::end() {
  ending_ = true;
  pump();
}

void Feed::answered(std::uint64_t total) {
  answered_ = total;
  allowed_known_ = false;
  pump();
}

void Feed::set_eager(bool eager) {
  if (eager_ == eager) return;
  eager_ = eager;
  pump();
}

/// Offset up to which the pipe may be filled: to the end of the first unanswered record, or of all.
std::uint64_t Feed::allowed_end() const {
  if (eager_) return end_;
  if (!allowed_known_) allowed_ = find_allowed_end();
  allowed_known_ = true;
  return allowed_;
}

std::uint64_t Feed::find_allowed_end() const {
  if (answered_ < before_) return written_;
  std::uint64_t ahead = answered_ + 1 - before_;
  for (const Slice& slice : slices_) {
    if (ahead > slice.batch.count) {
      ahead -= slice.batch.count;
      continue;
    }
    return slice.start + scanner_.prefix(slice.batch.bytes.view(), static_cast<std::uint32_t>(ahead));
  }
  return end_;
}

void Feed::pump() {
  if (closed_) return;
  forget_taken();
  const std::uint64_t limit = allowed_end();
  auto slice = std::upper_bound(slices_.begin(), slices_.end(), written_,
                                [](std::uint64_t offset, const Slice& at) { return offset < at.end(); });
  for (; slice != slices_.end() && written_ < limit; ++slice) {
    std::string_view bytes = slice->batch.bytes.view().substr(written_ - slice->start);
    bytes = bytes.substr(0, std::min<std::uint64_t>(bytes.size(), limit - written_));
    const std::size_t took = process_.write(bytes);
    written_ += took;
    if (took < bytes.size()) return;
  }
  if (ending_ && written_ == end_) {
    closed_ = true;
    process_.close_input();
  }
}

/// Drops the slices that have left the pipe.
void Feed::forget_taken() {
  if (slices_.empty() || slices_.front().end() > written_) return;
  const std::uint64_t consumed = written_ - process_.unread();
  while (!slices_.empty() && slices_.front().end() <= consumed) {
    before_ += slices_.front().batch.count;
    allowed_known_ = false;
    slices_.pop_front();
  }
}

/// The end of the record that `offset` lies in (or `offset` itself between two), and how many records begin before it.
std::uint64_t Feed::boundary(std::uint64_t offset, std::uint64_t* records_before) const {
  *records_before = before_;
  for (const Slice& slice : slices_) {
    if (slice.start >= offset) return offset;
    if (slice.end() <= offset) {
      *records_before += slice.batch.count;
      continue;
    }
    std::size_t at = 0;
    while (slice.start + at < offset) {
      at = scanner_.unit_end(slice.batch.bytes.view(), at);
      ++*records_before;
    }
    return slice.start + at;
  }
  return offset;
}

std::uint64_t Feed::taken() {
  forget_taken();
  std::uint64_t records = 0;
  boundary(written_ - process_.unread(), &records);
  return records;
}

std::uint32_t Feed::cut_tail(std::uint32_t most, std::uint64_t from) {
  std::uint32_t cut = 0;
  while (cut < most && !slices_.empty() && slices_.back().end() > from) {
    Slice& last = slices_.back();
    std::uint32_t keep = last.batch.count > most - cut ? last.batch.count - (most - cut) : 0;
    std::size_t size = scanner_.prefix(last.batch.bytes.view(), keep);
    while (last.start + size < from) {  // what lies before `from` stays
      size = scanner_.unit_end(last.batch.bytes.view(), size);
      ++keep;
    }
    const std::uint32_t gone = last.batch.count - keep;
    cut += gone;
    given_ -= gone;
    end_ = last.start + size;
    last.batch = {last.batch.bytes.slice(0, size), keep};
    if (keep > 0) break;
    slices_.pop_back();
  }
  return cut;
}

std::uint32_t Feed::take_back(std::uint32_t most) {
  allowed_known_ = false;
  std::uint64_t records = 0;
  std::uint32_t back = cut_tail(most, boundary(written_, &records));
  if (back < most && !closed_ && written_ > 0) {
    // Empty the pipe too; what belongs to a record that was begun is written again at once.
    written_ -= process_.drain();
    allowed_known_ = false;
    back += cut_tail(most - back, boundary(written_, &records));
    pump();
  }
  return back;
}

bool Feed::empty_pipe() const { return written_ >= allowed_end() && process_.unread() == 0; }

}  // namespace fiber::agent
