#include "plan/keys.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "plan/quantity.hpp"

using namespace fiber::plan;

namespace {

const std::filesystem::path kPage =
    std::filesystem::path(__FILE__).parent_path() / ".." / ".." / ".." / "man" / "fiber.yaml.5";
const std::string kBegin =
    ".\\\" keys: begin (from the table in src/plan/keys.cpp; BLESS=1 in the unit tests renews it)\n";
const std::string kEnd = ".\\\" keys: end\n";

std::string troff(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
  }
  return out[0] == '.' ? "\\&" + out : out;
}

std::string type_of(const Key& key) {
  switch (key.kind) {
    case Kind::group:
      return "a map";
    case Kind::names:
      return "a map of names";
    case Kind::env:
      return "a map of variables";
    case Kind::choice: {
      std::string out;
      for (auto word : choices(key)) out += (out.empty() ? "" : " | ") + std::string(word);
      return out;
    }
    case Kind::number: {
      auto dots = key.values.find("..");
      if (key.path == "fiber") return "1";
      return "a whole number from " + std::string(key.values.substr(0, dots)) + " to " +
             std::string(key.values.substr(dots + 2));
    }
    case Kind::role:
      return "the name of a role";
    default:
      return expectation(key);
  }
}

std::string rendered() {
  std::string out;
  for (const Key& key : keys()) {
    if (!key.supported()) continue;
    out += ".TP\n.B " + troff(key.path) + "\n" + troff(type_of(key)) + "; default: " + troff(key.fallback) +
           ".\n.br\n" + troff(key.help) + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("keys: the table is sound") {
  std::set<std::string_view> seen;
  for (const Key& key : keys()) {
    CAPTURE(key.path);
    CHECK(seen.insert(key.path).second);
    CHECK_FALSE(key.help.empty());
    CHECK(key.help.back() == '.');
    CHECK_FALSE(key.fallback.empty());
    CHECK_FALSE(key.backends.empty());
    CHECK(find_key(key.path) == &key);
    if (key.supported()) CHECK(key.kind != Kind::any);
    auto dot = key.path.rfind('.');
    auto parent = dot == std::string_view::npos ? std::string_view() : key.path.substr(0, dot);
    if (!parent.empty() && parent != "ROLE") CHECK(find_key(parent) != nullptr);
    if (key.kind == Kind::choice) CHECK_FALSE(choices(key).empty());
  }
  for (const char* path : {"workers", "channels", "limits.silence", "retry.speculate", "matrix", "ROLE.resources"}) {
    CAPTURE(path);
    CHECK(find_key(path) != nullptr);
  }
}

TEST_CASE("keys: patterns of children") {
  CHECK(child_pattern("", "name") == "name");
  CHECK(child_pattern("master", "run") == "ROLE.run");
  CHECK(child_pattern("workers", "run") == "ROLE.run");
  CHECK(child_pattern("roles.NAME", "run") == "ROLE.run");
  CHECK(child_pattern("channels.NAME", "to") == "channels.NAME.to");
  CHECK(children("limits").size() == 7);
  CHECK(children("workers").size() == children("master").size());
}

TEST_CASE("keys: did you mean") {
  const std::vector<std::string_view> words = {"count", "run", "env", "max_record", "on_task_failure"};
  const std::pair<const char*, const char*> cases[] = {{"cont", "count"},
                                                       {"coutn", "count"},
                                                       {"conut", "count"},
                                                       {"rnu", "run"},
                                                       {"evn", "env"},
                                                       {"maxrecord", "max_record"},
                                                       {"on_task_fail", "on_task_failure"},
                                                       {"xyz", ""},
                                                       {"", ""},
                                                       {"completely_other", ""}};
  for (auto [word, expected] : cases) {
    CAPTURE(word);
    CHECK(nearest(word, words) == expected);
  }
  CHECK(nearest(std::string(1 << 20, 'x'), words) == "");
  CHECK(home_of("count") == "workers.count");
  CHECK(home_of("spill") == "limits.spill");
  CHECK(home_of("nonsense") == "");
}

TEST_CASE("keys: the manual page has the table") {
  std::ifstream in(kPage);
  REQUIRE_MESSAGE(in.good(), "cannot open ", kPage.string());
  std::stringstream buffer;
  buffer << in.rdbuf();
  std::string page = buffer.str();
  auto begin = page.find(kBegin), end = page.find(kEnd);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  begin += kBegin.size();
  if (std::getenv("BLESS")) {
    std::ofstream(kPage) << page.substr(0, begin) << rendered() << page.substr(end);
  } else {
    CHECK(page.substr(begin, end - begin) == rendered());
  }
}
