#pragma once
#include <chrono>
#include <functional>
#include <memory>

namespace fiber::base {

using Time = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// Something that goes on until this object is destroyed. It may be destroyed inside its own callback.
class Registration {
 public:
  Registration() = default;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  virtual ~Registration() = default;
};
using Timer = std::unique_ptr<Registration>;

/// What head, agents and links know of time. The event loop is one; a simulation has another.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
  /// Calls `fire` once, `wait` from now, unless the timer is destroyed before.
  virtual Timer after(Duration wait, std::function<void()> fire) = 0;
  /// Calls `run` once at the end of this round, after the events that are ready now.
  virtual void post(std::function<void()> run) = 0;
};

}  // namespace fiber::base
