#include "plan/spec.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/yaml.hpp"
#include "plan/build.hpp"
#include "plan/check.hpp"
#include "plan/interpolate.hpp"
#include "plan/layers.hpp"
#include "plan/mistakes.hpp"

namespace fiber::plan {
namespace {

using base::Yaml;

static_assert(kMaxSpecBytes == base::kYamlMaxBytes);

/// A file as a map of keys; empty where it is none.
Yaml read(const Document& document, unsigned source, bool may_be_empty, Mistakes& mistakes) {
  auto yaml = base::parse_yaml(document.text, source);
  for (auto& mistake : yaml.mistakes) mistakes.add(mistake.at, std::move(mistake.message));
  base::Position begin{source, 1, 1};
  if (yaml.root.is_map()) {
    yaml.root.at = begin;
    return std::move(yaml.root);
  }
  bool silent = may_be_empty && yaml.root.is_null();
  if (yaml.mistakes.empty() && !silent) {
    bool nothing = yaml.empty || yaml.root.is_null();
    mistakes.add(nothing ? begin : yaml.root.at,
                 nothing ? "the file is empty: expected the keys of a job spec"
                         : fmt::format("expected a map of keys, found {}", yaml.root.is_list() ? "a list" : "text"));
  }
  return Yaml::map(begin);
}

void check_environment(const LoadRequest& request, unsigned source, Mistakes& mistakes) {
  for (const auto& [name, value] : request.env) {
    mistakes.option(source, "-e " + base::printable(name));
    if (name.empty() || name.find('=') != std::string::npos) {
      mistakes.add({source, 0, 0}, "not the name of a variable");
    } else if (!value && !request.variables.count(name)) {
      mistakes.add({source, 0, 0}, fmt::format("{} is not set", base::printable(name)));
    }
    ++source;
  }
}

}  // namespace

Plan load(const LoadRequest& request) {
  Mistakes mistakes;
  mistakes.option(kSpec, "fiber");
  Yaml root = Yaml::map({kSpec, 0, 0});
  if (request.spec) {
    mistakes.file(kSpec, request.spec->file);
    root = read(*request.spec, kSpec, false, mistakes);
  }
  Yaml config = Yaml::map({});
  if (request.config) {
    mistakes.file(kConfig, request.config->file);
    config = read(*request.config, kConfig, true, mistakes);
  }
  bool unreadable = mistakes.any();
  write_out(root);
  write_out(config);
  if (!request.command.empty() && !root.find("workers")) {
    root.entries.push_back({"workers", root.at, Yaml::map(root.at)});
  }
  unsigned source = kFirstOverride;
  for (const Override& value : request.overrides) {
    mistakes.option(source, value.origin);
    lay_over(root, value, source++, mistakes);
  }
  fill(root, config);
  Interpolator interpolator(request.variables, mistakes);
  check(root, interpolator, mistakes);
  check_environment(request, source, mistakes);
  if (unreadable && root.entries.empty()) mistakes.throw_if_any();
  Plan plan = build(root, request, mistakes);
  mistakes.throw_if_any();
  return plan;
}

}  // namespace fiber::plan
