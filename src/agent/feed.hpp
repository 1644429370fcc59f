#pragma once
#include <cstdint>
#include <deque>
#include <limits>

#include "agent/process.hpp"
#include "channel/framing.hpp"

namespace fiber::agent {

/// Records on their way into one program's stdin. They wait here, not in the pipe: the pipe gets the record that the
/// program works on, and more only as long as it is quick. What it has not begun to read can be taken back.
class Feed {
 public:
  Feed(channel::Framing framing, Process& process) : scanner_(framing), process_(process) {}

  void push(channel::Batch batch);
  /// Removes up to `most` of the newest records that have not been taken; returns how many.
  std::uint32_t take_back(std::uint32_t most);
  /// Stdin is closed once all has been written.
  void end();
  /// The program has answered so many records in all; the next may follow.
  void answered(std::uint64_t total);
  /// Many records may be in the pipe at a time.
  void set_eager(bool eager);
  void pump();

  std::uint64_t given() const { return given_; }
  std::uint64_t written() const { return written_; }
  /// Records whose first byte has left the pipe, since the start.
  std::uint64_t taken();
  /// All that may be written now has been written, and nothing of it is unread.
  bool empty_pipe() const;

 private:
  struct Slice {
    channel::Batch batch;
    std::uint64_t start;  // offset in the stream
    std::uint64_t end() const { return start + batch.bytes.size(); }
  };
  std::uint64_t allowed_end() const;
  std::uint64_t find_allowed_end() const;
  void forget_taken();
  std::uint64_t boundary(std::uint64_t offset, std::uint64_t* records_before) const;
  std::uint32_t cut_tail(std::uint32_t most, std::uint64_t from);

  channel::Scanner scanner_;
  Process& process_;
  std::deque<Slice> slices_;            // from the first record that may be unread on
  std::uint64_t before_ = 0;            // records before slices_
  std::uint64_t given_ = 0;             // records
  std::uint64_t answered_ = 0;          // records
  std::uint64_t end_ = 0;               // offset behind the last record
  std::uint64_t written_ = 0;           // offset
  mutable std::uint64_t allowed_ = 0;   // what find_allowed_end said ...
  mutable bool allowed_known_ = false;  // ... since the last change
  bool eager_ = false, ending_ = false, closed_ = false;
};

}  // namespace fiber::agent
