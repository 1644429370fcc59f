#include "plan/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace fiber::plan {
namespace {

using base::Yaml;
using base::YamlEntry;

void write_out_role(Yaml& role) {
  if (!role.is_scalar() && !role.is_list()) return;
  Yaml map = Yaml::map(role.at);
  base::Position at = role.at;
  map.entries.push_back({"run", at, std::move(role)});
  role = std::move(map);
}

bool is_role(const std::string& path) {
  return path == "master" || path == "workers" ||
         (path.rfind("roles.", 0) == 0 && path.find('.', 6) == std::string::npos);
}

bool is_definition(const std::string& path) {
  return is_role(path) || (path.rfind("channels.", 0) == 0 && path.find('.', 9) == std::string::npos);
}

void fill_at(const std::string& path, Yaml& strong, const Yaml& weak) {
  for (const YamlEntry& entry : weak.entries) {
    std::string child = path.empty() ? entry.key : fmt::format("{}.{}", path, entry.key);
    YamlEntry* known = strong.find(entry.key);
    if (known && known->value.is_map() && entry.value.is_map()) {
      fill_at(child, known->value, entry.value);
    } else if (!known && (child == "roles" || child == "channels") && entry.value.is_map()) {
      continue;
    } else if (!known && !is_definition(child)) {
      strong.entries.push_back(entry);
    }
  }
}

/// `{A: 1}`, `[1, 2]` and quoted texts are YAML, all else is a plain text.
Yaml read_value(const Override& value, base::Position at, Mistakes& mistakes) {
  std::string_view text = value.value;
  auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos || text == "~" || text == "null") {
    Yaml nothing;
    nothing.at = at;
    return nothing;
  }
  Yaml scalar = Yaml::scalar(value.value, at);
  bool flow = text[first] == '{' || text[first] == '[';
  if (!flow && text[first] != '"' && text[first] != '\'') return scalar;
  auto document = base::parse_yaml(text, at.source);
  if (document.mistakes.empty()) return std::move(document.root);
  if (!flow) return scalar;
  mistakes.add(at, fmt::format("{} cannot be read: {}", base::printable(value.path), document.mistakes[0].message));
  Yaml nothing;
  nothing.at = at;
  return nothing;
}

}  // namespace

void write_out(Yaml& root) {
  for (const char* name : {"master", "workers"}) {
    if (YamlEntry* role = root.find(name)) write_out_role(role->value);
  }
  YamlEntry* roles = root.find("roles");
  if (!roles || !roles->value.is_map()) return;
  for (YamlEntry& role : roles->value.entries) {
    if (role.key.rfind("x-", 0) != 0) write_out_role(role.value);
  }
}

void fill(Yaml& strong, const Yaml& weak) { fill_at("", strong, weak); }

void lay_over(Yaml& root, const Override& value, unsigned source, Mistakes& mistakes) {
  base::Position at{source, 0, 0};
  std::string dotted = "." + value.path + ".";
  if (dotted.find("..") != std::string::npos) {
    return mistakes.add(at, fmt::format("{} is not the path of a key", base::printable(value.path)));
  }
  std::size_t before = mistakes.count();
  Yaml fresh = read_value(value, at, mistakes);
  if (mistakes.count() != before) return;
  std::string path;
  Yaml* map = &root;
  for (std::string_view rest = value.path;;) {
    auto dot = rest.find('.');
    std::string key(rest.substr(0, dot));
    path += path.empty() ? key : "." + key;
    YamlEntry* entry = map->find(key);
    if (!entry && value.lenient && is_role(path)) return;
    if (!entry) entry = &map->entries.emplace_back(YamlEntry{key, at, {}});
    if (dot == std::string_view::npos) {
      *entry = {key, at, std::move(fresh)};
      break;
    }
    if (!entry->value.is_map()) *entry = {key, at, Yaml::map(at)};
    map = &entry->value;
    rest.remove_prefix(dot + 1);
  }
  if (is_role(path) || path == "roles") write_out(root);
}

}  // namespace fiber::plan
