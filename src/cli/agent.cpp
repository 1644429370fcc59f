#include "agent/run.hpp"

#include "base/error.hpp"
#include "cli/verbs.hpp"

namespace fiber::cli {

/// fiber agent ENDPOINT: started by backends, not by people.
int agent(const Arguments& arguments, Session&) {
  if (arguments.size() != 1 || arguments.front().starts_with('-')) throw Error("fiber agent needs one endpoint");
  return fiber::agent::run(arguments.front());
}

}  // namespace fiber::cli
