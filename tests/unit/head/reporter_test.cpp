#include "head/reporter.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "base/fd.hpp"
#include "head/escape.hpp"

using namespace fiber;
using head::Reporter;
using head::Style;

namespace {

/// A pipe in place of stderr; what was written is read without waiting.
struct Screen {
  base::Fd read, write;
  Screen() {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    read = base::Fd(ends[0]);
    write = base::Fd(ends[1]);
    fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
  }
  std::string text() const {
    std::string all;
    char part[4096];
    for (ssize_t n; (n = ::read(read.get(), part, sizeof part)) > 0;) all.append(part, static_cast<std::size_t>(n));
    return all;
  }
};

std::string shown(const Style& style, const std::vector<std::string>& parts, bool end = true) {
  const Screen screen;
  Reporter reporter(style, nullptr, 9, screen.write.get());
  for (const std::string& part : parts) reporter.output("workers.3", 3, part);
  if (end) reporter.output_ended("workers.3", 3);
  return screen.text();
}

/// The line without the time, which must be there.
std::string timeless(std::string line) {
  const std::string lead = "{\"v\":1,\"time\":\"";
  REQUIRE(line.starts_with(lead));
  const std::string time = line.substr(lead.size(), 24);
  for (std::size_t i = 0; i < time.size(); ++i) {
    const char form = "0000-00-00T00:00:00.000Z"[i];
    CHECK((form == '0' ? time[i] >= '0' && time[i] <= '9' : time[i] == form));
  }
  return line.substr(lead.size() + 24 + 2);
}

}  // namespace

TEST_CASE("member output is shown in whole lines behind the member's name") {
  CHECK(shown({}, {"one\ntw", "o\n\nthree"}, false) == " workers.3 │ one\n workers.3 │ two\n workers.3 │ \n");
  CHECK(shown({}, {"one\nlast"}) == " workers.3 │ one\n workers.3 │ last\n");
  const Screen screen;
  Reporter reporter({}, nullptr, 9, screen.write.get());
  reporter.output("m.0", 0, "x\n");
  CHECK(screen.text() == " m.0       │ x\n");
}

TEST_CASE("colour is on the name alone") {
  Style style;
  style.color = true;
  CHECK(shown(style, {"x\n"}) == "\x1b[35m workers.3 │\x1b[0m x\n");
}

TEST_CASE("of a line with carriage returns the last part is shown, however it is cut in pieces") {
  const std::string line = " workers.3 │ 99%\n";
  CHECK(shown({}, {"1%\r50%\r99%\n"}) == line);
  CHECK(shown({}, {"1%\r50%\r", "99%\r", "\n"}) == line);
  CHECK(shown({}, {"1%", "\r", "9", "9%\r\r\n"}) == line);
  CHECK(shown({}, {"1%\r", "\r99%"}) == line);
  CHECK(shown({}, {"99%\r\n"}) == line);
  CHECK(shown({}, {std::string(20000, 'x') + "\r99%\n"}) == line);
}

TEST_CASE("what would act on a terminal becomes visible") {
  CHECK(shown({}, {"a\x1b]0;t\a\tb\x7f\n"}) == " workers.3 │ a^[]0;t^G\tb^?\n");
  CHECK(shown({}, {"\xC2\x9B"
                   "31m \xE2\x80\xAE x\n"}) == " workers.3 │ <U+009B>31m <U+202E> x\n");
  CHECK(shown({}, {"\xFF\xC0\x80 é \xE2\x82\n"}) == " workers.3 │ \uFFFD\uFFFD\uFFFD é \uFFFD\uFFFD\n");
  CHECK(head::visible(std::string_view("\0\n", 2)) == "^@^J");
}

TEST_CASE("a long line is cut and marked, and costs no more memory") {
  const std::string out = shown({}, {std::string(5000, 'a'), std::string(9 << 20, 'a'), "tail\nnext\n"});
  CHECK(out.size() < 9000);
  CHECK(out.find("a … [cut]\n workers.3 │ next\n") != std::string::npos);
  std::string wide;
  for (int i = 0; i < 5000; ++i) wide += "é";
  CHECK(shown({}, {wide + "\n"}).find("\uFFFD") == std::string::npos);
  CHECK(shown({}, {std::string(8192, 'b') + "\n"}).find("[cut]") == std::string::npos);
}

