#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fiber::plan {

/// A value that was read, or why it cannot be: `problem` continues a sentence such as "workers.count ".
template <class T>
struct Reading {
  std::optional<T> value;
  std::string problem;
};

/// A whole number in decimal digits, e.g. `8` or `-1`.
Reading<std::int64_t> read_number(std::string_view text);

/// Bytes, as in Kubernetes: `1024`, `1.5Gi`, `512M`, `2e9`.
Reading<std::uint64_t> read_size(std::string_view text);

/// `250ms`, `90s`, `2h30m`, `1.5h`, `2d`.
Reading<std::chrono::milliseconds> read_duration(std::string_view text);

struct DurationRange {
  std::chrono::milliseconds min, max;
};

/// `1s..30s`, or `5s` for both ends.
Reading<DurationRange> read_duration_range(std::string_view text);

/// The shortest way to write it: `64Mi`, `1500`.
std::string size_text(std::uint64_t bytes);
/// `2h30m`, `250ms`, `0s`.
std::string duration_text(std::chrono::milliseconds duration);

}  // namespace fiber::plan
