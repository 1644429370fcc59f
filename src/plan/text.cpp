#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "plan/plan.hpp"
#include "plan/quantity.hpp"

namespace fiber::plan {
namespace {

/// Whether a text reads as itself without quotes, anywhere in YAML and as no number, truth or nothing.
bool is_plain(std::string_view text) {
  static constexpr std::string_view kWords[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  std::string lower;
  for (char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (std::find(std::begin(kWords), std::end(kWords), lower) != std::end(kWords)) return false;
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  auto inner = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || std::string_view("_-./+=").find(c) != std::string_view::npos;
  };
  return !text.empty() && (letter(text[0]) || text[0] == '/' || text[0] == '_') &&
         std::all_of(text.begin(), text.end(), inner);
}

/// A text as a YAML scalar that means the same in a job spec.
std::string quoted(const std::string& text) {
  if (is_plain(text)) return text;
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (text.compare(i, 2, "${") == 0) {
      out += "$$";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '"' || c == '\\') {
      out += fmt::format("\\{}", text[i]);
    } else if (c < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", c);
    } else {
      out += text[i];
    }
  }
  return out + "\"";
}

template <class Enum>
std::string_view word(Enum value, std::initializer_list<std::string_view> words) {
  return words.begin()[static_cast<std::size_t>(value)];
}

std::string command_text(const Command& command) {
  if (command.shell && command.argv.size() == 3) {
    std::string text = quoted(command.argv[2]);
    return text;
  }
  std::string out = "[";
  for (std::size_t i = 0; i < command.argv.size(); ++i) out += (i > 0 ? ", " : "") + quoted(command.argv[i]);
  return out + "]";
}

std::string role_text(const Role& role, std::string_view indent) {
  std::string out = fmt::format("{}{}:\n", indent, role.name);
  out += fmt::format("{}  run: {}\n", indent, command_text(role.run));
  out += fmt::format("{}  count: {}\n", indent, role.count);
  if (role.per_job > 0) out += fmt::format("{}  per_job: {}\n", indent, role.per_job);
  if (!role.env.empty()) out += fmt::format("{}  env:\n", indent);
  for (const auto& [name, value] : role.env) out += fmt::format("{}    {}: {}\n", indent, quoted(name), quoted(value));
  return out;
}

std::string roles_text(const Plan& plan) {
  std::string out, further;
  for (const Role& role : plan.roles) {
    if (role.name == "master" || role.name == "workers") {
      out += role_text(role, "");
    } else {
      further += role_text(role, "  ");
    }
  }
  return out + (further.empty() ? "" : "roles:\n" + further);
}

std::string pool_text(const Pool& pool) {
  std::string out = fmt::format("channels:\n  {}:\n    type: pool\n", pool.name);
  if (pool.from) out += fmt::format("    from: {}\n", *pool.from);
  out += fmt::format("    to: {}\n", pool.to);
  out += fmt::format("    order: {}\n", word(pool.order, {"input", "completion"}));
  out += fmt::format("    framing: {}\n", word(pool.framing, {"lines", "nul", "len32"}));
  out += fmt::format("    reply: {}\n", word(pool.reply, {"one", "many"}));
  out += fmt::format("    envelope: {}\n", word(pool.envelope, {"none", "id"}));
  out += fmt::format("    max_record: {}\n", size_text(pool.max_record));
  return out;
}

std::string retry_text(const Retry& retry) {
  std::string codes;
  for (int code : retry.on_exit) codes += fmt::format("{}{}", codes.empty() ? "" : ", ", code);
  return fmt::format("retry:\n  worker_lost: {}\n  task_error: {}\n  on_exit: [{}]\n  backoff: {}..{}\n",
                     retry.worker_lost, retry.task_error, codes, duration_text(retry.backoff_min),
                     duration_text(retry.backoff_max));
}

}  // namespace

const Role* Plan::role(const std::string& wanted) const {
  auto found = std::find_if(roles.begin(), roles.end(), [&](const Role& r) { return r.name == wanted; });
  return found == roles.end() ? nullptr : &*found;
}

std::string to_text(const Plan& plan) {
  std::string out = "fiber: 1\n";
  out += fmt::format("name: {}\n", quoted(plan.name));
  out += fmt::format("backend: {}\n", quoted(plan.backend));
  out += fmt::format("workdir: {}\n", quoted(plan.workdir));
  out += roles_text(plan);
  if (plan.pool) out += pool_text(*plan.pool);
  out += retry_text(plan.retry);
  out += fmt::format("on_task_failure: {}\n", word(plan.on_task_failure, {"reply", "skip", "abort"}));
  out += fmt::format("done_when: {}\n", word(plan.done_when, {"master", "all"}));
  out += "limits:\n";
  if (plan.limits.run) out += fmt::format("  run: {}\n", duration_text(*plan.limits.run));
  out += fmt::format("  grace: {}\n", duration_text(plan.limits.grace));
  out += fmt::format("  spill: {}\n", size_text(plan.limits.spill));
  return out;
}

}  // namespace fiber::plan
