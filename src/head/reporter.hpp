#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plan/run_dir.hpp"

namespace fiber::head {

enum class Logs { prefix, group, raw, none };

/// How a run speaks on stderr.
struct Style {
  bool quiet = false;     ///< no notices, no summary; errors and member output stay
  bool verbose = false;   ///< detail() lines too
  bool json = false;      ///< one event a line instead of text
  bool color = false;
  Logs logs = Logs::prefix;
};

using Value = std::variant<std::int64_t, double, bool, std::string>;
using Fields = std::vector<std::pair<std::string, Value>>;

/// Tells people and programs what happens: text or JSON on stderr, events.jsonl and logs/ in the run's directory.
class Reporter {
 public:
  /// `width`: longest member name, for padding.
  Reporter(Style style, plan::RunDirectory* directory, std::size_t width, int fd = 2);

  void event(std::string_view name, const Fields& fields = {});
  void notice(const std::string& text);
  void detail(const std::string& text);
  void error(const std::string& text);
  void summary(const std::string& text);
  /// Bytes a member wrote to its log (stderr, or stdout without a channel): whole lines are shown, the rest waits.
  void output(const std::string& member, unsigned index, std::string_view bytes);
  /// The member has ended: its last line without a newline is shown.
  void output_ended(const std::string& member, unsigned index);

 private:
  void line(const std::string& member, unsigned index, std::string_view text);
  void put(std::string_view text);

  Style style_;
  plan::RunDirectory* directory_;
  std::size_t width_;
  int fd_;
  std::map<std::string, std::string> partial_;
};

}  // namespace fiber::head
