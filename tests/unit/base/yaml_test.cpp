#include "base/yaml.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

using fiber::base::parse_yaml;
using fiber::base::Yaml;
using fiber::base::YamlDocument;

namespace {

/// The tree in one line, e.g. `{a: 1, b: [x, 'y', ~]}`; quoted scalars in single quotes.
std::string flat(const Yaml& value) {
  std::string out;
  switch (value.kind) {
    case Yaml::Kind::null:
      return "~";
    case Yaml::Kind::scalar:
      return value.plain ? value.text : "'" + value.text + "'";
    case Yaml::Kind::list:
      for (const Yaml& item : value.items) out += (out.empty() ? "" : ", ") + flat(item);
      return "[" + out + "]";
    case Yaml::Kind::map:
      for (const auto& entry : value.entries) out += (out.empty() ? "" : ", ") + entry.key + ": " + flat(entry.value);
      return "{" + out + "}";
  }
  return out;
}

std::string mistakes(const YamlDocument& document) {
  std::string out;
  for (const auto& m : document.mistakes) {
    out += fmt::format("{}{}:{}: {}", out.empty() ? "" : "\n", m.at.line, m.at.column, m.message);
  }
  return out;
}

std::string place(fiber::base::Position at) { return fmt::format("{}:{}", at.line, at.column); }

struct Case {
  std::string text, expected;
};

}  // namespace

