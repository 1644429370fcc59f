#include "plan/interpolate.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "plan/plan.hpp"

using fiber::base::Yaml;
using namespace fiber::plan;

namespace {

const std::map<std::string, std::string> kVariables = {{"A", "a"},      {"EMPTY", ""},      {"_x1", "u"},
                                                       {"REF", "${A}"}, {"PCT", "%{rank}"}, {"SP", "b c"}};

/// A scalar with the places of its braces, as if at 1:1 of a file.
Yaml scalar(const std::string& text) {
  Yaml value = Yaml::scalar(text, {0, 1, 1}, false);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i + 1] == '{' && (text[i] == '$' || text[i] == '%')) {
      value.braces.push_back({0, 1, static_cast<unsigned>(i + 1)});
    }
  }
  return value;
}

std::string thrown(const Mistakes& mistakes) {
  try {
    mistakes.throw_if_any();
  } catch (const fiber::Error& error) {
    return error.what();
  }
  return "";
}

Mistakes of_file() {
  Mistakes mistakes;
  mistakes.file(0, "f");
  return mistakes;
}

}  // namespace

TEST_CASE("interpolation: what comes out") {
  const std::pair<const char*, const char*> cases[] = {
      {"x", "x"},
      {"${A}", "a"},
      {"<${A}${A}>", "<aa>"},
      {"${EMPTY}", ""},
      {"${_x1}", "u"},
      {"${A:-d}", "a"},
      {"${A-d}", "a"},
      {"${NONE:-d}", "d"},
      {"${NONE-d}", "d"},
      {"${NONE:-}", ""},
      {"${EMPTY:-d}", "d"},
      {"${EMPTY-d}", ""},
      {"${A:+yes}", "yes"},
      {"${EMPTY:+yes}", ""},
      {"${NONE:+yes}", ""},
      {"${A:?must}", "a"},
      {"${NONE:-${A}}", "a"},
      {"${NONE:-${NONE:-${A}b}c}", "abc"},
      {"${A:-${NONE}}", "a"},  // what is not used need not be set
      {"${A:+<${A}>}", "<a>"},
      {"${NONE:-a b:-?+c}", "a b:-?+c"},
      {"$${A}", "${A}"},
      {"$$${A}", "$${A}"},
      {"$${x%.*}", "${x%.*}"},
      {"$A $1 $$ $ $(x) `y` {A} $", "$A $1 $$ $ $(x) `y` {A} $"},
      {"${REF}", "${A}"},  // once, not again
      {"%{rank} ${A} %%{", "%{rank} a %%{"},
      {"${NONE:-x%{rank}}", "x%{rank}"},
  };
  for (auto [text, expected] : cases) {
    CAPTURE(text);
    Mistakes mistakes = of_file();
    Interpolator interpolator(kVariables, mistakes);
    Yaml value = scalar(text);
    // the last case: the default ends at the first brace, as in a shell
    if (std::string(text) == "${NONE:-x%{rank}}") expected = "x%{rank}";
    CHECK(interpolator.expand(value));
    CHECK(value.text == expected);
    CHECK(thrown(mistakes) == "");
    CHECK(value.braces.size() == fiber::base::count_braces(value.text));
  }
}

TEST_CASE("interpolation: what is replaced counts as plain") {
  Mistakes mistakes;
  Interpolator interpolator(kVariables, mistakes);
  Yaml quoted = scalar("4"), expanded = scalar("${A}");
  interpolator.expand(quoted);
  interpolator.expand(expanded);
  CHECK_FALSE(quoted.plain);
  CHECK(expanded.plain);
}

