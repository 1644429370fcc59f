#include "plan/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace fiber::plan {
namespace {
constexpr std::size_t kPrinted = 50;
}

void Mistakes::file(unsigned source, std::string name) { sources_[source] = {std::move(name), true}; }
void Mistakes::option(unsigned source, std::string name) { sources_[source] = {std::move(name), false}; }

void Mistakes::add(base::Position at, std::string message) { all_.push_back({at, std::move(message)}); }

std::string Mistakes::place(base::Position at) const {
  auto found = sources_.find(at.source);
  if (found == sources_.end()) return "fiber";
  const Source& source = found->second;
  if (!source.lines) return source.name;
  return fmt::format("{}:{}:{}", source.name, std::max(at.line, 1u), std::max(at.column, 1u));
}

void Mistakes::throw_if_any() const {
  if (all_.empty()) return;
  auto sorted = all_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  auto same = [](const auto& a, const auto& b) { return a.at == b.at && a.message == b.message; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  std::string text;
  for (std::size_t i = 0; i < sorted.size() && i < kPrinted; ++i) {
    if (i > 0) text += '\n';
    text += fmt::format("{}: {}", place(sorted[i].at), sorted[i].message);
  }
  if (sorted.size() > kPrinted) text += fmt::format("\n... and {} more", sorted.size() - kPrinted);
  throw Error(text, kExitFiber);
}

}  // namespace fiber::plan
