#include <unistd.h>

#include "base/error.hpp"
#include "cli/help.hpp"
#include "cli/request.hpp"
#include "cli/verbs.hpp"

namespace fiber::cli {

/// fiber map [--] COMMAND [ARG...]
int map(const Arguments& arguments, Session& session) {
  const Parsed parsed = parse(kMap, arguments, session.variables());
  if (parsed.on("--help")) {
    session.print(verb_help(kMap));
    return kExitOk;
  }
  session.set_style(style_of(parsed, session.variables(), isatty(STDERR_FILENO)));
  const plan::Plan decided = plan::load(request_for_command(parsed, session.variables()));
  if (!parsed.on("--dry-run")) return session.carry_out(decided);
  session.print(plan::to_text(decided));
  return kExitOk;
}

}  // namespace fiber::cli
