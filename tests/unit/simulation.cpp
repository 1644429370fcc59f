#include "simulation.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace fiber::simulation {

struct Clock::Entry final : base::Registration {
  Entry(Clock& clock, std::pair<base::Time, std::uint64_t> key) : clock_(clock), key_(key) {}
  ~Entry() override { clock_.timers_.erase(key_); }
  Clock& clock_;
  std::pair<base::Time, std::uint64_t> key_;
};

base::Timer Clock::after(base::Duration wait, std::function<void()> fire) {
  const auto key = std::pair(now_ + std::max(wait, base::Duration::zero()), order_++);
  timers_[key] = std::move(fire);
  return std::make_unique<Entry>(*this, key);
}

bool Clock::run_until(const std::function<bool()>& done, base::Duration limit) {
  const base::Time last = now_ + limit;
  while (!done()) {
    if (!posted_.empty()) {
      for (auto& run : std::exchange(posted_, {})) run();
      continue;
    }
    if (timers_.empty() || timers_.begin()->first.first > last) return false;
    auto next = timers_.extract(timers_.begin());
    now_ = next.key().first;
    next.mapped()();
  }
  return true;
}

void Link::cut() {
  if (other_) other_->other_ = nullptr;
  other_ = nullptr;
}

void Link::send(wire::Message message) {
  packer_.push(std::move(message));
  if (flushing_) return;
  flushing_ = true;
  clock_.post([this, alive = std::weak_ptr<bool>(alive_)] {
    if (alive.expired()) return;
    flushing_ = false;
    flush();
  });
}

void Link::flush() {
  while (!packer_.empty()) {
    std::string frame;
    for (std::string_view part : packer_.frame()) frame += part;
    packer_.sent();
    if (!other_) continue;
    auto timer = std::make_shared<base::Timer>();
    *timer = clock_.after(delay_, [to = other_, alive = std::weak_ptr<bool>(other_->alive_), frame, timer] {
      auto keep = std::move(*timer);
      if (alive.expired()) return;
      for (wire::Message& message : to->unpacker_.feed(base::Bytes(frame))) {
        if (alive.expired()) return;
        to->events_.message(std::move(message));
      }
    });
  }
}

namespace {

/// A program: reads whole lines from its stdin, one after the other.
class Program final : public agent::Process {
 public:
  Program(Clock& clock, World& world, agent::Start start, agent::ProcessEvents& events)
      : clock_(clock), world_(world), start_(std::move(start)), events_(events) {
    ++world_.starts;
    if (world_.begin) {
      work_ = clock_.after({}, [this] { act(world_.begin(start_)); });
    }
  }
  pid_t pid() const override { return 4711; }
  std::size_t write(std::string_view bytes) override {
    const std::size_t room = std::min(bytes.size(), world_.pipe - stdin_.size());
    blocked_ = room < bytes.size();
    stdin_ += bytes.substr(0, room);
    look();
    return room;
  }
  std::size_t unread() const override { return stdin_.size(); }
  std::size_t drain() override { return std::exchange(stdin_, {}).size(); }
  void close_input() override {
    closed_ = true;
    look();
  }
  void pause(bool) override {}
  void pause_result(bool) override {}
  void kill(int signal) override {
    if (signal != SIGSTOP && signal != SIGCONT) end({0, signal});
  }
  bool asking() const override { return !work_ && stdin_.empty(); }
  std::size_t write_console(std::string_view bytes) override { return bytes.size(); }
  void close_console() override {}

 private:
  void look() {
    if (work_) return;
    work_ = clock_.after({}, [this] { read(); });
  }
  void read() {
    work_.reset();
    const std::size_t end = stdin_.find('\n');
    if (end != std::string::npos) {
      record_ += stdin_.substr(0, end + 1);
      stdin_.erase(0, end + 1);
      const Reaction reaction = world_.react(start_, std::exchange(record_, {}));
      work_ = clock_.after(reaction.after, [this, reaction] { act(reaction); });
    } else {
      record_ += std::exchange(stdin_, {});
      if (closed_) return end_by(world_.at_end_of_input(start_));
    }
    if (std::exchange(blocked_, false)) {
      writable_ = clock_.after({}, [this] { events_.on_writable(); });
    }
  }
  void act(const Reaction& reaction) {
    work_.reset();
    if (!reaction.output.empty()) events_.on_output(base::Bytes(reaction.output));
    if (reaction.end) return end_by(*reaction.end);
    look();
  }
  void end(base::ExitStatus status) {
    work_ = clock_.after({}, [this, status] { end_by(status); });
  }
  void end_by(base::ExitStatus status) {
    work_.reset();
    writable_.reset();
    events_.on_exit(status);  // destroys this
  }

