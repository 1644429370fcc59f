#pragma once
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/spec.hpp"

namespace fiber::plan {

/// A request for a spec named train.yaml in /tmp, with a small environment.
inline LoadRequest request_of(const std::string& text) {
  LoadRequest request;
  request.spec = Document{"train.yaml", text};
  request.directory = "/tmp";
  request.variables = {{"N", "3"}, {"HOME", "/root"}, {"TOKEN", "t %{x}"}, {"EMPTY", ""}, {"BOOL", "true"}};
  request.cores = 6;
  return request;
}

/// What load() says, or nothing where it succeeds.
inline std::string refusal(const LoadRequest& request) {
  try {
    load(request);
  } catch (const Error& error) {
    return error.code() == kExitFiber ? error.what() : "wrong code";
  }
  return "";
}

inline std::string refusal(const std::string& text) { return refusal(request_of(text)); }

inline LoadRequest with(LoadRequest request, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    auto equals = setting.find('=');
    std::string path = setting.substr(0, equals);
    request.overrides.push_back({path, setting.substr(equals + 1), "--set " + path});
  }
  return request;
}

}  // namespace fiber::plan
