#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fiber::base {

/// Immutable bytes that are shared, not copied: a view and whatever keeps it alive.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::string text) {
    auto owned = std::make_shared<const std::string>(std::move(text));
    view_ = *owned;
    owner_ = std::move(owned);
  }
  Bytes(std::shared_ptr<const void> owner, std::string_view view) : owner_(std::move(owner)), view_(view) {}

  std::string_view view() const { return view_; }
  const char* data() const { return view_.data(); }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }

  /// A part of the same bytes; `from` must not lie behind the end.
  Bytes slice(std::size_t from, std::size_t count = std::string_view::npos) const {
    return {owner_, view_.substr(from, count)};
  }

 private:
  std::shared_ptr<const void> owner_;
  std::string_view view_;
};

}  // namespace fiber::base
