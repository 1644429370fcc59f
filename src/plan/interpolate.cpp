#include "plan/interpolate.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace fiber::plan {
namespace {

using base::Position;
using base::Yaml;

constexpr int kNested = 16;
constexpr std::string_view kHint = "; write $${ for a literal ${";

bool name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool name_char(char c) { return name_start(c) || (c >= '0' && c <= '9'); }

/// Reads one scalar from left to right.
class Expansion {
 public:
  Expansion(const Yaml& scalar, const std::map<std::string, std::string>& variables, std::size_t& budget)
      : scalar_(scalar), text_(scalar.text), variables_(variables), budget_(budget) {}

  struct Piece {
    std::string text;
    std::vector<Position> braces;  ///< of the `${` and `%{` in it
  };

  Piece run() { return word(true, 0); }
  bool replaced() const { return replaced_; }
  std::vector<base::YamlMistake> mistakes;

 private:
  bool ahead(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  bool end() const { return at_ >= text_.size(); }
  Position brace() { return brace_ < scalar_.braces.size() ? scalar_.braces[brace_++] : scalar_.at; }
  void fail(Position where, std::string message) { mistakes.push_back({where, std::move(message)}); }

  void append(Piece& to, std::string_view what, bool live, Position where) {
    if (!live) return;
    to.text += what;
    to.braces.insert(to.braces.end(), base::count_braces(what), where);
  }

  /// Text up to the end, or inside of `${V:-...}` up to its `}`. What is not `live` is read and forgotten.
  Piece word(bool live, int nested) {
    Piece out;
    while (!end() && !(nested > 0 && text_[at_] == '}')) {
      if (ahead("$${")) {
        at_ += 3;
        replaced_ = true;
        append(out, "${", live, brace());
      } else if (ahead("${")) {
        Position where = brace();
        std::size_t begin = at_;
        at_ += 2;
        Piece value = variable(live, nested, where, begin);
        if (live) {
          out.text += value.text;
          out.braces.insert(out.braces.end(), value.braces.begin(), value.braces.end());
        }
      } else if (ahead("%{")) {
        at_ += 2;
        append(out, "%{", live, brace());
      } else {
        if (live) out.text += text_[at_];
        ++at_;
      }
    }
    return out;
  }

  /// Behind `${`.
  Piece variable(bool live, int nested, Position where, std::size_t begin) {
    std::size_t first = at_;
    if (!end() && name_start(text_[at_])) {
      while (!end() && name_char(text_[at_])) ++at_;
    }
    std::string name(text_.substr(first, at_ - first));
    std::string op;
    for (std::string_view known : {":-", ":?", ":+", "-", "}"}) {
      if (op.empty() && ahead(known)) op = known;
    }
    if (name.empty() || op.empty() || nested >= kNested) {
      skip();
      std::string shown = base::printable(text_.substr(begin, at_ - begin), 40);
      fail(where, nested >= kNested ? "${...} nested too deep"
                                    : fmt::format("{} is no form of ${{...}} that fiber knows{}", shown, kHint));
      return {};
    }
    at_ += op.size();
    if (live) replaced_ = true;
    auto found = variables_.find(name);
    bool set = found != variables_.end() && (op == "-" || op == "}" || !found->second.empty());
    Piece other;
    if (op != "}") {
      other = word(live && (op == ":+" ? set : !set), nested + 1);
      if (end()) {
        fail(where, fmt::format("${{{} is not closed by }}{}", name, kHint));
        return {};
      }
      ++at_;
    }
    if (op == ":+" || (!set && (op == ":-" || op == "-"))) return other;
    if (set) return value_of(found->second, live, where);
    if (live && op == ":?") {
      fail(where,
           other.text.empty() ? name + " must be set" : fmt::format("{}: {}", name, base::printable(other.text, 200)));
    } else if (live) {
      fail(where, fmt::format("{} is not set; ${{{}:-...}} would give it a default", name, name));
    }
    return {};
  }

  Piece value_of(const std::string& value, bool live, Position where) {
    Piece out;
    if (!live) return out;
    if (value.size() > budget_) {
      fail(where, "the variables of this file expand to too much text");
      return out;
    }
    budget_ -= value.size();
    append(out, value, true, where);
    return out;
  }

  /// To behind the `}` that closes a form that is not understood.
  void skip() {
    for (int open = 1; !end() && open > 0; ++at_) {
      if (ahead("${") || ahead("%{")) brace();
      if (text_[at_] == '{') ++open;
      if (text_[at_] == '}') --open;
    }
  }

  const Yaml& scalar_;
  std::string_view text_;
  const std::map<std::string, std::string>& variables_;
  std::size_t& budget_;
  std::size_t at_ = 0, brace_ = 0;
  bool replaced_ = false;
};

}  // namespace

bool Interpolator::expand(base::Yaml& scalar) {
  if (scalar.text.find("${") == std::string::npos) return true;
  Expansion expansion(scalar, variables_, budget_);
  auto result = expansion.run();
  for (auto& mistake : expansion.mistakes) mistakes_.add(mistake.at, std::move(mistake.message));
  if (!expansion.mistakes.empty()) return false;
  std::size_t braces = base::count_braces(result.text);
  if (result.braces.size() != braces) result.braces.assign(braces, scalar.at);
  scalar.text = std::move(result.text);
  scalar.braces = std::move(result.braces);
  scalar.plain = scalar.plain || expansion.replaced();
  return true;
}

}  // namespace fiber::plan