TEST_CASE("yaml: what is read") {
  const Case cases[] = {
      {"a: 1\nb: 'x'\nc: \"y\"\n", "{a: 1, b: 'x', c: 'y'}"},
      {"a:\n  - 1\n  - [x, y]\n", "{a: [1, [x, y]]}"},
      {"a: ~\nb: null\nc:\nd: 'null'\n", "{a: ~, b: ~, c: ~, d: 'null'}"},
      {"a: NO\nb: 010\nc: 1.0\nd: true\n", "{a: NO, b: 010, c: 1.0, d: true}"},
      {"a: |\n  x\n  y\nb: >-\n  x\n  y\n", "{a: 'x\ny\n', b: 'x y'}"},
      {"a: !!str 8\nb: !!int 8\n", "{a: '8', b: 8}"},
      {"a: &x {b: 1}\nc: *x\n", "{a: {b: 1}, c: {b: 1}}"},
      {"a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n", "{a: {b: 1, c: 2}, d: {c: 3, b: 1}}"},
      {"a: &x {b: 1}\nc: &y {b: 2, d: 3}\ne:\n  <<: [*x, *y]\n", "{a: {b: 1}, c: {b: 2, d: 3}, e: {b: 1, d: 3}}"},
      {"a: {'<<': 1}\n", "{a: {<<: 1}}"},
      {"\xEF\xBB\xBF"
       "a: 1\n",
       "{a: 1}"},
      {"a: 1\r\nb: |\r\n  x\r\n  y\r\n", "{a: 1, b: 'x\ny\n'}"},
      {"a: 1\rb: 2\r", "{a: 1, b: 2}"},
      {"%YAML 1.2\n---\na: 1\n...\n", "{a: 1}"},
      {"---\na: 1\n", "{a: 1}"},
      {"a: echo %{rank} ${x}\n", "{a: echo %{rank} ${x}}"},
      {"a: {b: '${x}', c: \"%{rank}\"}\n", "{a: {b: '${x}', c: '%{rank}'}}"},
      {"a: 1 # c\n# d\n", "{a: 1}"},
      {"a: \t1\n", "{a: 1}"},
      {"a: |\n  x\n  \ty\n", "{a: 'x\n\ty\n'}"},
      {"a: 'it''s'\n", "{a: 'it's'}"},
      {"a:", "{a: ~}"},
      {"a: 1\nb: # c", "{a: 1, b: ~}"},
      {"a: 1\n'b' :", "{a: 1, b: ~}"},
      {"a:  \t", "{a: ~}"},
      {"a:\n  b:\n", "{a: {b: ~}}"},
      {"a: {b, c: }\n", "{a: {b: ~, c: ~}}"},
      {"- a\n", "[a]"},
      {"a", "a"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    auto document = parse_yaml(c.text);
    CHECK(mistakes(document) == "");
    CHECK(flat(document.root) == c.expected);
  }
}

TEST_CASE("yaml: what is refused, and where") {
  const Case cases[] = {
      {"a: 1\nb: 2\na: 3\na: 4\n",
       "3:1: duplicate key a, first given in line 1\n4:1: duplicate key a, first given in line 1"},
      {"a: {b: 1, b: 2}\n", "1:11: duplicate key b, first given in line 1"},
      {"a: 1\n---\nb: 2\n", "2:1: a second document: a file holds one"},
      {"%x: 1\n", "1:1: a line may not begin with %: quote what begins with it"},
      {"a: 1\n%b: 2\n", "2:1: a line may not begin with %: quote what begins with it"},
      {"a: %{rank}\n", "1:4: syntax: a value may not begin with %: quote it"},
      {"a: [%{rank}]\n", "1:5: syntax: a value may not begin with %: quote it"},
      {"a: @x\n", "1:4: syntax: a value may not begin with @: quote it"},
      {"a: `x`\n", "1:4: syntax: a value may not begin with `: quote it"},
      {"a: {A: ${X}}\n", "1:8: quote a value that holds ${...} inside [] and {}"},
      {"a: [x, y${X}]\n", "1:9: quote a value that holds ${...} inside [] and {}"},
      {"a: [x%{rank}]\n", "1:6: quote a value that holds %{...} inside [] and {}"},
      {"é: [ä${X}]\n", "1:6: quote a value that holds ${...} inside [] and {}"},
      {"a:\n\tb: 1\n", "2:1: syntax: a tab in the indentation: YAML wants spaces"},
      {"a:\n  b: 1\n\tc: 2\n", "3:1: syntax: a tab in the indentation: YAML wants spaces"},
      {"a: \"x\nb: 1\n", "1:4: the quote that begins here is not closed"},
      {"a: 'x''\n", "1:4: the quote that begins here is not closed"},
      {"a: [1, 2\n", "1:8: syntax: a [ or { is not closed"},
      {"a: {b: 1\n", "2:1: syntax: expected , or }"},
      {"a: b: c\n", "1:5: syntax: a : is not expected here: quote a value that holds it, or mind the indentation"},
      {"a: 1\n}\n", "2:1: syntax: a ] or } that closes nothing"},
      {"a: 'b' c\n", "1:8: syntax: expected a key, or less indentation"},
      {"a: 1\nb\n", "2:1: expected : after b"},
      {": 1\n", "1:1: a key is missing"},
      {"? [a]\n: 1\n", "1:3: a key must be text, not a list or a map: is a [ or { not closed?"},
      {"? {a: 1}\n: 1\n", "1:3: a key must be text, not a list or a map: is a [ or { not closed?"},
      {"a: *x\n", "1:4: syntax: an alias to an anchor that is not defined"},
      {"a: &x [*x]\n", "1:8: an alias inside of what it stands for"},
      {"a: {<<: 1}\n", "1:9: << takes a map or a list of maps, usually aliases"},
      {"a: !foo 1\n", "1:4: the tag !foo is not known"},
      {std::string("a: 1\0\n", 6), "1:5: a NUL byte: this is not a text file"},
      {"a: \x1b[1m\n", "1:4: a control character (0x1b)"},
      {"a: \xff\n", "1:4: not UTF-8: byte 0xff"},
      {"a: \xed\xa0\x80\n", "1:4: not UTF-8: byte 0xed"},
      {"a: \xc0\xaf\n", "1:4: not UTF-8: byte 0xc0"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(mistakes(parse_yaml(c.text)) == c.expected);
  }
}

TEST_CASE("yaml: an empty text") {
  for (const char* text : {"", "\n\n", "# only a comment\n"}) {
    auto document = parse_yaml(text);
    CHECK(document.empty);
    CHECK(document.root.is_null());
    CHECK(document.mistakes.empty());
  }
  CHECK_FALSE(parse_yaml("---\n").empty);
}

TEST_CASE("yaml: places are counted in characters") {
  auto document = parse_yaml("a: 1\nbé: {c: x, 'ü': [p, q]}\ne:\nf: ~\ng: |\n  x ${A}\n  y ${B} %{c}\n", 7);
  const Yaml& root = document.root;
  REQUIRE(root.entries.size() == 5);
  CHECK(root.at.source == 7);
  CHECK(place(root.entries[0].value.at) == "1:4");
  const auto& b = root.entries[1];
  CHECK(place(b.at) == "2:1");
  CHECK(place(b.value.at) == "2:5");
  CHECK(place(b.value.entries[1].at) == "2:12");
  CHECK(place(b.value.entries[1].value.items[1].at) == "2:21");
  CHECK(place(root.entries[2].value.at) == "3:1");  // a missing value: at its key
  CHECK(place(root.entries[3].value.at) == "4:4");
  const auto& braces = root.entries[4].value.braces;
  REQUIRE(braces.size() == 3);
  CHECK(place(braces[0]) == "6:5");
  CHECK(place(braces[1]) == "7:5");
  CHECK(place(braces[2]) == "7:10");
}

TEST_CASE("yaml: bombs and monsters end in a message") {
  SUBCASE("aliases of aliases") {
    std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
      text += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
    }
    CHECK(mistakes(parse_yaml(text)).find("too many values") != std::string::npos);
  }
  SUBCASE("merges of merges") {
    std::string text = "a0: &a0 {x: [1, 2, 3, 4, 5, 6, 7, 8]}\n";
    for (int i = 1; i < 40; ++i) text += fmt::format("a{0}: &a{0} {{<<: *a{1}, k: [*a{1}, *a{1}]}}\n", i, i - 1);
    CHECK(mistakes(parse_yaml(text)).find(":") != std::string::npos);
  }
  SUBCASE("a long text, often") {
    std::string text = "a: &a " + std::string(100'000, 'x') + "\nb: [";
    for (int i = 0; i < 10'000; ++i) text += "*a, ";
    CHECK(mistakes(parse_yaml(text + "*a]\n")).find("too many values") != std::string::npos);
  }
  SUBCASE("deep nesting") {
    for (const char* open : {"[", "{a: ", "- ", "? ", "[{a: ["}) {
      CAPTURE(open);
      std::string text;
      while (text.size() < 900'000) text += open;
      CHECK(mistakes(parse_yaml(text)) != "");
    }
    std::string block;
    for (int i = 0; i < 1000; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
    CHECK(mistakes(parse_yaml(block)).find("nested deeper than 64 levels") != std::string::npos);
  }
  SUBCASE("size") {
    std::string fits = "a: " + std::string((1u << 20) - 4, 'x') + "\n";
    CHECK(mistakes(parse_yaml(fits)) == "");
    CHECK(mistakes(parse_yaml(fits + "\n")) == "1:1: the file is too big: over 1 MiB");
    CHECK(mistakes(parse_yaml(std::string(10u << 20, 'x'))) == "1:1: the file is too big: over 1 MiB");
  }
  SUBCASE("many keys") {
    std::string text;
    for (int i = 0; i < 40'000; ++i) text += fmt::format("k{}: 1\n", i);
    CHECK(parse_yaml(text).root.entries.size() == 40'000);
  }
}

TEST_CASE("yaml: random mutations never crash") {
  const std::string seed =
      "fiber: 1\nenv: {A: \"${X:-1}\", B: }\nmaster: &m\n  run: [python3, 'm.py', \"%{rank}\"]\n"
      "workers:\n  <<: *m\n  count: 4\nlist:\n- a\n- {b: c}\ntext: |\n  one\n  two ${Y}\n# end\n";
  const std::string alphabet = "\n\n  ::--[]{}\"'&*!|>%@`#?,$\t\r~ab0\\<=.\xc3\xa9\xff\x01";
  std::mt19937 random(20240601);
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (int round = 0; round < 6'000; ++round) {
    std::string text = seed;
    for (std::size_t edits = 1 + below(6); edits > 0; --edits) {
      std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = alphabet[below(alphabet.size())];
          break;
        case 1:
          text.insert(at, 1, alphabet[below(alphabet.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(5));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(20)));
      }
      if (text.empty()) text = "a";
    }
    auto document = parse_yaml(text);
    for (const auto& m : document.mistakes) {
      REQUIRE(m.at.line >= 1);
      REQUIRE(m.at.column >= 1);
      REQUIRE(!m.message.empty());
    }
  }
}

TEST_CASE("printable: one line, no escape sequences, bounded") {
  using fiber::base::printable;
  CHECK(printable("a b") == "a b");
  CHECK(printable("a\nb\tc") == "a\\nb\\tc");
  CHECK(printable("\x1b[31m\x7f") == "\\x1b[31m\\x7f");
  CHECK(printable("\xc2\x9b"
                  "1m") == "\\x9b1m");
  CHECK(printable("é") == "é");
  CHECK(printable(std::string(100, 'x'), 10) == "xxxxxxxxxx...");
  CHECK(printable("ééé", 3) == "éé...");
}
