#pragma once
#include <deque>
#include <functional>
#include <memory>

#include "base/bytes.hpp"
#include "base/fd.hpp"
#include "base/loop.hpp"

namespace fiber::head {

/// fiber's own stdin, of any kind: file, pipe, terminal, socket, closed. Its blocking mode is left alone.
class Input {
 public:
  struct Events {
    std::function<void(const base::Bytes&)> bytes;
    std::function<void()> ended;
  };
  Input(base::Loop& loop, int fd, Events events);
  /// Reads on, at most `most` bytes before the next call; 0 pauses.
  void want(std::size_t most);

 private:
  void read();
  void again();

  base::Loop& loop_;
  int fd_;
  base::Fd own_;
  Events events_;
  bool pollable_, ended_ = false;
  bool waiting_ = false;  // a read found nothing: wait until it is ready
  std::size_t most_ = 0;
  std::unique_ptr<base::Watch> watch_;
  base::Timer next_;
};

/// fiber's own stdout, of any kind. Never blocks for long; bytes that it does not take wait here.
class Output {
 public:
  struct Events {
    std::function<void()> room;    ///< the backlog has become small
    std::function<void()> broken;  ///< the reader is gone
  };
  static constexpr std::size_t kFull = 1u << 20;

  Output(base::Loop& loop, int fd, Events events);
  void write(const base::Bytes& bytes);
  /// Bytes that wait.
  std::size_t backlog() const { return backlog_; }

 private:
  void flush();
  void lost();

  base::Loop& loop_;
  base::Fd own_;
  int fd_;
  Events events_;
  std::size_t at_once_;
  bool pollable_, socket_, broken_ = false, posted_ = false;
  std::deque<base::Bytes> queue_;
  std::size_t backlog_ = 0;
  std::unique_ptr<base::Watch> writing_, hangup_;
};

}  // namespace fiber::head
