#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace fiber::wire {

/// Version of all that head and agent say to each other. Both sides refuse another one.
inline constexpr std::uint16_t kProtocol = 1;

/// What a message says. `member` is the index that the head gave in `start`.
enum class Type : std::uint8_t {
  // head to agent
  start = 1,      ///< start a member (payload: agent::Start)
  records,        ///< `count` records for a member; from an agent: records that a source wrote
  take_back,      ///< return up to `count` records that the member has not taken
  end_input,      ///< end of file for a member, behind what it was given
  signal,         ///< send signal `count` to the member's process group
  credit,         ///< a source may send `count` bytes more
  result_credit,  ///< `count` bytes more of result may be sent
  input,          ///< bytes for FIBER_STDIN; empty: end of file
  end,            ///< the job is over
  // agent to head
  hello,         ///< first message of an agent
  started,       ///< pid in `count`
  replies,       ///< `count` answers
  source_ended,  ///< a source has closed its stdout
  oversize,      ///< a record or answer over max_record (payload: its size as text)
  surplus,       ///< more answers than records taken (payload: the first bytes that cannot be trusted)
  returned,      ///< `count` records were taken back
  consumed,      ///< a source has been given `count` bytes of replies
  hungry,        ///< sits in read with an empty pipe: a worker with an unanswered record, or a source
  input_wanted,  ///< FIBER_STDIN was opened
  input_used,    ///< `count` bytes of FIBER_STDIN were written
  result,        ///< bytes from FIBER_STDOUT, or the stdout of a master without a channel
  log,           ///< bytes for the log
  gone,          ///< a member has ended (payload: agent::Gone)
  ended,         ///< answer to end: nothing more will come
};

/// One message. Limits: payload up to 4 GiB; the link cuts it into pieces on the way.
struct Message {
  Type type = Type::hello;
  std::uint32_t member = 0;
  std::uint32_t count = 0;
  base::Bytes payload;
};

/// Puts numbers and texts one after the other; little-endian, texts after their length.
class Writer {
 public:
  Writer& number(std::uint64_t value);
  Writer& text(std::string_view value);
  Writer& texts(const std::vector<std::string>& values);
  base::Bytes done() { return base::Bytes(std::move(out_)); }

 private:
  std::string out_;
};

/// Reads what Writer wrote. Throws fiber::Error where the payload is too short.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number();
  std::string text();
  std::vector<std::string> texts();

 private:
  std::string_view rest_;
};

}  // namespace fiber::wire
