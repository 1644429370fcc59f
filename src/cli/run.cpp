#include <unistd.h>

#include "base/error.hpp"
#include "cli/help.hpp"
#include "cli/request.hpp"
#include "cli/verbs.hpp"

namespace fiber::cli {

/// fiber run [SPEC] [-- ARG...]
int run(const Arguments& arguments, Session& session) {
  const Parsed parsed = parse(kRun, arguments, session.variables());
  if (parsed.on("--help")) {
    session.print(verb_help(kRun));
    return kExitOk;
  }
  session.set_style(style_of(parsed, session.variables(), isatty(STDERR_FILENO)));
  const plan::Plan decided = plan::load(request_for_spec(parsed, session.variables()));
  if (!parsed.on("--dry-run")) return session.carry_out(decided);
  session.print(plan::to_text(decided));
  return kExitOk;
}

}  // namespace fiber::cli
