#include "backend/local.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fiber::backend {

using namespace std::chrono_literals;

namespace {

constexpr auto kTimeToGo = 3s;  // from the order to go to SIGKILL

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

/// Our own program file, by its name where that still leads to it.
std::string own_program() {
  const std::string link = "/proc/self/exe";
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink(link, error);
  return !error && std::filesystem::equivalent(path, link, error) && !error ? path.string() : link;
}

}  // namespace

Local::Local(base::Loop& loop, base::Reaper& reaper, std::string folder, std::function<void()> changed)
    : loop_(loop), reaper_(reaper), folder_(std::move(folder)), changed_(std::move(changed)) {}

Local::~Local() = default;

std::vector<JobId> Local::create(const std::vector<JobSpec>& jobs) {
  std::vector<JobId> ids;
  try {
    for (const JobSpec& spec : jobs) ids.push_back(start(spec));
  } catch (const Error&) {
    terminate(ids);
    throw;
  }
  return ids;
}

JobId Local::start(const JobSpec& spec) {
  Job job;
  job.log = folder_ + "/" + spec.name + ".log";
  base::PipeEnds life = base::make_pipe(false, false);
  base::Fd log(::open(job.log.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
  if (!log) base::throw_errno(job.log);
  base::Launch launch;
  launch.argv = {own_program(), "agent", spec.endpoint};
  launch.env = environment();
  launch.dir = "/";
  launch.in = life.read.get();
  launch.out = launch.err = log.get();
  launch.die_with_parent = false;  // it sees our end by itself, and has members to end first
  job.pid = base::launch(launch);
  job.lifeline = std::move(life.write);
  job.status.state = JobStatus::State::running;
  JobId id = std::to_string(job.pid);
  const pid_t pid = job.pid;
  jobs_[id] = std::move(job);
  reaper_.expect(pid, [this, id, alive = std::weak_ptr<bool>(alive_)](base::ExitStatus exit) {
    if (alive.expired()) return;
    Job& ended = jobs_.at(id);
    ended.status = {JobStatus::State::ended, exit};
    ended.kill.reset();
    ended.lifeline.reset();
    if (!exit.ok()) kill_orphans();
    changed_();
  });
  return id;
}

/// What a dead agent leaves behind is ours now.
void Local::kill_orphans() {
  std::vector<pid_t> agents;
  for (const auto& [id, job] : jobs_) {
    if (job.status.state == JobStatus::State::running) agents.push_back(job.pid);
  }
  base::kill_descendants(1s, agents);
}

std::vector<JobStatus> Local::poll(const std::vector<JobId>& jobs) {
  std::vector<JobStatus> all;
  for (const JobId& id : jobs) {
    auto at = jobs_.find(id);
    all.push_back(at == jobs_.end() ? JobStatus{} : at->second.status);
  }
  return all;
}

void Local::terminate(const std::vector<JobId>& jobs) {
  for (const JobId& id : jobs) {
    auto at = jobs_.find(id);
    if (at == jobs_.end() || at->second.status.state != JobStatus::State::running) continue;
    Job& job = at->second;
    job.lifeline.reset();
    if (!job.kill) job.kill = loop_.after(kTimeToGo, [pid = job.pid] { ::kill(pid, SIGKILL); });
  }
}

std::string Local::logs(const JobId& job) {
  auto at = jobs_.find(job);
  if (at == jobs_.end()) return {};
  std::ostringstream text;
  text << std::ifstream(at->second.log).rdbuf();
  return text.str();
}

}  // namespace fiber::backend
