#include "head/reporter.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>

#include "head/escape.hpp"

namespace fiber::head {
namespace {

constexpr std::size_t kLineShown = 8 << 10;
constexpr std::size_t kGroupKept = 1 << 20;
constexpr std::size_t kRawKept = 64 << 10;
constexpr int kPatience = 1000;  // milliseconds for a full non-blocking stderr

std::string json_value(const Value& value) {
  struct Render {
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return std::isfinite(number) ? fmt::format("{}", number) : "null"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(const std::string& text) const { return json_string(text); }
  };
  return std::visit(Render{}, value);
}

std::string json_line(std::string_view name, const Fields& fields) {
  const auto now = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::string line = fmt::format(R"({{"v":1,"time":"{:%Y-%m-%dT%H:%M:%S}.{:03}Z","event":{})",
                                 fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms, json_string(name));
  for (const auto& [key, value] : fields) line += "," + json_string(key) + ":" + json_value(value);
  return line + "}\n";
}

/// `fiber: ` before every line; not before those that are indented and thus belong to the one above.
std::string prefixed(std::string_view text) {
  std::string out;
  const std::string safe = visible(text, true);
  for (std::size_t at = 0; at < safe.size();) {
    const std::size_t end = std::min(safe.find('\n', at), safe.size());
    if (safe[at] != ' ') out += "fiber: ";
    out += safe.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

std::string label(const std::string& member, unsigned index, std::size_t width, bool color) {
  constexpr int kColors[] = {36, 33, 32, 35, 34, 96, 93, 92, 95, 94};
  const std::string text = fmt::format(" {:<{}} │", member, width);
  return color ? fmt::format("\x1b[{}m{}\x1b[0m ", kColors[index % std::size(kColors)], text) : text + " ";
}

}  // namespace

Reporter::Reporter(Style style, plan::RunDirectory* directory, std::size_t width, int fd)
    : style_(style), directory_(directory), width_(width), fd_(fd) {}

void Reporter::event(std::string_view name, const Fields& fields) { record(name, fields, true); }
void Reporter::notice(const std::string& text) { say("notice", text, !style_.quiet); }
void Reporter::detail(const std::string& text) { say("detail", text, style_.verbose); }
void Reporter::error(const std::string& text) { say("error", text, true); }
void Reporter::summary(const std::string& text) { say("summary", text, !style_.quiet); }

void Reporter::record(std::string_view name, const Fields& fields, bool show) {
  if (!directory_ && !(style_.json && show)) return;
  const std::string line = json_line(name, fields);
  if (style_.json && show) put(line);
  if (directory_ && !directory_->append_event(line)) directory_failed();
}

void Reporter::say(std::string_view name, const std::string& text, bool show) {
  if (show && !style_.json) put(prefixed(text));
  record(name, {{"text", text}}, show);
}

void Reporter::directory_failed() {
  if (directory_failed_) return;
  directory_failed_ = true;
  notice("cannot write to " + directory_->path().string() + ": the record of this run has gaps");
}

void Reporter::output(const std::string& member, unsigned index, std::string_view bytes) {
  if (directory_ && !directory_->append_log(member, bytes)) directory_failed();
  if (style_.logs == Logs::none) return;
  Pending& pending = pending_[member];
  std::string out;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    append(pending, bytes.substr(0, end));
    if (end == std::string_view::npos) break;
    finish_line(member, index, pending, out);
    bytes.remove_prefix(end + 1);
  }
  if (style_.logs == Logs::raw && !style_.json && pending.text.size() > kRawKept)
    out += std::exchange(pending.text, {});
  show(pending, out);
}

void Reporter::output_ended(const std::string& member, unsigned index) {
  const auto found = pending_.find(member);
  if (found == pending_.end()) return;
  Pending pending = std::move(found->second);
  pending_.erase(found);
  std::string out;
  if (style_.logs == Logs::raw && !style_.json) {
    out = std::move(pending.text);
  } else if (!pending.text.empty() || pending.cut) {
    finish_line(member, index, pending, out);
  }
  put(pending.group + out);
}

/// Adds to the line so far. Only what follows the last carriage return counts: the rest is overwritten
/// progress.
void Reporter::append(Pending& pending, std::string_view part) {
  if (style_.logs == Logs::raw && !style_.json) {
    pending.text += part;
    return;
  }
  const std::size_t size = part.find_last_not_of('\r') + 1;
  const bool returned = size < part.size() || (pending.returned && size == 0);
  part = part.substr(0, size);
  const std::size_t last = part.rfind('\r');
  if ((pending.returned && !part.empty()) || last != std::string_view::npos) {
    pending.text.clear();
    pending.cut = false;
  }
  if (last != std::string_view::npos) part.remove_prefix(last + 1);
  const std::size_t room = kLineShown - pending.text.size();
  if (part.size() > room) pending.cut = true;
  pending.text += part.substr(0, room);
  pending.returned = returned;
}

void Reporter::finish_line(const std::string& member, unsigned index, Pending& pending, std::string& out) {
  std::string_view text = pending.text;
  if (style_.logs == Logs::raw && !style_.json) {
    out.append(text) += '\n';
  } else {
    if (pending.cut) text = cut(text, kLineShown - 4);
    if (style_.json) {
      Fields fields = {{"member", member}, {"text", std::string(text)}};
      if (pending.cut) fields.emplace_back("cut", true);
      out += json_line("output", fields);
    } else {
      out += label(member, index, width_, style_.color) + visible(text) + (pending.cut ? " … [cut]\n" : "\n");
    }
  }
  pending.text.clear();
  pending.cut = pending.returned = false;
}

void Reporter::show(Pending& pending, const std::string& out) {
  if (style_.logs != Logs::group) return put(out);
  pending.group += out;
  if (pending.group.size() > kGroupKept) put(std::exchange(pending.group, {}));
}

void Reporter::put(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd_, text.data(), text.size());
    if (n > 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
      stuck_ = false;
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) return;
    pollfd full{fd_, POLLOUT, 0};
    if (stuck_ || poll(&full, 1, kPatience) <= 0) {
      stuck_ = true;
      return;
    }
  }
}

}  // namespace fiber::head