TEST_CASE("raw writes whole lines as they are, none writes nothing") {
  Style style;
  style.logs = head::Logs::raw;
  CHECK(shown(style, {"a\x1b[1m\r", "b\nc"}, false) == "a\x1b[1m\rb\n");
  CHECK(shown(style, {"a\nb"}) == "a\nb");
  CHECK(shown(style, {std::string(100000, 'x')}, false).size() == 100000);
  style.logs = head::Logs::none;
  CHECK(shown(style, {"a\n"}) == "");
}

TEST_CASE("group shows a member's output when it has ended") {
  const Screen screen;
  Style style;
  style.logs = head::Logs::group;
  Reporter reporter(style, nullptr, 3, screen.write.get());
  reporter.output("a.0", 0, "1\n");
  reporter.output("b.0", 1, "2\n");
  reporter.output("a.0", 0, "3\n4");
  CHECK(screen.text() == "");
  reporter.output_ended("a.0", 0);
  CHECK(screen.text() == " a.0 │ 1\n a.0 │ 3\n a.0 │ 4\n");
  std::string much;
  while (much.size() < 1 << 20) much += std::string(1000, 'x') + "\n";
  reporter.output("b.0", 1, much);
  CHECK(screen.text().size() > 500000);
}

TEST_CASE("notices, details, errors and the summary in text") {
  const auto all = [](Style style) {
    const Screen screen;
    Reporter reporter(style, nullptr, 0, screen.write.get());
    reporter.event("start");
    reporter.notice("n");
    reporter.detail("d");
    reporter.summary("s");
    reporter.error("e\x1b\nf\n  hint");
    return screen.text();
  };
  Style style;
  CHECK(all(style) == "fiber: n\nfiber: s\nfiber: e^[\nfiber: f\n  hint\n");
  style.verbose = true;
  CHECK(all(style).find("fiber: d\n") != std::string::npos);
  style = {};
  style.quiet = true;
  CHECK(all(style) == "fiber: e^[\nfiber: f\n  hint\n");
}

TEST_CASE("JSON: one event a line, with version and time") {
  const Screen screen;
  Style style;
  style.json = true;
  Reporter reporter(style, nullptr, 0, screen.write.get());
  reporter.event("end", {{"status", std::string("ok")}, {"code", std::int64_t(3)}, {"rate", 0.5}, {"done", true}});
  CHECK(timeless(screen.text()) == "\"event\":\"end\",\"status\":\"ok\",\"code\":3,\"rate\":0.5,\"done\":true}\n");
  reporter.output("w.0", 0,
                  "a\"\\\x1b[1m\t\xFF"
                  "é\nb");
  CHECK(timeless(screen.text()) ==
        "\"event\":\"output\",\"member\":\"w.0\",\"text\":\"a\\\"\\\\\\u001b[1m\\t\uFFFDé\"}\n");
  reporter.output_ended("w.0", 0);
  CHECK(timeless(screen.text()) == "\"event\":\"output\",\"member\":\"w.0\",\"text\":\"b\"}\n");
  reporter.error("x\ny");
  CHECK(timeless(screen.text()) == "\"event\":\"error\",\"text\":\"x\\ny\"}\n");
  reporter.detail("not asked for");
  CHECK(screen.text() == "");
  reporter.output("w.0", 0, std::string(10000, 'x') + "\n");
  CHECK(timeless(screen.text()).ends_with("x\",\"cut\":true}\n"));
}

TEST_CASE("a stderr that cannot be written to is no error") {
  signal(SIGPIPE, SIG_IGN);
  Reporter closed({}, nullptr, 0, -1);
  closed.error("x");
  Screen screen;
  screen.read.reset();
  Reporter broken({}, nullptr, 0, screen.write.get());
  broken.error("x");
  const Screen full;
  Reporter reporter({}, nullptr, 0, full.write.get());
  const std::string lines = [] {
    std::string text;
    while (text.size() < 2 << 20) text += std::string(1000, 'x') + "\n";
    return text;
  }();
  reporter.output("w.0", 0, lines);  // nobody reads: given up after a while, and then at once
  for (int i = 0; i < 1000; ++i) reporter.error("x");
  CHECK(full.text().size() > 100000);
}
