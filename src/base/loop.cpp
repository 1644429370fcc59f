#include "base/loop.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/fd.hpp"

namespace fiber::base {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

std::uint32_t events_of(Readiness what) {
  switch (what) {
    case Readiness::readable:
      return EPOLLIN;
    case Readiness::writable:
      return EPOLLOUT;
    case Readiness::hangup:
      break;
  }
  return 0;  // epoll always reports EPOLLHUP and EPOLLERR
}

Fd make_epoll() {
  Fd made(::epoll_create1(EPOLL_CLOEXEC));
  if (!made) throw_errno("cannot make an epoll descriptor");
  return made;
}

struct TimerState {
  TimerState(asio::io_context& io, std::function<void()> then) : timer(io), fire(std::move(then)) {}
  asio::steady_timer timer;
  std::function<void()> fire;
  bool alive = true;
};

class TimerHandle final : public Registration {
 public:
  explicit TimerHandle(std::shared_ptr<TimerState> state) : state_(std::move(state)) {}
  ~TimerHandle() override {
    state_->alive = false;
    state_->fire = nullptr;
    state_->timer.cancel();
  }

 private:
  std::shared_ptr<TimerState> state_;
};

void start(const std::shared_ptr<TimerState>& state) {
  state->timer.async_wait([state](const error_code& failed) {
    if (failed || !state->alive) return;
    const auto fire = std::move(state->fire);  // may destroy what it captured and the handle
    fire();
  });
}

struct SignalState {
  SignalState(asio::io_context& io, std::function<void(int)> then) : signals(io), caught(std::move(then)) {}
  asio::signal_set signals;
  std::function<void(int)> caught;
  bool alive = true;
};

class SignalHandle final : public Registration {
 public:
  explicit SignalHandle(std::shared_ptr<SignalState> state) : state_(std::move(state)) {}
  ~SignalHandle() override {
    state_->alive = false;
    error_code ignored;
    state_->signals.cancel(ignored);
    state_->signals.clear(ignored);
  }

 private:
  std::shared_ptr<SignalState> state_;
};

void start(const std::shared_ptr<SignalState>& state) {
  state->signals.async_wait([state](const error_code& failed, int signal) {
    if (failed || !state->alive) return;
    start(state);
    state->caught(signal);
  });
}

bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

struct WatchState {
  Readiness what;
  std::function<void()> ready;
  bool on = true;
};

/// All watches of one descriptor. `serial` tells it from an earlier user of the number.
struct Watched {
  std::uint32_t serial = 0;
  bool added = false;
  std::vector<std::shared_ptr<WatchState>> watches;
};

/// The watched descriptors, in a level-triggered epoll of their own: Asio would set them non-blocking, which other
/// processes that share a terminal or pipe with us would feel.
class Descriptors {
 public:
  Descriptors() : epoll_(make_epoll()) {}
  int epoll() const { return epoll_.get(); }

  void add(int fd, const std::shared_ptr<WatchState>& state) {
    auto [at, fresh] = watched_.try_emplace(fd);
    if (fresh) at->second.serial = ++serials_;
    at->second.watches.push_back(state);
    if (update(fd, at->second)) return;
    const int error = errno;
    remove(fd, state);
    errno = error;
    throw_errno("cannot watch descriptor " + std::to_string(fd));
  }

  void remove(int fd, const std::shared_ptr<WatchState>& state) {
    state->on = false;
    const auto at = watched_.find(fd);
    std::erase(at->second.watches, state);
    update(fd, at->second);
    if (at->second.watches.empty()) watched_.erase(at);
  }

  void set(int fd, WatchState& state, bool on) {
    if (state.on == on) return;
    state.on = on;
    if (!update(fd, watched_.at(fd)) && on) throw_errno("cannot watch descriptor " + std::to_string(fd));
  }

