#include "head/spill_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

namespace fiber::head {

namespace {

[[noreturn]] void fail(const std::filesystem::path& folder, const char* what) {
  throw Error(
      fmt::format("{}: cannot {} the spill file: {} (see limits.spill)", folder.string(), what, std::strerror(errno)));
}

}  // namespace

std::optional<channel::Spill::Extent> SpillFile::put(std::string_view bytes) {
  if (held_ + bytes.size() > limit_) return std::nullopt;
  if (!file_) {
    file_ = base::Fd(::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!file_) {  // a file system without O_TMPFILE
      std::string name = (folder_ / "spill-XXXXXX").string();
      file_ = base::Fd(::mkostemp(name.data(), O_CLOEXEC));
      if (!file_) fail(folder_, "make");
      ::unlink(name.c_str());
    }
  }
  const Extent extent{end_, bytes.size()};
  while (!bytes.empty()) {
    const ssize_t wrote = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(end_));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail(folder_, "write");
    end_ += static_cast<std::uint64_t>(wrote);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  held_ += extent.size;
  return extent;
}

base::Bytes SpillFile::take(Extent extent) {
  std::string text(extent.size, '\0');
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t got =
        ::pread(file_.get(), text.data() + done, text.size() - done, static_cast<off_t>(extent.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(folder_, "read");
    done += static_cast<std::size_t>(got);
  }
  held_ -= extent.size;
  if (held_ == 0) {
    end_ = 0;
    if (::ftruncate(file_.get(), 0) != 0) fail(folder_, "shorten");
  } else {
    ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(extent.offset),
                static_cast<off_t>(extent.size));  // where it is not supported the place is free later
  }
  return base::Bytes(std::move(text));
}

}  // namespace fiber::head
