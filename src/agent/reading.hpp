#pragma once
#include <sys/types.h>

namespace fiber::agent {

/// True if `pid`, or a descendant with the same stdin, sits in read(0), as /proc/PID/syscall tells (see proc(5)).
/// False also where that cannot be read.
bool reads_empty_stdin(pid_t pid);

}  // namespace fiber::agent
