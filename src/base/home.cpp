#include "base/home.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace fiber::base {
namespace {

std::string home_folder() {
  if (const char* home = std::getenv("HOME"); home && *home) return home;
  std::vector<char> space(16384);
  passwd entry{}, *found = nullptr;
  if (getpwuid_r(geteuid(), &entry, space.data(), space.size(), &found) == 0 && found && found->pw_dir) {
    return found->pw_dir;
  }
  return {};
}

}  // namespace

std::filesystem::path xdg_folder(const char* variable, const char* fallback) {
  const std::string name = variable;
  if (const char* value = std::getenv(variable); value && *value) {
    if (*value != '/') throw Error(name + " must be an absolute path, found '" + value + "'");
    return value;
  }
  const std::string home = home_folder();
  if (home.empty() || home.front() != '/') throw Error("no home folder is known; set " + name);
  return std::filesystem::path(home) / fallback;
}

}  // namespace fiber::base
