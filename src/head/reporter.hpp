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
  bool quiet = false;    ///< no notices, no summary; errors and member output stay
  bool verbose = false;  ///< detail() lines too
  bool json = false;     ///< one event a line instead of text
  bool color = false;
  Logs logs = Logs::prefix;
};

using Value = std::variant<std::int64_t, double, bool, std::string>;
using Fields = std::vector<std::pair<std::string, Value>>;

/// Tells people and programs what happens: text or JSON on stderr, events.jsonl and logs/ in the run's
/// directory. Nothing here fails: what cannot be written is left out, and one notice says so.
class Reporter {
 public:
  /// `directory`: none before a run has one. `width`: longest member name, for padding.
  Reporter(Style style, plan::RunDirectory* directory, std::size_t width, int fd = 2);

  void event(std::string_view name, const Fields& fields = {});
  void notice(const std::string& text);
  void detail(const std::string& text);
  void error(const std::string& text);
  void summary(const std::string& text);
  /// Bytes a member wrote to its log (stderr, or stdout without a channel): whole lines are shown, the rest
  /// waits.
  void output(const std::string& member, unsigned index, std::string_view bytes);
  /// The member has ended: its last line without a newline is shown.
  void output_ended(const std::string& member, unsigned index);

 private:
  /// What a member wrote and was not shown yet.
  struct Pending {
    std::string text;       ///< the line so far, its beginning at least
    bool cut = false;       ///< the line went on beyond what is kept
    bool returned = false;  ///< a carriage return came last: what follows overwrites the line
    std::string group;      ///< finished lines as they will be shown (Logs::group)
  };

  void record(std::string_view name, const Fields& fields, bool show);
  void say(std::string_view name, const std::string& text, bool show);
  void directory_failed();
  void append(Pending& pending, std::string_view part);
  void finish_line(const std::string& member, unsigned index, Pending& pending, std::string& out);
  void show(Pending& pending, const std::string& out);
  void put(std::string_view text);

  Style style_;
  plan::RunDirectory* directory_;
  std::size_t width_;
  int fd_;
  bool directory_failed_ = false;
  bool stuck_ = false;  ///< the reader of a non-blocking stderr does not read
  std::map<std::string, Pending> pending_;
};

}  // namespace fiber::head
