#include "head/run.hpp"

#include <unistd.h>

#include <csignal>
#include <optional>

#include "backend/local.hpp"
#include "base/child.hpp"
#include "base/loop.hpp"
#include "head/head.hpp"
#include "head/spill_file.hpp"
#include "head/stdio.hpp"

namespace fiber::head {

using namespace std::chrono_literals;

namespace {

constexpr auto kLastKill = 2s;

/// The real things around a head: loop, processes, sockets, stdin and stdout.
class Stage {
 public:
  Stage(const plan::Plan& plan, plan::RunDirectory& directory, Reporter& reporter)
      : reaper_(loop_),
        backend_(loop_, reaper_, directory.scratch().string(), [this] { head_.backend_changed(); }),
        hub_(loop_, backend_.listen_address()),
        spill_(directory.path(), plan.limits.spill),
        head_(plan, directory.id(), directory.scratch().string(), loop_, backend_, hub_, spill_, reporter,
              {[this](std::size_t bytes) { want_input(bytes); },
               [this](const base::Bytes& bytes) { output_.write(bytes); }, [this] { return output_.backlog(); },
               [this](int code) {
                 code_ = code;
                 loop_.stop();
               }}),
        output_(loop_, STDOUT_FILENO, {[this] { head_.output_room(); }, [this] { head_.output_broken(); }}),
        signals_(loop_.on_signal({SIGINT, SIGTERM, SIGHUP}, [this](int signal) { head_.interrupt(signal); })),
        stops_(loop_.on_signal({SIGTSTP}, [this](int) { suspend(); })) {}

  int run() {
    loop_.post([this] { head_.start(); });
    loop_.run();
    return code_;
  }

 private:
  /// stdin is touched only once somebody wants it.
  void want_input(std::size_t bytes) {
    if (!input_ && bytes == 0) return;
    if (!input_) {
      input_.emplace(
          loop_, STDIN_FILENO,
          Input::Events{[this](const base::Bytes& got) { head_.input(got); }, [this] { head_.input_ended(); }});
    }
    input_->want(bytes);
  }

  /// Ctrl-Z: the members stop, then we do; what comes after `fg` wakes them.
  void suspend() {
    head_.suspend(true);
    pause_ = loop_.after(20ms, [this] {
      ::raise(SIGSTOP);
      head_.suspend(false);
    });
  }

  base::Loop loop_;
  base::Reaper reaper_;
  backend::Local backend_;
  wire::LocalHub hub_;
  SpillFile spill_;
  Head head_;
  Output output_;
  std::optional<Input> input_;
  std::unique_ptr<base::Registration> signals_, stops_;
  base::Timer pause_;
  int code_ = kExitFiber;
};

}  // namespace

int run(const plan::Plan& plan, plan::RunDirectory& directory, Reporter& reporter) {
  base::raise_file_limit();
  base::become_subreaper();
  int code = kExitFiber;
  try {
    Stage stage(plan, directory, reporter);
    code = stage.run();
  } catch (...) {
    base::kill_descendants(kLastKill);
    throw;
  }
  base::kill_descendants(kLastKill);
  return code;
}

}  // namespace fiber::head
