#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "base/clock.hpp"
#include "wire/link.hpp"

namespace fiber::head {

using JobIndex = std::uint32_t;

/// The jobs of a run: made through the backend, spoken to through links, seen to their end.
class Jobs {
 public:
  struct Events {
    std::function<void(JobIndex)> up;                        ///< its agent has said hello
    std::function<void(JobIndex, wire::Message)> message;    ///< anything else it says
    std::function<void(JobIndex, const std::string&)> lost;  ///< ended without being told to, and why
    std::function<void()> all_ended;                         ///< after end_all
  };
  Jobs(base::Clock& clock, backend::Backend& backend, wire::Hub& hub, Events events);

  /// Creates `count` jobs with one call of the backend; returns the first one's index, the others follow.
  JobIndex create(const std::vector<std::string>& names);
  void send(JobIndex job, wire::Message message);
  bool up(JobIndex job) const { return jobs_[job].state == State::up; }
  /// The backend has news.
  void poll();
  /// Asks all agents to end; those that do not within `limit` are terminated.
  void end_all(base::Duration limit);

 private:
  enum class State { created, up, ending, ended };
  struct Job {
    std::string name;
    backend::JobId id;
    std::unique_ptr<wire::Link> link;
    State state = State::created;
  };
  void handle(JobIndex index, wire::Message message);
  void greet(JobIndex index, const wire::Message& hello);
  void drop(JobIndex index, const std::string& why);
  void check_end();

  base::Clock& clock_;
  backend::Backend& backend_;
  wire::Hub& hub_;
  Events events_;
  std::vector<Job> jobs_;
  bool ending_ = false;
  base::Timer deadline_;
};

}  // namespace fiber::head
