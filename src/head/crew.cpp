#include "head/crew.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace fiber::head {

Crew::Crew(const plan::Plan& plan, std::string run, std::string scratch)
    : plan_(plan), run_(std::move(run)), scratch_(std::move(scratch)) {
  for (const plan::Role& role : plan.roles) {
    const unsigned per_job = role.per_job == 0 ? role.count : role.per_job;
    for (unsigned rank = 0; rank < role.count; ++rank) {
      if (rank % per_job == 0) jobs_.push_back(fmt::format("{}-{}", role.name, rank / per_job));
      Member& member = members_.emplace_back();
      member.id = static_cast<std::uint32_t>(members_.size() - 1);
      member.role = &role;
      member.rank = rank;
      member.name = role.name == "master" ? role.name : fmt::format("{}.{}", role.name, rank);
      member.job = static_cast<JobIndex>(jobs_.size() - 1);
    }
  }
}

std::string Crew::rename_job(JobIndex old, JobIndex fresh) {
  const std::string name = jobs_[old];
  jobs_.resize(std::max<std::size_t>(jobs_.size(), fresh + 1));
  jobs_[fresh] = fmt::format("{}+{}", name.substr(0, name.find('+')), fresh);
  for (Member& member : members_) {
    if (member.job == old) member.job = fresh;
  }
  return jobs_[fresh];
}

bool Crew::any_running() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& member) { return member.state == Member::State::running; });
}

agent::Start Crew::order(const Member& member) const {
  const plan::Placeholders values{member.role->name, run_, member.rank, member.role->count, member.attempt};
  agent::Start start;
  start.name = member.name;
  for (const std::string& word : member.role->run.argv) start.argv.push_back(plan::expand(word, values));
  for (const auto& [name, value] : member.role->env) start.env.push_back(name + "=" + plan::expand(value, values));
  start.dir = plan_.workdir;
  start.scratch = scratch_ + "/" + member.name;
  start.env.push_back("FIBER_RUN=" + run_);
  start.env.push_back("FIBER_ROLE=" + member.role->name);
  start.env.push_back(fmt::format("FIBER_RANK={}", member.rank));
  start.env.push_back(fmt::format("FIBER_SIZE={}", member.role->count));
  start.env.push_back(fmt::format("FIBER_ATTEMPT={}", member.attempt));
  start.env.push_back("FIBER_DIR=" + start.scratch);
  if (is_worker(member)) {
    start.stdio = agent::Stdio::worker;
  } else if (is_source(member)) {
    start.stdio = agent::Stdio::source;
  } else if (is_master(member)) {
    start.stdio = agent::Stdio::result;
  }
  start.console = is_master(member);
  if (plan_.pool) {
    start.framing = plan_.pool->framing;
    start.reply = plan_.pool->reply;
    start.envelope = plan_.pool->envelope;
    start.max_record = plan_.pool->max_record;
    // The envelope stands in the record and in the reply: it must not make a record too long.
    if (start.envelope == channel::Envelope::id && is_worker(member)) start.max_record += 21;
  }
  return start;
}

base::Duration Crew::backoff(unsigned vain) const {
  if (vain == 0) return base::Duration::zero();
  auto wait = plan_.retry.backoff_min;
  for (unsigned i = 1; i < vain && wait < plan_.retry.backoff_max; ++i) wait *= 2;
  return std::min(wait, plan_.retry.backoff_max);
}

std::string describe(const base::ExitStatus& status) {
  if (status.signal == 0) return fmt::format("exit {}", status.code);
  return fmt::format("signal {} ({})", status.signal, ::strsignal(status.signal));
}

}  // namespace fiber::head
