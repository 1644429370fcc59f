#pragma once
#include <functional>
#include <memory>
#include <string_view>

#include "base/fd.hpp"
#include "base/loop.hpp"

namespace fiber::agent {

/// Writes to a non-blocking pipe what it takes, and tells when it takes more. The descriptor stays the caller's and
/// must outlive this object, which may be destroyed inside its own callback.
class PipeWriter {
 public:
  PipeWriter(base::Loop& loop, int fd, std::function<void()> writable)
      : loop_(loop), fd_(fd), writable_(std::move(writable)) {}

  /// Bytes written; less than all means that `writable` will be called. Throws base::BrokenPipe.
  std::size_t write(std::string_view bytes) {
    const auto wrote = base::write_some(fd_, bytes);
    if (wrote && *wrote == bytes.size()) return *wrote;
    if (!watch_) watch_ = loop_.watch(fd_, base::Readiness::writable, [this] { ready(); });
    watch_->set(true);
    return wrote.value_or(0);
  }

 private:
  void ready() {
    watch_->set(false);
    const auto tell = writable_;  // may destroy this object
    tell();
  }

  base::Loop& loop_;
  int fd_;
  std::function<void()> writable_;
  std::unique_ptr<base::Watch> watch_;
};

}  // namespace fiber::agent
