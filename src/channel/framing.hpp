#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace fiber::channel {

/// How records stand in a byte stream. `lines`: ended by a newline; `nul`: by a zero byte; `len32`: after
/// their length, 4 bytes, big-endian (Erlang's `{packet,4}`). The top bit of a len32 length marks an error
/// record.
enum class Framing { lines, nul, len32 };
/// What answers one record: one record, or all records up to an empty one.
enum class Reply { one, many };
enum class Envelope { none, id };
enum class Order { input, completion };

/// Whole units in their framing, one after the other in memory. A unit is a record, or with Reply::many a
/// whole answer.
struct Batch {
  base::Bytes bytes;
  std::uint32_t count = 0;
};

/// Finds where units end. Pure.
class Scanner {
 public:
  explicit Scanner(Framing framing, Reply reply = Reply::one) : framing_(framing), reply_(reply) {}

  /// The offset behind the unit that starts at `from`, or npos if its end is not in `bytes`.
  std::size_t unit_end(std::string_view bytes, std::size_t from) const;
  /// Length in bytes of the first `count` units; all of them must be there.
  std::size_t prefix(std::string_view bytes, std::uint32_t count) const;
  /// Counts whole units; `*end` becomes the offset behind the last.
  std::uint32_t count_units(std::string_view bytes, std::size_t* end) const;
  /// The payload of the first record of a unit, without its framing.
  std::string_view payload(std::string_view unit) const;
  /// True if this unit begins with an error record (a leading 0x15, or the top bit of a len32 length).
  bool is_error(std::string_view unit) const;
  /// Quick test: false means that no unit of `bytes` can be an error.
  bool may_hold_error(std::string_view bytes) const;

  /// One record with its framing.
  std::string frame(std::string_view payload) const;
  /// One error record with its framing, for a JSON text without newline or zero byte.
  std::string frame_error(std::string_view json) const;
  /// Ends a last record that was left unended, where that is allowed: not for len32, and not in an answer of many.
  std::optional<std::string> close_unit(std::string rest) const;

  /// The offset behind the record that starts at `from`, or npos.
  std::size_t record_end(std::string_view bytes, std::size_t from) const;
  Framing framing() const { return framing_; }
  Reply reply() const { return reply_; }
  bool delimited() const { return framing_ != Framing::len32; }
  char delimiter() const { return framing_ == Framing::lines ? '\n' : '\0'; }

 private:
  Framing framing_;
  Reply reply_;
};

/// What a splitter found: whole units, or (`oversize` > 0) one unit of at least that many bytes, over the
/// limit.
struct Cut {
  Batch batch;
  std::uint64_t oversize = 0;
};

/// Cuts a byte stream into whole units. Holds at most one unfinished unit of at most `max_unit` bytes.
class Splitter {
 public:
  Splitter(Scanner scanner, std::uint64_t max_unit) : scanner_(scanner), max_(max_unit) {}

  /// Takes the next bytes of the stream and returns what became whole, in order.
  std::vector<Cut> feed(const base::Bytes& bytes);
  /// The stream has ended: an unended last line counts as a record; a torn len32 record does not.
  std::vector<Cut> finish();
  /// Bytes of the unfinished unit.
  std::size_t pending() const { return rest_.size(); }

 private:
  void cut(const base::Bytes& bytes, std::vector<Cut>& out);
  void keep(std::string_view rest, std::vector<Cut>& out);
  bool completed();
  bool too_long() const;
  std::size_t skip(std::string_view bytes, std::vector<Cut>& out);
  std::size_t skip_delimited(std::string_view bytes, bool& ended);
  std::size_t skip_counted(std::string_view bytes, bool& ended);

  Scanner scanner_;
  std::uint64_t max_;
  std::string rest_;          // an unfinished unit
  std::size_t record_ = 0;    // where its last, unfinished record starts
  std::size_t searched_ = 0;  // no delimiter between record_ and here

  struct Skip {  // inside a unit over the limit
    bool on = false;
    std::uint64_t size = 0;      // of the unit so far
    bool at_start = true;        // of a record
    std::uint64_t left = 0;      // bytes to the end of a len32 record
    std::uint64_t declared = 0;  // size of the longest len32 record in it
    std::string header;
  } skip_;
};

}  // namespace fiber::channel
