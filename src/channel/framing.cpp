#include "channel/framing.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fiber::channel {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr char kErrorMark = 0x15;  // ASCII NAK
constexpr std::uint32_t kErrorBit = 0x80000000U;
constexpr std::size_t kHeader = 4;

std::uint32_t raw_length(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < kHeader; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::string header(std::uint32_t length) {
  std::string text(kHeader, '\0');
  for (std::size_t i = 0; i < kHeader; ++i) text[i] = static_cast<char>(length >> (8 * (kHeader - 1 - i)));
  return text;
}

}  // namespace

std::size_t Scanner::record_end(std::string_view bytes, std::size_t from) const {
  if (framing_ == Framing::len32) {
    if (bytes.size() < from + kHeader) return kNone;
    std::size_t end = from + kHeader + (raw_length(bytes, from) & ~kErrorBit);
    return end <= bytes.size() ? end : kNone;
  }
  if (from >= bytes.size()) return kNone;
  const void* hit = std::memchr(bytes.data() + from, delimiter(), bytes.size() - from);
  return hit ? static_cast<std::size_t>(static_cast<const char*>(hit) - bytes.data()) + 1 : kNone;
}

std::size_t Scanner::unit_end(std::string_view bytes, std::size_t from) const {
  std::size_t end = record_end(bytes, from);
  if (reply_ == Reply::one) return end;
  const std::size_t empty = framing_ == Framing::len32 ? kHeader : 1;
  while (end != kNone && end - from != empty) {
    from = end;
    end = record_end(bytes, from);
  }
  return end;
}

std::size_t Scanner::prefix(std::string_view bytes, std::uint32_t count) const {
  std::size_t at = 0;
  while (count-- > 0) at = unit_end(bytes, at);
  return at;
}

std::uint32_t Scanner::count_units(std::string_view bytes, std::size_t* end) const {
  if (reply_ == Reply::one && framing_ != Framing::len32) {
    const std::size_t last = bytes.rfind(delimiter());
    *end = last == kNone ? 0 : last + 1;
    return static_cast<std::uint32_t>(
        std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*end), delimiter()));
  }
  std::uint32_t count = 0;
  std::size_t at = 0;
  for (std::size_t next = unit_end(bytes, 0); next != kNone; next = unit_end(bytes, at)) {
    at = next;
    ++count;
  }
  *end = at;
  return count;
}

std::string_view Scanner::payload(std::string_view unit) const {
  std::size_t end = record_end(unit, 0);
  if (framing_ == Framing::len32) return unit.substr(kHeader, end - kHeader);
  return unit.substr(0, end - 1);
}

bool Scanner::is_error(std::string_view unit) const {
  if (framing_ == Framing::len32) return (raw_length(unit, 0) & kErrorBit) != 0;
  return unit.front() == kErrorMark;
}

bool Scanner::may_hold_error(std::string_view bytes) const {
  return framing_ == Framing::len32 || std::memchr(bytes.data(), kErrorMark, bytes.size()) != nullptr;
}

std::string Scanner::frame(std::string_view payload) const {
  if (framing_ == Framing::len32) return header(static_cast<std::uint32_t>(payload.size())).append(payload);
  return std::string(payload) + delimiter();
}

std::string Scanner::frame_error(std::string_view json) const {
  std::string text = framing_ == Framing::len32
                         ? header(static_cast<std::uint32_t>(json.size()) | kErrorBit).append(json)
                         : kErrorMark + std::string(json) + delimiter();
  if (reply_ == Reply::many) text += framing_ == Framing::len32 ? header(0) : std::string(1, delimiter());
  return text;
}

std::optional<std::string> Scanner::close_unit(std::string rest) const {
  if (framing_ == Framing::len32 || reply_ == Reply::many || rest.empty()) return std::nullopt;
  return std::move(rest) + delimiter();
}

std::vector<Cut> Splitter::feed(const base::Bytes& bytes) {
  std::vector<Cut> out;
  base::Bytes todo = skip_.on ? bytes.slice(skip(bytes.view(), out)) : bytes;
  if (todo.empty()) return out;
  if (rest_.empty()) {
    cut(todo, out);
    return out;
  }
  rest_.append(todo.view());
  if (completed()) {
    std::string whole = std::exchange(rest_, std::string());
    cut(base::Bytes(std::move(whole)), out);
  } else if (too_long()) {
    std::string rest = std::exchange(rest_, std::string());
    skip_ = {};
    skip_.on = true;
    skip(rest, out);
  }
  return out;
}

