#pragma once
#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "agent/orders.hpp"
#include "base/bytes.hpp"
#include "base/child.hpp"

namespace fiber::agent {

/// What a program does, as seen from outside. Calls come from the loop, never from inside a call to Process.
class ProcessEvents {
 public:
  virtual ~ProcessEvents() = default;
  virtual void on_output(const base::Bytes& bytes) = 0;  ///< stdout, where a channel rides on it
  virtual void on_output_closed() = 0;                   ///< end of file on it, while the program lives
  virtual void on_log(const base::Bytes& bytes) = 0;     ///< stderr, or stdout without a channel
  virtual void on_result(const base::Bytes& bytes) = 0;  ///< FIBER_STDOUT, or the stdout of a master without a channel
  virtual void on_writable() = 0;                        ///< stdin takes bytes again
  virtual void on_input_wanted() = 0;                    ///< FIBER_STDIN was opened
  virtual void on_input_writable() = 0;                  ///< FIBER_STDIN takes bytes again
  virtual void on_exit(base::ExitStatus status) = 0;     ///< the last call; all it wrote came before
};

/// A running program and its pipes. Destroying it kills its process group.
class Process {
 public:
  virtual ~Process() = default;
  virtual pid_t pid() const = 0;
  /// Writes to stdin what it takes now; less than all means that on_writable will come.
  virtual std::size_t write(std::string_view bytes) = 0;
  /// Bytes written to stdin that nobody has read; also after the program's death.
  virtual std::size_t unread() const = 0;
  /// Takes all unread bytes out of the stdin pipe; returns how many.
  virtual std::size_t drain() = 0;
  virtual void close_input() = 0;
  /// Stops or resumes reading its output, log and result.
  virtual void pause(bool paused) = 0;
  virtual void pause_result(bool paused) = 0;
  /// Sends a signal to its process group.
  virtual void kill(int signal) = 0;
  /// It, or a descendant that has the same stdin, sits in a read of an empty stdin, and all it wrote has been read.
  virtual bool asking() const = 0;
  virtual std::size_t write_console(std::string_view bytes) = 0;  ///< to FIBER_STDIN
  virtual void close_console() = 0;
};

/// Starts programs: for real, or in a simulation.
class Spawner {
 public:
  virtual ~Spawner() = default;
  /// Throws fiber::Error with code 127, 126 or 125. `events` must outlive the process.
  virtual std::unique_ptr<Process> spawn(const Start& start, ProcessEvents& events) = 0;
};

}  // namespace fiber::agent