TEST_CASE("interpolation: what is refused, and where") {
  const std::pair<const char*, const char*> cases[] = {
      {"x ${NONE}", "f:1:3: NONE is not set; ${NONE:-...} would give it a default"},
      {"${NONE} ${GONE}",
       "f:1:1: NONE is not set; ${NONE:-...} would give it a default\n"
       "f:1:9: GONE is not set; ${GONE:-...} would give it a default"},
      {"$${ ${NONE}", "f:1:5: NONE is not set; ${NONE:-...} would give it a default"},
      {"%{x} ${NONE}", "f:1:6: NONE is not set; ${NONE:-...} would give it a default"},
      {"${A:-${NONE}} ${NONE:-${GONE}}", "f:1:23: GONE is not set; ${GONE:-...} would give it a default"},
      {"${NONE:?say it}", "f:1:1: NONE: say it"},
      {"${EMPTY:?}", "f:1:1: EMPTY must be set"},
      {"a ${x%.*} b", "f:1:3: ${x%.*} is no form of ${...} that fiber knows; write $${ for a literal ${"},
      {"${#x}", "f:1:1: ${#x} is no form of ${...} that fiber knows; write $${ for a literal ${"},
      {"${x/a/b}", "f:1:1: ${x/a/b} is no form of ${...} that fiber knows; write $${ for a literal ${"},
      {"${}", "f:1:1: ${} is no form of ${...} that fiber knows; write $${ for a literal ${"},
      {"${1}", "f:1:1: ${1} is no form of ${...} that fiber knows; write $${ for a literal ${"},
      {"${x", "f:1:1: ${x is no form of ${...} that fiber knows; write $${ for a literal ${"},
      {"${A:-b", "f:1:1: ${A is not closed by }; write $${ for a literal ${"},
      {"${A:=b}", "f:1:1: ${A:=b} is no form of ${...} that fiber knows; write $${ for a literal ${"},
      {"${A[0]} ${NONE}",
       "f:1:1: ${A[0]} is no form of ${...} that fiber knows; write $${ for a literal ${\n"
       "f:1:9: NONE is not set; ${NONE:-...} would give it a default"},
  };
  for (auto [text, expected] : cases) {
    CAPTURE(text);
    Mistakes mistakes = of_file();
    Interpolator interpolator(kVariables, mistakes);
    Yaml value = scalar(text);
    CHECK_FALSE(interpolator.expand(value));
    CHECK(thrown(mistakes) == expected);
  }
}

TEST_CASE("interpolation: bounded") {
  Mistakes mistakes = of_file();
  std::map<std::string, std::string> variables = {{"B", std::string(1 << 20, 'x')}};
  Interpolator interpolator(variables, mistakes);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "${B}";
  Yaml value = scalar(text);
  CHECK_FALSE(interpolator.expand(value));
  CHECK(thrown(mistakes).find("too much text") != std::string::npos);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "${N:-";
  Yaml nested = scalar(deep);
  CHECK_FALSE(interpolator.expand(nested));
}

TEST_CASE("placeholders: which are known") {
  const std::pair<const char*, const char*> cases[] = {
      {"%{rank} %{size} %{role} %{run} %{attempt}", ""},
      {"100% % {x} %d %", ""},
      {"%%{http_code}", ""},
      {"a %{rnk}", "f:1:3: unknown placeholder %{rnk}, did you mean %{rank}?"},
      {"%{http_code}", "f:1:1: unknown placeholder %{http_code}; write %%{ for a literal %{"},
      {"%{}", "f:1:1: unknown placeholder %{}; write %%{ for a literal %{"},
      {"%{rank", "f:1:1: %{ is not closed by }; write %%{ for a literal %{"},
      {"%{matrix.lr}", "f:1:1: %{matrix.lr} (sweeps) is not supported by this version of fiber"},
      {"%{record}", "f:1:1: %{record} (mode: exec) is not supported by this version of fiber"},
      {"%%{x} %{2}", "f:1:7: %{2} (mode: exec) is not supported by this version of fiber"},
      {"%{Rank} %{ size }",
       "f:1:1: unknown placeholder %{Rank}, did you mean %{rank}?\n"
       "f:1:9: unknown placeholder %{ size }, did you mean %{size}?"},
  };
  for (auto [text, expected] : cases) {
    CAPTURE(text);
    Mistakes mistakes = of_file();
    CHECK(check_placeholders(scalar(text), mistakes) == std::string(expected).empty());
    CHECK(thrown(mistakes) == expected);
  }
}

TEST_CASE("placeholders: what comes out") {
  const Placeholders values{.role = "workers", .run = "r1", .rank = 3, .size = 8, .attempt = 2};
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"%{rank}/%{size}", "3/8"},
      {"%{role}.%{rank} in %{run}, %{attempt}", "workers.3 in r1, 2"},
      {"%%{rank}", "%{rank}"},
      {"%%%{rank}", "%%{rank}"},
      {"100%", "100%"},
      {"%d %% % {", "%d %% % {"},
      {"%{other}", "%{other}"},
      {"%{rank", "%{rank"},
  };
  for (auto [text, expected] : cases) {
    CAPTURE(text);
    CHECK(expand(text, values) == expected);
  }
  for (const char* text : {"", "%{rank}", "%%{rank}", "%%%{", "%", "%%", "a%{b}c%{", "{%{%{"}) {
    CAPTURE(text);
    CHECK(expand(literal(text), values) == text);
  }
}
