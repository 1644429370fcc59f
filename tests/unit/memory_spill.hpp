#pragma once
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

#include "channel/spill.hpp"

namespace fiber {

/// A spill in memory that counts.
struct MemorySpill final : channel::Spill {
  std::optional<Extent> put(std::string_view bytes) override {
    if (held + bytes.size() > limit) return std::nullopt;
    kept[next] = bytes;
    held += bytes.size();
    most = std::max(most, held);
    const Extent extent{next, bytes.size()};
    next += bytes.size() + 1;
    return extent;
  }
  base::Bytes take(Extent extent) override {
    std::string text = std::move(kept.at(extent.offset));  // throws for what was never put, or taken twice
    held -= text.size();
    kept.erase(extent.offset);
    return base::Bytes(std::move(text));
  }
  std::map<std::uint64_t, std::string> kept;
  std::uint64_t next = 0;
  std::size_t held = 0, most = 0, limit = 1u << 30;
};

}  // namespace fiber
