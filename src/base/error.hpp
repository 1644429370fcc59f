#pragma once
#include <stdexcept>
#include <string>

namespace fiber {

/// Exit codes of the command line that are not a program's own.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,
  kExitTimeout = 124,     ///< a limit of the run was reached
  kExitFiber = 125,       ///< fiber itself failed, wrong usage included
  kExitCannotRun = 126,   ///< a program is there and cannot be executed
  kExitNotFound = 127,    ///< a program does not exist
  kExitSignalBase = 128,  ///< 128 + n: ended by signal n
};

/// The one exception type: a message for the user and the exit code it leads to.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, int code = kExitFiber) : std::runtime_error(message), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

}  // namespace fiber
