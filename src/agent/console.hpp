#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/pipe_writer.hpp"
#include "base/fd.hpp"
#include "base/loop.hpp"

namespace fiber::agent {

/// The FIFOs behind FIBER_STDIN and FIBER_STDOUT, in a member's scratch folder. Opening either never blocks.
class Console {
 public:
  struct Events {
    std::function<void()> readable;  ///< FIBER_STDOUT has bytes
    std::function<void()> wanted;    ///< FIBER_STDIN was opened, for the first time
    std::function<void()> writable;  ///< FIBER_STDIN takes bytes again
  };
  Console(base::Loop& loop, const std::string& folder, Events events);

  std::string in_path() const { return in_path_; }
  std::string out_path() const { return out_path_; }
  int out() const { return out_.get(); }
  void pause(bool paused) { reading_->set(!paused); }
  std::size_t write(std::string_view bytes);
  /// No more input: who reads gets what is unread, then end of file, however late it opens.
  void close();

 private:
  void opened();
  void finish();

  base::Loop& loop_;
  Events events_;
  std::string in_path_, out_path_;
  base::Fd in_, out_, keep_out_, notify_;
  std::optional<PipeWriter> writer_;
  std::unique_ptr<base::Watch> reading_, opening_;
  base::Timer closing_;
  bool wanted_ = false;
};

}  // namespace fiber::agent
