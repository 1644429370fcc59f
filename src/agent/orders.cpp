#include "agent/orders.hpp"

#include "wire/message.hpp"

namespace fiber::agent {

base::Bytes Start::encode() const {
  wire::Writer out;
  out.text(name).texts(argv).texts(env).text(dir).text(scratch);
  out.number(static_cast<std::uint64_t>(stdio)).number(console ? 1 : 0);
  out.number(static_cast<std::uint64_t>(framing)).number(static_cast<std::uint64_t>(reply));
  out.number(static_cast<std::uint64_t>(envelope)).number(max_record);
  return out.done();
}

Start Start::decode(std::string_view bytes) {
  wire::Reader in(bytes);
  Start start;
  start.name = in.text();
  start.argv = in.texts();
  start.env = in.texts();
  start.dir = in.text();
  start.scratch = in.text();
  start.stdio = static_cast<Stdio>(in.number());
  start.console = in.number() != 0;
  start.framing = static_cast<channel::Framing>(in.number());
  start.reply = static_cast<channel::Reply>(in.number());
  start.envelope = static_cast<channel::Envelope>(in.number());
  start.max_record = in.number();
  return start;
}

base::Bytes Gone::encode() const {
  wire::Writer out;
  out.number(static_cast<std::uint64_t>(status.code)).number(static_cast<std::uint64_t>(status.signal));
  out.number(static_cast<std::uint64_t>(cannot_run)).text(message).number(taken).number(closed_output ? 1 : 0);
  return out.done();
}

Gone Gone::decode(std::string_view bytes) {
  wire::Reader in(bytes);
  Gone gone;
  gone.status.code = static_cast<int>(in.number());
  gone.status.signal = static_cast<int>(in.number());
  gone.cannot_run = static_cast<int>(in.number());
  gone.message = in.text();
  gone.taken = in.number();
  gone.closed_output = in.number() != 0;
  return gone;
}

}  // namespace fiber::agent
