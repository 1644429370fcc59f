#include <unistd.h>

#include <exception>

#include "base/error.hpp"
#include "cli/verbs.hpp"

int main(int argc, char** argv) {
  using namespace fiber;
  cli::Variables variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=', 1);
    if (equals != std::string::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  cli::Session session(std::move(variables));
  try {
    return cli::carry_out({argv + (argc > 0), argv + argc}, session);
  } catch (const Error& e) {
    return session.failed(e.what(), e.code());
  } catch (const std::exception& e) {
    return session.failed(e.what(), kExitFiber);
  }
}
