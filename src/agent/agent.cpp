#include "agent/agent.hpp"

#include <unistd.h>

#include <csignal>

namespace fiber::agent {

using wire::Type;
using namespace std::chrono_literals;

Agent::Agent(base::Clock& clock, wire::Link& link, Spawner& spawner) : clock_(clock), link_(link), spawner_(spawner) {
  link_.listen_to({[this](const wire::Message& message) { handle(message); }, [this] { resume(); },
                   [](const std::string& why) { throw Error(why); }});
  tick();
}

void Agent::hello() {
  wire::Writer out;
  out.text(FIBER_VERSION).number(static_cast<std::uint64_t>(::getpid()));
  link_.send({Type::hello, 0, 0, out.done()});
}

void Agent::handle(const wire::Message& message) {
  if (message.type == Type::start) {
    auto& member = members_[message.member];
    member = std::make_unique<Member>(message.member, Start::decode(message.payload.view()), clock_, link_, spawner_,
                                      [this] { check_end(); });
  } else if (message.type == Type::end) {
    ending_ = true;
    check_end();
  } else if (auto at = members_.find(message.member); at != members_.end()) {
    at->second->handle(message);
  }
}

void Agent::resume() {
  for (auto& [id, member] : members_) member->pause(false);
}

/// Once a second: who waits for more?
void Agent::tick() {
  tick_ = clock_.after(1s, [this] {
    for (auto& [id, member] : members_) member->look(clock_.now());
    tick();
  });
}

void Agent::check_end() {
  if (!ending_ || said_ended_) return;
  for (auto& [id, member] : members_) {
    if (member->alive()) return;
  }
  said_ended_ = true;
  link_.send({Type::ended, 0, 0, {}});
}

void Agent::kill_all() {
  for (auto& [id, member] : members_) member->kill(SIGKILL);
}

}  // namespace fiber::agent