std::vector<Cut> Splitter::finish() {
  std::vector<Cut> out;
  if (skip_.on) out.push_back({{}, std::max(skip_.size, skip_.declared)});
  skip_ = {};
  if (auto closed = scanner_.close_unit(std::exchange(rest_, std::string())))
    out.push_back({{base::Bytes(std::move(*closed)), 1}, 0});
  return out;
}

void Splitter::cut(const base::Bytes& bytes, std::vector<Cut>& out) {
  std::size_t start = 0;
  if (bytes.size() <= max_) {
    std::uint32_t count = scanner_.count_units(bytes.view(), &start);
    if (count > 0) out.push_back({{bytes.slice(0, start), count}, 0});
  } else {
    for (std::size_t end = 0; (end = scanner_.unit_end(bytes.view(), start)) != kNone; start = end) {
      const std::size_t framing = scanner_.delimited() ? 1 : kHeader;
      if (end - start > max_ + framing) {
        out.push_back({{}, end - start - framing});
      } else {
        out.push_back({{bytes.slice(start, end - start), 1}, 0});
      }
    }
  }
  keep(bytes.view().substr(start), out);
}

void Splitter::keep(std::string_view rest, std::vector<Cut>& out) {
  rest_.assign(rest);
  record_ = searched_ = 0;
  if (rest.empty()) return;
  completed();  // remembers how far it looked
  if (!too_long()) return;
  rest_.clear();
  skip_ = {};
  skip_.on = true;
  skip(rest, out);
}

bool Splitter::completed() {
  for (;;) {
    std::size_t end = scanner_.record_end(rest_, scanner_.delimited() ? searched_ : record_);
    if (end == kNone) {
      searched_ = rest_.size();
      return false;
    }
    const bool empty = end - record_ == (scanner_.delimited() ? 1 : kHeader);
    if (scanner_.reply() == Reply::one || empty) return true;
    record_ = searched_ = end;
  }
}

bool Splitter::too_long() const {
  if (rest_.size() > max_ + (scanner_.delimited() ? 0 : kHeader)) return true;
  return !scanner_.delimited() && rest_.size() >= record_ + kHeader && (raw_length(rest_, record_) & ~kErrorBit) > max_;
}

std::size_t Splitter::skip(std::string_view bytes, std::vector<Cut>& out) {
  bool ended = false;
  const std::size_t used = scanner_.delimited() ? skip_delimited(bytes, ended) : skip_counted(bytes, ended);
  skip_.size += used;
  if (!ended) return used;
  out.push_back({{}, skip_.size - (scanner_.delimited() ? 1 : kHeader)});
  skip_ = {};
  return used;
}

std::size_t Splitter::skip_delimited(std::string_view bytes, bool& ended) {
  std::size_t at = 0;
  while (!ended) {
    const std::size_t end = scanner_.record_end(bytes, at);
    if (end == kNone) {
      if (at < bytes.size()) skip_.at_start = false;
      return bytes.size();
    }
    ended = scanner_.reply() == Reply::one || (skip_.at_start && end - at == 1);
    skip_.at_start = true;
    at = end;
  }
  return at;
}

std::size_t Splitter::skip_counted(std::string_view bytes, bool& ended) {
  std::size_t at = 0;
  while (!ended && at < bytes.size()) {
    if (skip_.left > 0) {
      const std::size_t step = std::min<std::uint64_t>(skip_.left, bytes.size() - at);
      skip_.left -= step;
      at += step;
      ended = skip_.left == 0 && scanner_.reply() == Reply::one;
      continue;
    }
    skip_.header += bytes[at++];
    if (skip_.header.size() < kHeader) continue;
    skip_.left = raw_length(skip_.header, 0) & ~kErrorBit;
    skip_.declared = std::max(skip_.declared, skip_.left);
    skip_.header.clear();
    ended = skip_.left == 0;
  }
  return at;
}

}  // namespace fiber::channel
