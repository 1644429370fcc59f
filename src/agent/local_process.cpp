#include "agent/local_process.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <optional>

#include "agent/console.hpp"
#include "agent/pipe_writer.hpp"
#include "agent/reading.hpp"

namespace fiber::agent {

namespace {

constexpr std::size_t kRead = 64u << 10;
constexpr std::size_t kLastWords = 4u << 20;  // read at most so much that was written before the end

/// One pipe from the program to us.
struct Output {
  base::Fd fd;
  std::unique_ptr<base::Watch> watch;
  void (ProcessEvents::*tell)(const base::Bytes&) = nullptr;
};

base::Bytes read_chunk(int fd, bool* ended) {
  auto buffer = std::make_shared_for_overwrite<char[]>(kRead);
  auto got = base::read_some(fd, buffer.get(), kRead);
  *ended = got && *got == 0;
  if (!got || *got == 0) return {};
  if (*got < kRead / 4) return base::Bytes(std::string(buffer.get(), *got));
  const char* start = buffer.get();
  return {std::move(buffer), std::string_view(start, *got)};
}

}  // namespace

class LocalProcess final : public Process {
 public:
  LocalProcess(base::Loop& loop, ProcessEvents& events) : loop_(loop), events_(events) {}
  ~LocalProcess() override {
    if (!exited_ && pid_ > 0) kill(SIGKILL);
    std::error_code ignored;
    if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
  }

  void start(const Start& start, base::Reaper& reaper);

  pid_t pid() const override { return pid_; }
  std::size_t write(std::string_view bytes) override;
  std::size_t unread() const override { return in_ ? base::unread_bytes(in_.get()) : 0; }
  std::size_t drain() override { return in_ ? base::drain_pipe(in_.get()).size() : 0; }
  void close_input() override;
  void pause(bool paused) override;
  void pause_result(bool paused) override;
  void kill(int signal) override { ::kill(-pid_, signal); }
  bool asking() const override {
    // In this order: what it wrote before it went to read is in the pipe, or was seen before this call.
    return in_ && reads_empty_stdin(pid_) && (!out_.fd || base::unread_bytes(out_.fd.get()) == 0);
  }
  std::size_t write_console(std::string_view bytes) override {
    return console_ ? console_->write(bytes) : bytes.size();
  }
  void close_console() override {
    if (console_) console_->close();
  }

 private:
  void open_console(const Start& start, std::vector<std::string>& env);
  void open_output(Output& output, base::Fd fd, void (ProcessEvents::*tell)(const base::Bytes&));
  void readable(Output& output);
  void read_rest(int fd, void (ProcessEvents::*tell)(const base::Bytes&));
  void read_result();
  void exited(base::ExitStatus status);

