#pragma once
#include <filesystem>

namespace fiber::base {

/// A folder of the XDG base directory specification: the variable's value, or `fallback` below the user's
/// home folder (HOME, else the password database). Throws fiber::Error naming the variable.
std::filesystem::path xdg_folder(const char* variable, const char* fallback);

}  // namespace fiber::base