  /// Calls every watch that is on and ready, once. What is called may change or end any watch.
  void dispatch() {
    events_.resize(std::max<std::size_t>(16, watched_.size()));
    const int count = ::epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), 0);
    std::vector<std::shared_ptr<WatchState>> firing = std::move(firing_);
    firing.clear();
    for (int i = 0; i < count; ++i) collect(events_[static_cast<std::size_t>(i)], firing);
    for (const auto& state : firing) {
      if (state->on) state->ready();
    }
    firing.clear();
    firing_ = std::move(firing);
  }

 private:
  void collect(const epoll_event& event, std::vector<std::shared_ptr<WatchState>>& firing) {
    const auto at = watched_.find(static_cast<int>(event.data.u64 & 0xffffffffu));
    if (at == watched_.end() || at->second.serial != event.data.u64 >> 32) return;
    for (const auto& state : at->second.watches) {
      if (state->on && (event.events & (events_of(state->what) | EPOLLHUP | EPOLLERR)) != 0) firing.push_back(state);
    }
  }

  /// Tells the kernel what the watches want. Nothing at all while none is on: a hang-up would be reported for ever.
  bool update(int fd, Watched& watched) {
    epoll_event event{};
    event.data.u64 = (std::uint64_t{watched.serial} << 32) | static_cast<std::uint32_t>(fd);
    bool any = false;
    for (const auto& state : watched.watches) {
      if (!state->on) continue;
      any = true;
      event.events |= events_of(state->what);
    }
    if (!any && !watched.added) return true;
    const int what = !any ? EPOLL_CTL_DEL : watched.added ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    const bool done = ::epoll_ctl(epoll_.get(), what, fd, &event) == 0;
    if (done || !any) watched.added = any;
    return done;
  }

  Fd epoll_;
  std::uint32_t serials_ = 0;
  std::unordered_map<int, Watched> watched_;
  std::vector<epoll_event> events_;
  std::vector<std::shared_ptr<WatchState>> firing_;
};

class WatchHandle final : public Watch {
 public:
  WatchHandle(Descriptors& descriptors, int fd, std::shared_ptr<WatchState> state)
      : descriptors_(descriptors), fd_(fd), state_(std::move(state)) {
    descriptors_.add(fd_, state_);
  }
  ~WatchHandle() override { descriptors_.remove(fd_, state_); }
  void set(bool on) override { descriptors_.set(fd_, *state_, on); }

 private:
  Descriptors& descriptors_;
  int fd_;
  std::shared_ptr<WatchState> state_;
};

}  // namespace

struct Loop::Impl {
  Impl() : epoll_ready(io, descriptors.epoll()) {}
  ~Impl() { epoll_ready.release(); }

  void arm() {
    if (!armed) {
      armed = true;
      epoll_ready.async_wait(asio::posix::stream_descriptor::wait_read, [this](const error_code& failed) {
        if (failed) return;
        armed = false;
        descriptors.dispatch();
      });
    }
    for (const auto& fresh : std::exchange(timers, {})) {
      if (const auto state = fresh.lock(); state && state->alive) start(state);
    }
  }

  void round() {
    arm();
    if (posted.empty()) io.run_one();
    io.poll();
    for (std::size_t count = posted.size(); count > 0; --count) {
      const auto run = std::move(posted.front());
      posted.pop_front();
      run();
    }
  }

  Descriptors descriptors;
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  asio::posix::stream_descriptor epoll_ready;
  bool armed = false;
  bool stopping = false;
  std::deque<std::function<void()>> posted;
  std::vector<std::weak_ptr<TimerState>> timers;
};

Loop::Loop() {
  std::signal(SIGPIPE, SIG_IGN);
  impl_ = std::make_unique<Impl>();
}

Loop::~Loop() = default;

Time Loop::now() const { return std::chrono::steady_clock::now(); }

Timer Loop::after(Duration wait, std::function<void()> fire) {
  auto state = std::make_shared<TimerState>(impl_->io, std::move(fire));
  const Time start_time = now();
  state->timer.expires_at(wait > Time::max() - start_time ? Time::max() : start_time + wait);
  impl_->timers.push_back(state);
  return std::make_unique<TimerHandle>(std::move(state));
}

void Loop::post(std::function<void()> run) { impl_->posted.push_back(std::move(run)); }

std::unique_ptr<Watch> Loop::watch(int fd, Readiness what, std::function<void()> ready) {
  auto state = std::make_shared<WatchState>(WatchState{what, std::move(ready)});
  return std::make_unique<WatchHandle>(impl_->descriptors, fd, std::move(state));
}

std::unique_ptr<Registration> Loop::on_signal(std::initializer_list<int> signals, std::function<void(int)> caught) {
  auto state = std::make_shared<SignalState>(impl_->io, std::move(caught));
  for (const int signal : signals) {
    if (signal == SIGHUP && is_ignored(signal)) continue;
    error_code failed;
    state->signals.add(signal, failed);
    if (failed) throw Error("cannot catch signal " + std::to_string(signal) + ": " + failed.message());
  }
  start(state);
  return std::make_unique<SignalHandle>(std::move(state));
}

void Loop::run() {
  struct Reset {
    bool& stopping;
    ~Reset() { stopping = false; }
  } const reset{impl_->stopping};
  while (!impl_->stopping) impl_->round();
}

void Loop::stop() { impl_->stopping = true; }

bool pollable(int fd) {
  const Fd epoll = make_epoll();
  epoll_event event{};
  return ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace fiber::base
