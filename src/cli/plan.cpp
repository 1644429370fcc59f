#include "plan/plan.hpp"

#include "base/error.hpp"
#include "cli/help.hpp"
#include "cli/request.hpp"
#include "cli/verbs.hpp"

namespace fiber::cli {

/// fiber plan [SPEC] [-- ARG...]
int plan(const Arguments& arguments, Session& session) {
  const Parsed parsed = parse(kPlan, arguments, session.variables());
  if (parsed.on("--help")) {
    session.print(verb_help(kPlan));
  } else {
    session.print(fiber::plan::to_text(fiber::plan::load(request_for_spec(parsed, session.variables()))));
  }
  return kExitOk;
}

}  // namespace fiber::cli
