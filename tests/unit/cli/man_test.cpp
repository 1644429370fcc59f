#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/help.hpp"

using namespace fiber;

namespace {

const std::filesystem::path kManPage =
    std::filesystem::path(__FILE__).parent_path().parent_path().parent_path().parent_path() / "man" / "fiber.1";

std::string read_file(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The page with `body` between the two comments named after `section`.
std::string with_section(std::string page, const std::string& section, const std::string& body) {
  const std::string begin = ".\\\" begin " + section + "\n", end = ".\\\" end " + section + "\n";
  const std::size_t from = page.find(begin), to = page.find(end);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  return page.replace(from + begin.size(), to - from - begin.size(), body);
}

}  // namespace

TEST_CASE("man/fiber.1 has the flags and variables of the table (BLESS=1 writes them)") {
  const std::string page = read_file(kManPage);
  std::string wanted = with_section(page, "options run", cli::options_as_man(cli::kRun));
  wanted = with_section(wanted, "options map", cli::options_as_man(cli::kMap));
  wanted = with_section(wanted, "options plan", cli::options_as_man(cli::kPlan));
  wanted = with_section(wanted, "variables", cli::variables_as_man());
  if (std::getenv("BLESS")) {
    std::ofstream(kManPage) << wanted;
  } else {
    CHECK(page == wanted);
  }
}

TEST_CASE("man/fiber.1 names the version and every verb") {
  const std::string page = read_file(kManPage);
  CHECK(page.find("fiber " FIBER_VERSION) != std::string::npos);
  for (const cli::VerbEntry& verb : cli::all_verbs()) {
    if (!verb.summary.empty()) CHECK(page.find(".B fiber " + std::string(verb.name)) != std::string::npos);
  }
}
