#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"

namespace fiber::channel {

/// Where a channel puts bytes that would take too much memory.
class Spill {
 public:
  struct Extent {
    std::uint64_t offset = 0;
    std::size_t size = 0;
  };
  virtual ~Spill() = default;
  /// Nothing when the limit is reached. Throws fiber::Error when the disk is full or broken.
  virtual std::optional<Extent> put(std::string_view bytes) = 0;
  /// Reads the bytes back and gives their place free.
  virtual base::Bytes take(Extent extent) = 0;
};

}  // namespace fiber::channel
