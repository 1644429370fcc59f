#include "agent/run.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string_view>

#include "agent/agent.hpp"
#include "agent/local_process.hpp"
#include "base/child.hpp"
#include "base/loop.hpp"
#include "plan/claimed_folder.hpp"

namespace fiber::agent {

using namespace std::chrono_literals;

namespace {

/// Removes the run's folder of sockets and scratch files if its owner, the head, is dead.
void clean_up_after_head(const std::string& endpoint) {
  constexpr std::string_view kScheme = "ipc://";
  if (!endpoint.starts_with(kScheme)) return;
  plan::remove_unclaimed(std::filesystem::path(endpoint.substr(kScheme.size())).parent_path());
}

}  // namespace

int run(const std::string& endpoint) {
  base::raise_file_limit();
  base::become_subreaper();
  base::Loop loop;
  base::Reaper reaper(loop);
  LocalSpawner spawner(loop, reaper);
  wire::SocketLink link(loop, base::Socket::connect(loop, endpoint));
  Agent agent(loop, link, spawner);
  // The head holds the other end of our stdin for as long as it wants us.
  auto lifeline = loop.watch(STDIN_FILENO, base::Readiness::readable, [&loop] {
    char byte = 0;
    if (::read(STDIN_FILENO, &byte, 1) == 0) loop.stop();
  });
  auto signals = loop.on_signal({SIGINT, SIGTERM, SIGHUP}, [&loop](int) { loop.stop(); });
  agent.hello();
  loop.run();
  agent.kill_all();
  base::kill_descendants(2s);
  clean_up_after_head(endpoint);
  return 0;
}

}  // namespace fiber::agent
