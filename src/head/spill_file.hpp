#pragma once
#include <filesystem>

#include "base/fd.hpp"
#include "channel/spill.hpp"

namespace fiber::head {

/// Spilled bytes in one unlinked file: the kernel gives the place back, however the run ends.
class SpillFile final : public channel::Spill {
 public:
  /// `folder`: where the file is made, when the first bytes come. `limit`: bytes kept at a time.
  SpillFile(std::filesystem::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}

  std::optional<Extent> put(std::string_view bytes) override;
  base::Bytes take(Extent extent) override;

 private:
  std::filesystem::path folder_;
  std::uint64_t limit_;
  base::Fd file_;
  std::uint64_t end_ = 0, held_ = 0;
};

}  // namespace fiber::head
