#include "head/jobs.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace fiber::head {

using wire::Type;

Jobs::Jobs(base::Clock& clock, backend::Backend& backend, wire::Hub& hub, Events events)
    : clock_(clock), backend_(backend), hub_(hub), events_(std::move(events)) {}

JobIndex Jobs::create(const std::vector<std::string>& names) {
  const auto first = static_cast<JobIndex>(jobs_.size());
  std::vector<backend::JobSpec> specs;
  for (const std::string& name : names) {
    const auto index = static_cast<JobIndex>(jobs_.size());
    wire::Hub::Endpoint endpoint = hub_.open(name);
    specs.push_back({name, endpoint.url});
    jobs_.push_back({name, {}, std::move(endpoint.link), State::created});
    jobs_.back().link->listen_to({[this, index](wire::Message message) { handle(index, std::move(message)); }, [] {},
                                  [this, index](const std::string& why) { drop(index, why); }});
  }
  std::vector<backend::JobId> ids = backend_.create(specs);
  for (std::size_t i = 0; i < ids.size(); ++i) jobs_[first + i].id = ids[i];
  return first;
}

void Jobs::send(JobIndex job, wire::Message message) {
  if (jobs_[job].state == State::up) jobs_[job].link->send(std::move(message));
}

void Jobs::handle(JobIndex index, wire::Message message) {
  Job& job = jobs_[index];
  if (message.type == Type::hello) {
    greet(index, message);
  } else if (message.type == Type::ended) {
    job.state = State::ending;
    backend_.terminate({job.id});
  } else if (job.state == State::up) {
    events_.message(index, std::move(message));
  }
}

void Jobs::greet(JobIndex index, const wire::Message& hello) {
  Job& job = jobs_[index];
  if (job.state != State::created) return;
  wire::Reader reader(hello.payload.view());
  const std::string version = reader.text();
  if (version != FIBER_VERSION) {
    throw Error(fmt::format("the agent in job {} is fiber {}, this is fiber {}", job.name, version, FIBER_VERSION));
  }
  job.state = State::up;
  if (ending_) {
    job.link->send({Type::end, 0, 0, {}});
  } else {
    events_.up(index);
  }
}

void Jobs::poll() {
  std::vector<backend::JobId> ids;
  std::vector<JobIndex> asked;
  for (JobIndex i = 0; i < jobs_.size(); ++i) {
    if (jobs_[i].state == State::ended || jobs_[i].id.empty()) continue;
    asked.push_back(i);
    ids.push_back(jobs_[i].id);
  }
  const std::vector<backend::JobStatus> all = backend_.poll(ids);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].state == backend::JobStatus::State::running) continue;
    const base::ExitStatus exit = all[i].exit;
    drop(asked[i], exit.signal ? fmt::format("killed by signal {}", exit.signal) : fmt::format("exit {}", exit.code));
  }
  check_end();
}

/// A job is over: as it was told, or without a word.
void Jobs::drop(JobIndex index, const std::string& why) {
  Job& job = jobs_[index];
  if (job.state == State::ended) return;
  const bool told = job.state == State::ending || ending_;
  job.state = State::ended;
  const std::string words = told ? std::string() : backend_.logs(job.id);
  backend_.terminate({job.id});
  // The link may be the caller: it goes at the end of the round.
  clock_.post([link = std::shared_ptr<wire::Link>(std::move(job.link))] {});
  if (!told) events_.lost(index, words.empty() ? why : why + ": " + words);
}

void Jobs::end_all(base::Duration limit) {
  if (ending_) return;
  ending_ = true;
  for (Job& job : jobs_) {
    if (job.state == State::up) job.link->send({Type::end, 0, 0, {}});
  }
  deadline_ = clock_.after(limit, [this] {
    for (const Job& job : jobs_) {
      if (job.state != State::ended) backend_.terminate({job.id});
    }
  });
  check_end();
}

void Jobs::check_end() {
  if (!ending_) return;
  for (const Job& job : jobs_) {
    if (job.state != State::ended) return;
  }
  deadline_.reset();
  events_.all_ended();
}

}  // namespace fiber::head
