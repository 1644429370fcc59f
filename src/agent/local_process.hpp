#pragma once
#include <memory>
#include <string>
#include <vector>

#include "agent/process.hpp"
#include "base/loop.hpp"

namespace fiber::agent {

/// Starts programs on this machine, with pipes.
class LocalSpawner final : public Spawner {
 public:
  LocalSpawner(base::Loop& loop, base::Reaper& reaper);
  std::unique_ptr<Process> spawn(const Start& start, ProcessEvents& events) override;

 private:
  base::Loop& loop_;
  base::Reaper& reaper_;
};

}  // namespace fiber::agent
