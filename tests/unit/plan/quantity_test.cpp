#include "plan/quantity.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace fiber::plan;

TEST_CASE("numbers") {
  const std::pair<const char*, std::int64_t> good[] = {{"0", 0}, {"7", 7}, {"-1", -1}, {"100000", 100000}};
  for (auto [text, value] : good) {
    CAPTURE(text);
    CHECK(read_number(text).value == value);
  }
  for (const char* text : {"", "-", "+1", "1.0", "1e3", "0x10", "010", "1_000", " 1", "abc", "1 "}) {
    CAPTURE(text);
    CHECK(read_number(text).problem == std::string("must be a whole number, found ") + text);
  }
  CHECK(read_number("99999999999999999999").problem == "is too big a number: 99999999999999999999");
}

TEST_CASE("sizes") {
  const std::pair<const char*, std::uint64_t> good[] = {{"0", 0},
                                                        {"1024", 1024},
                                                        {"64Mi", 64u << 20},
                                                        {"512M", 512'000'000},
                                                        {"2G", 2000000000},
                                                        {"1k", 1000},
                                                        {"1Ki", 1024},
                                                        {"1.5Gi", 1610612736},
                                                        {"0.5k", 500},
                                                        {"2e9", 2000000000},
                                                        {"1E3", 1000},
                                                        {"1T", 1'000'000'000'000},
                                                        {"1Pi", 1ull << 50},
                                                        {"15Ei", 15ull << 60},
                                                        {"18446744073709551615", UINT64_MAX}};
  for (auto [text, value] : good) {
    CAPTURE(text);
    auto reading = read_size(text);
    CHECK(reading.problem == "");
    CHECK(reading.value == value);
  }
  const std::pair<const char*, const char*> bad[] = {
      {"", "must be a size such as 64Mi or 2G, found "},
      {"-1", "must not be negative, found -1"},
      {"-64Mi", "must not be negative, found -64Mi"},
      {"16Ei", "is too big a size, found 16Ei"},
      {"18446744073709551616", "is too big a size, found 18446744073709551616"},
      {"99999999999999999999999", "is too big or too exact a size: 99999999999999999999999"},
      {"0.5", "must be a whole number of bytes, found 0.5"},
      {"1.0001k", "must be a whole number of bytes, found 1.0001k"},
      {"64MB", "must be a size such as 64Mi or 2G, found 64MB; write 64M"},
      {"64MiB", "must be a size such as 64Mi or 2G, found 64MiB; write 64Mi"},
      {"64KB", "must be a size such as 64Mi or 2G, found 64KB; write 64k"},
      {"64K", "must be a size such as 64Mi or 2G, found 64K; write 64k or 64Ki"},
      {"500m", "must be a size such as 64Mi or 2G, found 500m; did you mean 500M?"},
      {"64 Mi", "must be a size such as 64Mi or 2G, found 64 Mi"},
      {"1.", "must be a size such as 64Mi or 2G, found 1."},
      {".", "must be a size such as 64Mi or 2G, found ."},
      {"Mi", "must be a size such as 64Mi or 2G, found Mi"},
      {"1e99", "must be a size such as 64Mi or 2G, found 1e99"},
      {"much", "must be a size such as 64Mi or 2G, found much"}};
  for (auto [text, problem] : bad) {
    CAPTURE(text);
    auto reading = read_size(text);
    CHECK_FALSE(reading.value.has_value());
    CHECK(reading.problem == problem);
  }
}

TEST_CASE("durations") {
  const std::pair<const char*, std::int64_t> good[] = {{"0s", 0},
                                                       {"250ms", 250},
                                                       {"90s", 90'000},
                                                       {"15m", 900'000},
                                                       {"2h30m", 9'000'000},
                                                       {"1h", 3'600'000},
                                                       {"1.5s", 1500},
                                                       {"1d", 86'400'000},
                                                       {"1d2h3m4s5ms", 93'784'005},
                                                       {"876000h", 3'153'600'000'000}};
  for (auto [text, value] : good) {
    CAPTURE(text);
    auto reading = read_duration(text);
    CHECK(reading.problem == "");
    REQUIRE(reading.value.has_value());
    CHECK(reading.value->count() == value);
  }
  const std::string must = "must be a time such as 90s, 15m or 2h30m, found ";
  const std::pair<const char*, std::string> bad[] = {{"90", must + "90; add a unit, as in 90s"},
                                                     {"0", must + "0; add a unit, as in 0s"},
                                                     {"1.5", must + "1.5; add a unit, as in 1.5s"},
                                                     {"", must + "nothing"},
                                                     {"-1s", "must not be negative, found -1s"},
                                                     {"1x", must + "1x"},
                                                     {"1h30", must + "1h30"},
                                                     {"30m2h", must + "30m2h"},
                                                     {"1s1s", must + "1s1s"},
                                                     {"1 h", must + "1 h"},
                                                     {"h", must + "h"},
                                                     {"soon", must + "soon"},
                                                     {"0.0001s", must + "0.0001s; it is read in milliseconds"},
                                                     {"876001h", "is too long a time: 876001h"},
                                                     {"9999999999999999d", "is too long a time: 9999999999999999d"}};
  for (const auto& [text, problem] : bad) {
    CAPTURE(text);
    auto reading = read_duration(text);
    CHECK_FALSE(reading.value.has_value());
    CHECK(reading.problem == problem);
  }
}

TEST_CASE("ranges of durations") {
  auto range = read_duration_range("1s..30s");
  REQUIRE(range.value.has_value());
  CHECK(range.value->min.count() == 1000);
  CHECK(range.value->max.count() == 30000);
  CHECK(read_duration_range("5s").value->max.count() == 5000);
  CHECK(read_duration_range("0s..0s").value->max.count() == 0);
  CHECK(read_duration_range("30s..1s").problem == "must begin with the shorter time, found 30s..1s");
  for (const char* text : {"1..30", "1s..", "..1s", "1s...2s", "..", "1s..2s..3s"}) {
    CAPTURE(text);
    CHECK(read_duration_range(text).problem == std::string("must be two times such as 1s..30s, found ") + text);
  }
  CHECK(read_duration_range("5").problem.find("add a unit") != std::string::npos);
}

TEST_CASE("sizes and durations are written as they are read") {
  for (const char* text : {"0", "1", "1000", "64Mi", "10Gi", "1Ki", "1Ei", "1500"}) {
    CHECK(size_text(*read_size(text).value) == text);
  }
  for (const char* text : {"0s", "250ms", "1s", "1s500ms", "2h30m", "24h", "1m"}) {
    CHECK(duration_text(*read_duration(text).value) == text);
  }
}
