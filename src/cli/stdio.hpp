#pragma once
#include <string_view>

namespace fiber::cli {

/// Which of the three standard descriptors were open when fiber was started.
struct Stdio {
  bool in = true, out = true, err = true;
};

/// Opens /dev/null in place of closed standard descriptors, so that no file of fiber's lands there.
Stdio open_stdio();

/// Writes to stdout. Throws fiber::Error when that fails; its code is 141 if the reader has gone.
void print(std::string_view text, const Stdio& stdio);

/// Throws fiber::Error if stdin and stdout are one regular file.
void refuse_one_file();

}  // namespace fiber::cli
