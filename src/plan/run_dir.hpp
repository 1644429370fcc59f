#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "base/fd.hpp"

namespace fiber::plan {

/// The record of one run on disk: `$XDG_STATE_HOME/fiber/runs/<id>/` with job.yaml, events.jsonl, logs/. Mode
/// 0700. While this object lives the run counts as running (a lock is held; the kernel drops it with the
/// process).
class RunDirectory {
 public:
  /// Makes a fresh one, with a new id, and removes the oldest ended ones above 200. Throws fiber::Error.
  static RunDirectory create();

  const std::string& id() const { return id_; }
  const std::filesystem::path& path() const { return path_; }
  /// Short-lived files of the run (sockets, FIFOs, scratch folders): a 0700 folder under TMPDIR, or /tmp
  /// where that is too long for a Unix socket's 107 bytes. Removed with this object; those of killed runs by
  /// the next `create`.
  const std::filesystem::path& scratch() const { return scratch_; }

  /// Writes job.yaml. Throws fiber::Error.
  void write_job(std::string_view text);
  /// Appends a line to events.jsonl. False if it could not be written (disk full, folder gone): nothing of it
  /// is there.
  bool append_event(std::string_view json_line);
  /// Appends to logs/<member>.log. False if not all could be written.
  bool append_log(const std::string& member, std::string_view bytes);

  RunDirectory(RunDirectory&&) = default;
  RunDirectory& operator=(RunDirectory&&) = delete;
  ~RunDirectory();

 private:
  RunDirectory() = default;
  void open_files();

  std::string id_;
  std::filesystem::path path_, scratch_;
  base::Fd lock_, scratch_lock_, events_;
};

}  // namespace fiber::plan
