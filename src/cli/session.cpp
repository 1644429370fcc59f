#include "cli/session.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "base/error.hpp"
#include "head/run.hpp"

namespace fiber::cli {
namespace {

/// Length of the longest member name.
std::size_t name_width(const plan::Plan& plan) {
  std::size_t width = 0;
  for (const plan::Role& role : plan.roles) {
    const std::size_t last = role.count > 0 ? role.count - 1 : 0;
    width = std::max(width, role.name.size() + 1 + std::to_string(last).size());
  }
  return width;
}

}  // namespace

Session::Session(Variables environment) : variables_(std::move(environment)), stdio_(open_stdio()) {
  signal(SIGPIPE, SIG_IGN);  // a closed reader is an error of write()
  signal(SIGXFSZ, SIG_IGN);  // so is a limit of file size
}

int Session::usage(const std::string& help) const {
  std::fputs(help.c_str(), stderr);
  return kExitFiber;
}

int Session::carry_out(const plan::Plan& plan) {
  if (plan.pool && !plan.pool->from) refuse_one_file();
  directory_.emplace(plan::RunDirectory::create());
  directory_->write_job(plan::to_text(plan));
  reporter_.emplace(style_, &*directory_, name_width(plan));
  if (!stdio_.out) reporter_->notice("stdout is closed: the result of this run goes nowhere");
  return head::run(plan, *directory_, *reporter_);
}

int Session::failed(const std::string& message, int code) {
  if (code == kExitSignalBase + SIGPIPE) return code;  // nobody is told that the reader has gone
  if (!reporter_) reporter_.emplace(style_, nullptr, 0);
  reporter_->error(message);
  reporter_->event("end", {{"status", "failed"}, {"code", static_cast<std::int64_t>(code)}});
  return code;
}

}  // namespace fiber::cli
