#include "agent/reading.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/child.hpp"

namespace fiber::agent {

namespace {

bool in_read_of_stdin(const std::string& task) {
  std::ifstream file(task + "/syscall");
  long number = -1;
  std::string descriptor;
  if (!(file >> number >> descriptor)) return false;  // "running" does not parse
  return (number == SYS_read || number == SYS_readv) && descriptor == "0x0";
}

}  // namespace

bool reads_empty_stdin(pid_t pid) {
  struct stat stdin_of_member {};
  const std::string folder = "/proc/" + std::to_string(pid);
  if (::stat((folder + "/fd/0").c_str(), &stdin_of_member) != 0) return false;
  if (in_read_of_stdin(folder)) return true;
  for (pid_t child : base::descendants(pid)) {
    const std::string other = "/proc/" + std::to_string(child);
    struct stat stdin_of_child {};
    if (::stat((other + "/fd/0").c_str(), &stdin_of_child) != 0) continue;
    if (stdin_of_child.st_ino == stdin_of_member.st_ino && stdin_of_child.st_dev == stdin_of_member.st_dev &&
        in_read_of_stdin(other)) {
      return true;
    }
  }
  return false;
}

}  // namespace fiber::agent
