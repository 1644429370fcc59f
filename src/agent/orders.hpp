#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/child.hpp"
#include "channel/framing.hpp"

namespace fiber::agent {

/// What stands on a member's stdin and stdout.
enum class Stdio : std::uint8_t {
  none,    ///< stdin is /dev/null, stdout is log
  worker,  ///< reads the records of a pool, writes answers
  source,  ///< writes the records of a pool, reads answers
  result,  ///< stdin is /dev/null, stdout is the result of the run
};

/// The order to start a member: payload of wire::Type::start.
struct Start {
  std::string name;  ///< workers.3
  std::vector<std::string> argv;
  std::vector<std::string> env;  ///< NAME=value, laid over the agent's own environment
  std::string dir;               ///< working directory
  std::string scratch;           ///< FIBER_DIR, made by the agent and removed with the member
  Stdio stdio = Stdio::none;
  bool console = false;  ///< gets FIBER_STDIN and (unless stdout is the result) FIBER_STDOUT
  channel::Framing framing = channel::Framing::lines;
  channel::Reply reply = channel::Reply::one;
  channel::Envelope envelope = channel::Envelope::none;
  std::uint64_t max_record = 0;

  base::Bytes encode() const;
  static Start decode(std::string_view bytes);
};

/// How a member ended: payload of wire::Type::gone.
struct Gone {
  base::ExitStatus status;
  int cannot_run = 0;          ///< 126 or 127 (125: no process to be had): the program was never executed
  std::string message;         ///< why, then
  std::uint64_t taken = 0;     ///< records taken since its start
  bool closed_output = false;  ///< closed its stdout and lived on; it was killed for that

  base::Bytes encode() const;
  static Gone decode(std::string_view bytes);
};

}  // namespace fiber::agent