  base::Loop& loop_;
  ProcessEvents& events_;
  pid_t pid_ = -1;
  bool exited_ = false;
  bool input_closed_ = false;
  std::string scratch_;
  base::Fd in_;
  std::optional<PipeWriter> writer_;
  Output out_, log_;
  std::unique_ptr<Console> console_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

void LocalProcess::open_console(const Start& start, std::vector<std::string>& env) {
  console_ = std::make_unique<Console>(loop_, start.scratch,
                                       Console::Events{[this] { read_result(); }, [this] { events_.on_input_wanted(); },
                                                       [this] { events_.on_input_writable(); }});
  env.push_back("FIBER_STDIN=" + console_->in_path());
  env.push_back("FIBER_STDOUT=" + console_->out_path());
}

/// The agent's own environment with `over` laid on it.
static std::vector<std::string> merge_environment(const std::vector<std::string>& over) {
  std::map<std::string, std::string, std::less<>> all;
  const auto put = [&all](std::string_view entry) {
    const std::size_t equal = entry.find('=');
    if (equal != std::string_view::npos) all[std::string(entry.substr(0, equal))] = entry;
  };
  for (char** entry = environ; *entry != nullptr; ++entry) put(*entry);
  for (const std::string& entry : over) put(entry);
  all.try_emplace("PYTHONUNBUFFERED", "PYTHONUNBUFFERED=1");
  std::vector<std::string> env;
  env.reserve(all.size());
  for (auto& [name, entry] : all) env.push_back(std::move(entry));
  return env;
}

void LocalProcess::start(const Start& start, base::Reaper& reaper) {
  std::filesystem::remove_all(start.scratch);  // of an earlier life
  if (::mkdir(start.scratch.c_str(), 0700) != 0) base::throw_errno(start.scratch);
  scratch_ = start.scratch;
  std::vector<std::string> over = start.env;
  if (start.console) open_console(start, over);
  base::Launch launch;
  launch.argv = start.argv;
  launch.dir = start.dir;
  launch.env = merge_environment(over);

  base::PipeEnds log = base::make_pipe(true, false);
  base::PipeEnds in, out;
  launch.err = launch.out = log.write.get();
  if (start.stdio != Stdio::none) {
    out = base::make_pipe(true, false);
    launch.out = out.write.get();
  }
  if (start.stdio == Stdio::worker || start.stdio == Stdio::source) {
    in = base::make_pipe(false, true);
    launch.in = in.read.get();
  }
  pid_ = base::launch(launch);
  in_ = std::move(in.write);
  open_output(log_, std::move(log.read), &ProcessEvents::on_log);
  if (start.stdio != Stdio::none) {
    open_output(out_, std::move(out.read),
                start.stdio == Stdio::result ? &ProcessEvents::on_result : &ProcessEvents::on_output);
  }
  reaper.expect(pid_, [this, alive = std::weak_ptr<bool>(alive_)](base::ExitStatus status) {
    if (!alive.expired()) exited(status);
  });
}

void LocalProcess::open_output(Output& output, base::Fd fd, void (ProcessEvents::*tell)(const base::Bytes&)) {
  output.fd = std::move(fd);
  output.tell = tell;
  output.watch = loop_.watch(output.fd.get(), base::Readiness::readable, [this, &output] { readable(output); });
}

void LocalProcess::readable(Output& output) {
  bool ended = false;
  base::Bytes bytes = read_chunk(output.fd.get(), &ended);
  if (ended) {
    output.watch.reset();
    output.fd.reset();
    if (&output == &out_) events_.on_output_closed();
  } else if (!bytes.empty()) {
    (events_.*output.tell)(bytes);
  }
}

void LocalProcess::read_result() {
  bool ended = false;
  base::Bytes bytes = read_chunk(console_->out(), &ended);
  if (!bytes.empty()) events_.on_result(bytes);
}

std::size_t LocalProcess::write(std::string_view bytes) {
  if (!in_ || input_closed_) return 0;
  if (!writer_) writer_.emplace(loop_, in_.get(), [this] { events_.on_writable(); });
  try {
    return writer_->write(bytes);
  } catch (const base::BrokenPipe&) {
    // It has closed its stdin. What it does with its life is seen elsewhere; nothing more can be written,
    // and what is not written was not taken.
    input_closed_ = true;
    return 0;
  }
}

void LocalProcess::close_input() {
  writer_.reset();
  // The number of unread bytes is asked for after the end too, and a write end would keep the reader waiting: hold a
  // read end instead.
  const std::string path = "/proc/self/fd/" + std::to_string(in_.get());
  in_ = base::Fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  input_closed_ = true;
}

void LocalProcess::pause(bool paused) {
  if (out_.watch && out_.tell == &ProcessEvents::on_output) out_.watch->set(!paused);
  if (log_.watch) log_.watch->set(!paused);
}

void LocalProcess::pause_result(bool paused) {
  if (out_.watch && out_.tell == &ProcessEvents::on_result) out_.watch->set(!paused);
  if (console_) console_->pause(paused);
}

/// All that a pipe holds, of what was written before the end.
void LocalProcess::read_rest(int fd, void (ProcessEvents::*tell)(const base::Bytes&)) {
  for (std::size_t total = 0; total < kLastWords;) {
    bool ended = false;
    base::Bytes bytes = read_chunk(fd, &ended);
    if (bytes.empty()) return;
    total += bytes.size();
    (events_.*tell)(bytes);
  }
}

void LocalProcess::exited(base::ExitStatus status) {
  exited_ = true;
  ::kill(-pid_, SIGKILL);  // what it left of its group
  if (out_.fd) read_rest(out_.fd.get(), out_.tell);
  if (log_.fd) read_rest(log_.fd.get(), log_.tell);
  if (console_) read_rest(console_->out(), &ProcessEvents::on_result);
  events_.on_exit(status);  // may destroy this object
}

LocalSpawner::LocalSpawner(base::Loop& loop, base::Reaper& reaper) : loop_(loop), reaper_(reaper) {}

std::unique_ptr<Process> LocalSpawner::spawn(const Start& start, ProcessEvents& events) {
  auto process = std::make_unique<LocalProcess>(loop_, events);
  process->start(start, reaper_);
  return process;
}

}  // namespace fiber::agent
