#pragma once
#include <map>
#include <memory>

#include "agent/member.hpp"
#include "wire/link.hpp"

namespace fiber::agent {

/// The agent's part of the conversation: members start, are fed, end. Knows neither sockets nor processes.
class Agent {
 public:
  Agent(base::Clock& clock, wire::Link& link, Spawner& spawner);

  /// Says who we are to the head.
  void hello();
  /// Ends all members at once (the head is gone).
  void kill_all();

 private:
  void handle(const wire::Message& message);
  void resume();
  void tick();
  void check_end();

  base::Clock& clock_;
  wire::Link& link_;
  Spawner& spawner_;
  std::map<std::uint32_t, std::unique_ptr<Member>> members_;
  bool ending_ = false, said_ended_ = false;
  base::Timer tick_;
};

}  // namespace fiber::agent
