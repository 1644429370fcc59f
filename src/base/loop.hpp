#pragma once
#include <functional>
#include <initializer_list>
#include <memory>

#include "base/clock.hpp"

namespace fiber::base {

enum class Readiness { readable, writable, hangup };

/// A file descriptor under observation. The descriptor stays the caller's, and must outlive the watch.
class Watch : public Registration {
 public:
  /// Pauses or resumes. While on, the callback is called again and again as long as the descriptor is ready.
  virtual void set(bool on) = 0;
};

/// The one event loop of a process (Boost.Asio inside). One thread: all calls and callbacks come from it. It must
/// outlive the registrations it gave out. Making one ignores SIGPIPE.
///
/// It runs in rounds: wait for events, call the callbacks of all that is ready, each watch at most once, then what
/// was posted. Timers set during a round start with the next.
class Loop final : public Clock {
 public:
  Loop();
  ~Loop() override;

  Time now() const override;
  Timer after(Duration wait, std::function<void()> fire) override;
  void post(std::function<void()> run) override;

  /// Watches a pipe, socket, terminal or other pollable descriptor; starts switched on. `readable` fires at end of
  /// file too; `hangup` only when the other side of a pipe or socket is gone. Throws fiber::Error for what epoll
  /// refuses (regular files, /dev/null): ask `pollable` first. Several watches of one descriptor are fine, and its
  /// blocking mode is left alone.
  std::unique_ptr<Watch> watch(int fd, Readiness what, std::function<void()> ready);

  /// Calls `caught` in the loop, not in a signal handler, each time one of `signals` arrives. A SIGHUP that is ignored
  /// (nohup) stays ignored.
  std::unique_ptr<Registration> on_signal(std::initializer_list<int> signals, std::function<void(int)> caught);

  /// Runs until `stop`, and that round to its end. An exception from a callback leaves `run`.
  void run();
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// True if epoll takes this descriptor (false: regular files, directories, /dev/null).
bool pollable(int fd);

}  // namespace fiber::base
