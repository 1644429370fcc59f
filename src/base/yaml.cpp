#include "base/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "base/yaml_source.hpp"

namespace fiber::base {
namespace {

/// Ends the reading at a mistake after which nothing more can be understood.
struct Stop {
  YamlMistake mistake;
};

constexpr const char* kNoKey = "a key must be text, not a list or a map: is a [ or { not closed?";

struct Weight {
  std::size_t nodes = 1, text = 0, depth = 1;
};

Weight weigh(const Yaml& value) {
  Weight sum;
  sum.text = value.text.size();
  auto add = [&sum](const Yaml& child) {
    Weight w = weigh(child);
    sum.nodes += w.nodes;
    sum.text += w.text;
    sum.depth = std::max(sum.depth, w.depth + 1);
  };
  for (const Yaml& item : value.items) add(item);
  for (const YamlEntry& entry : value.entries) {
    sum.text += entry.key.size();
    add(entry.value);
  }
  return sum;
}

/// A list or map whose end has not been seen.
struct Open {
  Yaml value;
  YAML::anchor_t anchor = 0;
  bool flow = false, has_key = false, merge_key = false, drop = false;
  std::unordered_map<std::string, unsigned> seen{};  ///< key -> line
  std::vector<Yaml> merged{};
};

/// Builds the tree from the parser's events.
class Builder : public YAML::EventHandler {
 public:
  Builder(const YamlSource& source, YamlDocument& out) : source_(source), out_(out) {}
  bool begun() const { return begun_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (begun_) throw Stop{{place(mark), "a second document: a file holds one"}};
    begun_ = true;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Yaml value;
    value.at = place(mark);
    if (in_map() && open_.back().has_key) {
      const YamlEntry& entry = open_.back().value.entries.back();
      std::size_t byte = offset(mark);
      char c = byte < source_.text().size() ? source_.text()[byte] : '\n';
      if (value.at == entry.at && open_.back().flow) stop(mark, "syntax: a [ or { is not closed");
      if (value.at == entry.at) stop(mark, fmt::format("expected : after {}", printable(entry.key)));
      if (c != '~' && c != 'n' && c != 'N') value.at = entry.at;
    } else if (in_map()) {
      stop(mark, "a key is missing");
    }
    add(std::move(value), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    std::size_t byte = source_.behind_properties(offset(mark));
    bool plain = tag == "?";
    if (!plain && tag != "!") {
      static const std::string kCore = "tag:yaml.org,2002:";
      std::string name = tag.substr(0, kCore.size()) == kCore ? tag.substr(kCore.size()) : "";
      plain = name == "int" || name == "float" || name == "bool" || name == "null";
      if (!plain && name != "str") mistake(mark, fmt::format("the tag {} is not known", printable(tag)));
    }
    if (plain) {
      check_trap(byte, text);
    } else if (!source_.quote_is_closed(byte)) {
      stop(mark, "the quote that begins here is not closed");
    }
    Yaml value = Yaml::scalar(text, place(mark), plain);
    if (std::size_t n = count_braces(text)) {
      value.braces = source_.braces(byte, n);
      value.braces.resize(n, value.at);
    }
    add(std::move(value), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto found = anchors_.find(anchor);
    if (found == anchors_.end()) stop(mark, "an alias inside of what it stands for");
    spend(place(mark), weigh(found->second));
    add(Yaml(found->second), 0, true);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(mark, anchor, Yaml::Kind::list);
  }
  void OnSequenceEnd() override { end(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    start(mark, anchor, Yaml::Kind::map);
    open_.back().flow = style == YAML::EmitterStyle::Flow;
  }
  void OnMapEnd() override {
    Open& map = open_.back();
    for (const Yaml& from : map.merged) {
      for (const YamlEntry& entry : from.entries) {
        if (map.seen.emplace(entry.key, entry.at.line).second) map.value.entries.push_back(entry);
      }
    }
    end();
  }

 private:
  bool in_map() const { return !open_.empty() && open_.back().value.is_map(); }
  std::size_t offset(const YAML::Mark& mark) const { return static_cast<std::size_t>(std::max(mark.pos, 0)); }
  /// By the byte: at the end of a text the parser's columns are wrong.
  Position place(const YAML::Mark& mark) const { return source_.at(offset(mark)); }
  void mistake(const YAML::Mark& mark, std::string message) {
    out_.mistakes.push_back({place(mark), std::move(message)});
  }
  [[noreturn]] void stop(const YAML::Mark& mark, std::string message) const {
    throw Stop{{place(mark), std::move(message)}};
  }

  void spend(Position at, const Weight& weight) {
    nodes_ += weight.nodes;
    text_ += weight.text;
    if (open_.size() + weight.depth > kYamlMaxDepth) {
      throw Stop{{at, fmt::format("nested deeper than {} levels", kYamlMaxDepth)}};
    }
    if (nodes_ > kYamlMaxNodes || text_ > kYamlMaxText) {
      throw Stop{{at, "too many values in one file (aliases counted as often as they are used)"}};
    }
  }

  /// `{A: ${X}}`: YAML ends the value at the brace.
  void check_trap(std::size_t byte, const std::string& text) const {
    if (text.empty() || (text.back() != '$' && text.back() != '%')) return;
    std::size_t brace = byte + text.size();
    if (brace >= source_.text().size() || source_.text()[brace] != '{') return;
    throw Stop{
        {source_.at(brace - 1), fmt::format("quote a value that holds {}{{...}} inside [] and {{}}", text.back())}};
  }

  void start(const YAML::Mark& mark, YAML::anchor_t anchor, Yaml::Kind kind) {
    spend(place(mark), {});
    if (in_map() && !open_.back().has_key) stop(mark, kNoKey);
    Open open{.value = {}, .anchor = anchor};
    open.value.kind = kind;
    open.value.at = place(mark);
    open_.push_back(std::move(open));
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.value), done.anchor, true);
  }

  /// A value is complete: it is an item, a key, what belongs to a key, or the root.
  void add(Yaml value, YAML::anchor_t anchor, bool counted = false) {
    if (!counted) spend(value.at, {.nodes = 1, .text = value.text.size(), .depth = 0});
    if (anchor != 0) {
      spend(value.at, weigh(value));
      anchors_[anchor] = value;
    }
    if (open_.empty()) {
      out_.root = std::move(value);
    } else if (Open& top = open_.back(); top.value.is_list()) {
      top.value.items.push_back(std::move(value));
    } else if (!top.has_key) {
      add_key(top, std::move(value));
    } else {
      add_value(top, std::move(value));
    }
  }

  void add_key(Open& map, Yaml key) {
    if (!key.is_scalar()) throw Stop{{key.at, kNoKey}};
    map.has_key = true;
    map.merge_key = key.plain && key.text == "<<";
    auto [first, fresh] = map.seen.emplace(key.text, key.at.line);
    map.drop = !fresh;
    if (!fresh) {
      out_.mistakes.push_back(
          {key.at, fmt::format("duplicate key {}, first given in line {}", printable(key.text), first->second)});
    }
    map.value.entries.push_back({std::move(key.text), key.at, {}});
  }

  void add_value(Open& map, Yaml value) {
    map.has_key = false;
    if (map.merge_key) {
      bool fits = value.is_map() || (value.is_list() && std::all_of(value.items.begin(), value.items.end(),
                                                                    [](const Yaml& item) { return item.is_map(); }));
      if (!fits) out_.mistakes.push_back({value.at, "<< takes a map or a list of maps, usually aliases"});
      if (value.is_map()) {
        map.merged.push_back(std::move(value));
      } else if (fits) {
        for (Yaml& item : value.items) map.merged.push_back(std::move(item));
      }
      map.value.entries.pop_back();
      return;
    }
    if (map.drop) {
      map.value.entries.pop_back();
    } else {
      map.value.entries.back().value = std::move(value);
    }
  }

  const YamlSource& source_;
  YamlDocument& out_;
  bool begun_ = false;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Yaml> anchors_;
  std::size_t nodes_ = 0, text_ = 0;
};

std::string in_plain_words(const std::string& message) {
  static const std::map<std::string, std::string> kWords = {
      {"illegal map value", "a : is not expected here: quote a value that holds it, or mind the indentation"},
      {"illegal map key", "a key is not expected here: mind the indentation"},
      {"illegal block entry", "a - is not expected here: mind the indentation"},
      {"end of map not found", "expected a key, or less indentation"},
      {"end of sequence not found", "expected another -, or less indentation"},
      {"end of map flow not found", "expected , or }"},
      {"end of sequence flow not found", "expected , or ]"},
      {"illegal flow end", "a ] or } that closes nothing"},
      {"the referenced anchor is not defined", "an alias to an anchor that is not defined"},
  };
  auto found = kWords.find(message);
  return found != kWords.end() ? found->second : message;
}

YamlMistake syntax_mistake(const YAML::Exception& error, const YamlSource& source) {
  auto number = static_cast<std::size_t>(std::max(error.mark.line, 0));
  auto column = static_cast<std::size_t>(std::max(error.mark.column, 0));
  std::string_view line = source.line(number);
  std::string message = in_plain_words(error.msg);
  char c = column < line.size() ? line[column] : ' ';
  std::string_view indentation = line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
  if (indentation.find('\t') != std::string_view::npos) {
    column = indentation.find('\t');
    message = "a tab in the indentation: YAML wants spaces";
  } else if (error.msg == "unknown token" && (c == '%' || c == '@' || c == '`')) {
    message = fmt::format("a value may not begin with {}: quote it", c);
  } else if (count_braces(line) > 0) {
    message += "; quote a value that holds ${...} or %{...} inside [] and {}";
  }
  return {source.at(number, column), "syntax: " + message};
}

}  // namespace

YamlEntry* Yaml::find(std::string_view key) {
  auto found = std::find_if(entries.begin(), entries.end(), [&](const YamlEntry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

const YamlEntry* Yaml::find(std::string_view key) const { return const_cast<Yaml*>(this)->find(key); }

Yaml Yaml::scalar(std::string text, Position at, bool plain) {
  Yaml value;
  value.kind = Kind::scalar;
  value.at = at;
  value.plain = plain;
  value.text = std::move(text);
  return value;
}

Yaml Yaml::map(Position at) {
  Yaml value;
  value.kind = Kind::map;
  value.at = at;
  return value;
}

YamlDocument parse_yaml(std::string_view text, unsigned source_number) {
  YamlDocument out;
  if (text.size() > 2 * kYamlMaxBytes) text = text.substr(0, 2 * kYamlMaxBytes);
  YamlSource source(text, source_number);
  if (auto unfit = source.unfit()) {
    out.mistakes.push_back(std::move(*unfit));
    return out;
  }
  Builder builder(source, out);
  try {
    std::istringstream in(source.text());
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
    out.empty = !builder.begun();
  } catch (const Stop& stop) {
    out.mistakes.push_back(stop.mistake);
  } catch (const YAML::Exception& error) {
    out.mistakes.push_back(syntax_mistake(error, source));
  } catch (const std::exception& error) {
    out.mistakes.push_back({{source_number, 1, 1}, fmt::format("cannot be read: {}", error.what())});
  }
  return out;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    bool first_byte = (c & 0xC0) != 0x80;
    if (out.size() >= limit && first_byte) return out + "...";
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", c);
    } else if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));  // C1 controls
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace fiber::base
