#include "agent/console.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace fiber::agent {

using namespace std::chrono_literals;

namespace {

base::Fd open_fifo(const std::string& path, int flags) {
  base::Fd fd(::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC));
  if (!fd) base::throw_errno(path);
  return fd;
}

void make_fifo(const std::string& path) {
  if (::mkfifo(path.c_str(), 0600) != 0) base::throw_errno(path);
}

}  // namespace

Console::Console(base::Loop& loop, const std::string& folder, Events events)
    : loop_(loop), events_(std::move(events)), in_path_(folder + "/stdin"), out_path_(folder + "/stdout") {
  make_fifo(in_path_);
  make_fifo(out_path_);
  in_ = open_fifo(in_path_, O_RDWR);
  out_ = open_fifo(out_path_, O_RDONLY);
  keep_out_ = open_fifo(out_path_, O_WRONLY);  // so that no end of file comes between two writers
  reading_ = loop_.watch(out_.get(), base::Readiness::readable, [this] { events_.readable(); });
  notify_ = base::Fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!notify_ || ::inotify_add_watch(notify_.get(), in_path_.c_str(), IN_OPEN) < 0) base::throw_errno("inotify");
  opening_ = loop_.watch(notify_.get(), base::Readiness::readable, [this] { opened(); });
}

void Console::opened() {
  char events[4096];
  while (::read(notify_.get(), events, sizeof events) > 0) {
  }
  if (wanted_) return;
  wanted_ = true;
  opening_->set(false);
  events_.wanted();
}

std::size_t Console::write(std::string_view bytes) {
  if (!in_) return bytes.size();
  if (!writer_) writer_.emplace(loop_, in_.get(), events_.writable);
  return writer_->write(bytes);
}

void Console::close() {
  if (!in_) return;
  if (base::unread_bytes(in_.get()) == 0) return finish();
  // What is unread lives only as long as somebody holds the FIFO: wait until it has been read.
  closing_ = loop_.after(10ms, [this] { close(); });
}

void Console::finish() {
  const std::string empty = in_path_ + ".end";
  base::Fd file(::open(empty.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  if (!file || std::rename(empty.c_str(), in_path_.c_str()) != 0) base::throw_errno(in_path_);
  writer_.reset();
  in_.reset();
}

}  // namespace fiber::agent