  Clock& clock_;
  World& world_;
  agent::Start start_;
  agent::ProcessEvents& events_;
  std::string stdin_, record_;
  bool closed_ = false, blocked_ = false;
  base::Timer work_, writable_;
};

}  // namespace

std::unique_ptr<agent::Process> Spawner::spawn(const agent::Start& start, agent::ProcessEvents& events) {
  return std::make_unique<Program>(clock_, world_, start, events);
}

wire::Hub::Endpoint Backend::open(const std::string& job) {
  auto ours = std::make_unique<Link>(clock_, delay_);
  auto theirs = std::make_unique<Link>(clock_, delay_);
  ours->join(*theirs);
  jobs_[job].link = std::move(theirs);
  return {job, std::move(ours)};
}

std::vector<backend::JobId> Backend::create(const std::vector<backend::JobSpec>& jobs) {
  std::vector<backend::JobId> ids;
  for (const backend::JobSpec& spec : jobs) {
    Job& job = jobs_.at(spec.endpoint);
    job.spawner = std::make_unique<Spawner>(clock_, world_);
    job.agent = std::make_unique<agent::Agent>(clock_, *job.link, *job.spawner);
    job.agent->hello();
    job.status.state = backend::JobStatus::State::running;
    ids.push_back(spec.name);
  }
  return ids;
}

std::vector<backend::JobStatus> Backend::poll(const std::vector<backend::JobId>& jobs) {
  std::vector<backend::JobStatus> all;
  for (const backend::JobId& id : jobs) all.push_back(jobs_.at(id).status);
  return all;
}

void Backend::terminate(const std::vector<backend::JobId>& jobs) {
  for (const backend::JobId& id : jobs) kill(id);
}

void Backend::kill(const std::string& id) {
  clock_.post([this, id] {
    Job& job = jobs_.at(id);
    if (job.status.state != backend::JobStatus::State::running) return;
    job.agent.reset();
    job.link.reset();
    job.status = {fiber::backend::JobStatus::State::ended, {0, SIGKILL}};
    changed();
  });
}

std::vector<std::string> Backend::running() const {
  std::vector<std::string> names;
  for (const auto& [name, job] : jobs_) {
    if (job.status.state == backend::JobStatus::State::running) names.push_back(name);
  }
  return names;
}

Run::Run(plan::Plan plan_, World world_, std::string input_, base::Duration delay)
    : plan(std::move(plan_)),
      world(std::move(world_)),
      input(std::move(input_)),
      backend(clock, world, delay),
      reporter({.quiet = true, .verbose = false, .json = false, .color = false, .logs = head::Logs::none}, nullptr, 10,
               ::open("/dev/null", O_WRONLY | O_CLOEXEC)) {
  head = std::make_unique<head::Head>(
      plan, "sim", "/nowhere", clock, backend, backend, spill, reporter,
      head::Head::Outside{[this](std::size_t bytes) {
                            wanted_ = bytes;
                            feed();
                          },
                          [this](const base::Bytes& bytes) { output += bytes.view(); }, [] { return std::size_t{0}; },
                          [this](int exit) { code = exit; }});
  backend.changed = [this] { head->backend_changed(); };
}

void Run::feed() {
  if (feeding_ || ended_ || wanted_ == 0) return;
  feeding_ = true;
  next_ = clock.after(pause, [this] {
    auto keep = std::move(next_);
    feeding_ = false;
    if (ended_ || wanted_ == 0) return;
    const std::size_t size = std::min({wanted_, input.size() - read_, piece});
    if (size == 0) {
      ended_ = true;
      head->input_ended();
      return;
    }
    base::Bytes bytes(input.substr(read_, size));
    read_ += size;
    head->input(bytes);
    feed();
  });
}

bool Run::play(base::Duration limit) {
  head->start();
  return clock.run_until([this] { return code >= 0; }, limit);
}

}  // namespace fiber::simulation
