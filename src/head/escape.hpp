#pragma once
#include <string>
#include <string_view>

namespace fiber::head {

/// Text that is safe to show on a terminal: control bytes become visible (ESC as ^[), tabs stay, invalid
/// UTF-8 becomes U+FFFD, characters that reorder others become their number. `keep_newlines`: newlines stay
/// too.
std::string visible(std::string_view text, bool keep_newlines = false);

/// A JSON string with its quotes. Invalid UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

/// The first `most` bytes at most, not cutting a UTF-8 character in two.
std::string_view cut(std::string_view text, std::size_t most);

}  // namespace fiber::head
