#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.hpp"
#include "backend/backend.hpp"
#include "base/clock.hpp"
#include "channel/spill.hpp"
#include "head/head.hpp"
#include "unit/memory_spill.hpp"
#include "wire/frame.hpp"
#include "wire/link.hpp"

/// Head, agents, links and programs in one process on a clock of its own.
namespace fiber::simulation {

/// Time that passes only when nothing else is left to do.
class Clock final : public base::Clock {
 public:
  ~Clock() override {
    while (!timers_.empty()) timers_.extract(timers_.begin());  // one at a time: a timer may hold its own registration
  }
  base::Time now() const override { return now_; }
  base::Timer after(base::Duration wait, std::function<void()> fire) override;
  void post(std::function<void()> run) override { posted_.push_back(std::move(run)); }
  /// Runs until `done` is true; false if nothing is left to happen, or `limit` has passed.
  bool run_until(const std::function<bool()>& done, base::Duration limit);

 private:
  struct Entry;
  base::Time now_{};
  std::uint64_t order_ = 0;
  std::map<std::pair<base::Time, std::uint64_t>, std::function<void()>> timers_;
  std::vector<std::function<void()>> posted_;
};

/// One end of a link whose other end is in this process too. Frames take `delay`; they pass the real packer.
class Link final : public wire::Link {
 public:
  Link(Clock& clock, base::Duration delay) : clock_(clock), delay_(delay) {}
  void join(Link& other) {
    other_ = &other;
    other.other_ = this;
  }
  void cut();
  void listen_to(Events events) override { events_ = std::move(events); }
  void send(wire::Message message) override;
  std::size_t backlog() const override { return packer_.bytes(); }
  ~Link() override { cut(); }

 private:
  void flush();
  Clock& clock_;
  base::Duration delay_;
  Link* other_ = nullptr;
  Events events_;
  wire::Packer packer_;
  wire::Unpacker unpacker_;
  bool flushing_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// What a simulated program does with one record: its reply, or its death, after some time.
struct Reaction {
  base::Duration after{};
  std::string output;                   ///< written to stdout
  std::optional<base::ExitStatus> end;  ///< then it ends
};

/// Programs by behaviour. `react` gets the member's name, attempt and the record (with its newline).
struct World {
  std::function<Reaction(const agent::Start& start, const std::string& record)> react;
  std::function<Reaction(const agent::Start& start)> begin;  ///< at the start of a program
  std::function<base::ExitStatus(const agent::Start& start)> at_end_of_input = [](const agent::Start&) {
    return base::ExitStatus{};
  };
  std::size_t pipe = 64 << 10;  ///< bytes a pipe holds
  unsigned starts = 0;
};

class Spawner final : public agent::Spawner {
 public:
  Spawner(Clock& clock, World& world) : clock_(clock), world_(world) {}
  std::unique_ptr<agent::Process> spawn(const agent::Start& start, agent::ProcessEvents& events) override;

 private:
  Clock& clock_;
  World& world_;
};

/// Jobs are agents in this process.
class Backend final : public backend::Backend, public wire::Hub {
 public:
  Backend(Clock& clock, World& world, base::Duration delay) : clock_(clock), world_(world), delay_(delay) {}
  std::function<void()> changed;

  Endpoint open(const std::string& job) override;
  std::vector<backend::JobId> create(const std::vector<backend::JobSpec>& jobs) override;
  std::vector<backend::JobStatus> poll(const std::vector<backend::JobId>& jobs) override;
  void terminate(const std::vector<backend::JobId>& jobs) override;
  std::string logs(const backend::JobId&) override { return {}; }
  std::string listen_address() override { return "nowhere"; }
  /// Kills a job as SIGKILL of its agent would.
  void kill(const std::string& job);
  std::vector<std::string> running() const;

 private:
  struct Job {
    std::unique_ptr<Link> link;
    std::unique_ptr<Spawner> spawner;
    std::unique_ptr<agent::Agent> agent;
    backend::JobStatus status;
  };
  Clock& clock_;
  World& world_;
  base::Duration delay_;
  std::map<std::string, Job> jobs_;
};

/// A run of a pool on fiber's own stdin and stdout.
struct Run {
  Run(plan::Plan plan, World world, std::string input, base::Duration delay = {});
  /// Plays it to its end. False if it hangs.
  bool play(base::Duration limit = std::chrono::hours(24));

  plan::Plan plan;
  World world;
  std::string input;
  std::size_t piece = 65536;  ///< the input comes in pieces of so many bytes
  base::Duration pause{};     ///< with so much time between them
  std::string output;
  int code = -1;
  Clock clock;
  MemorySpill spill;
  Backend backend;
  head::Reporter reporter;
  std::unique_ptr<head::Head> head;

 private:
  void feed();
  std::size_t wanted_ = 0, read_ = 0;
  bool feeding_ = false, ended_ = false;
  base::Timer next_;
};

}  // namespace fiber::simulation
