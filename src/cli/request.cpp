#include "cli/request.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "base/fd.hpp"
#include "base/home.hpp"
#include "plan/keys.hpp"

namespace fiber::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kDefaultSpec = "fiber.yaml";

using Env = std::map<std::string, std::optional<std::string>>;

std::string current_folder() {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) throw Error("the current folder cannot be found: " + error.message());
  return here.string();
}

/// What may have been meant by the name of a spec that is not there.
std::string other_spec(const std::string& spec) {
  const fs::path path(spec);
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path kind = at->path().extension();
    if (kind == ".yaml" || kind == ".yml") names.push_back(at->path().filename().string());
  }
  const std::string name = path.filename().string();
  const std::string near(plan::nearest(name, {names.begin(), names.end()}));
  return near.empty() ? "" : ", did you mean " + (path.parent_path() / near).string() + "?";
}

/// The folder a spec lies in; the current one if it comes through a pipe.
std::string folder_of(const std::string& spec) {
  struct stat info {};
  std::string here = current_folder();
  if (stat(spec.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return here;
  return (fs::path(here) / spec).lexically_normal().parent_path().string();
}

void add_env(Env& env, const std::string& text, const std::string& origin) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (name.empty()) throw Error(origin + ": expected NAME or NAME=VALUE, found \"" + text + "\"");
  if (equals == std::string::npos) {
    env[name] = std::nullopt;
  } else {
    env[name] = text.substr(equals + 1);
  }
}

/// --set PATH=VALUE
plan::Override setting(const Given& given) {
  const std::size_t equals = given.value.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error("--set: expected PATH=VALUE, found \"" + given.value + "\"");
  }
  const std::string path = given.value.substr(0, equals);
  return {path, given.value.substr(equals + 1), "--set " + path, false};
}

std::optional<plan::Document> read_config() {
  const fs::path file = base::xdg_folder("XDG_CONFIG_HOME", ".config") / "fiber" / "config.yaml";
  struct stat info {};
  if (stat(file.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  return read_document(file.string());
}

plan::LoadRequest request(const Parsed& parsed, const Variables& variables) {
  plan::LoadRequest request;
  request.variables = variables;
  request.config = read_config();
  Env typed;
  for (const Given& given : parsed.given) {
    const std::string name = given.option->name();
    if (name == "--env") add_env(typed, given.value, name);
    if (name == "--set") request.overrides.push_back(setting(given));
    if (name == "--env-file") {
      for (const auto& [key, value] : parse_env_file(read_document(given.value))) request.env[key] = value;
    }
    for (std::string_view keys = given.option->keys; !keys.empty();) {
      const std::size_t comma = std::min(keys.find(','), keys.size());
      const bool lenient = !given.origin.starts_with('-');
      request.overrides.push_back({std::string(keys.substr(0, comma)), given.value, given.origin, lenient});
      keys.remove_prefix(std::min(comma + 1, keys.size()));
    }
  }
  for (const auto& [key, value] : typed) request.env[key] = value;
  return request;
}

std::string_view trim_left(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

std::string one_of(const Given& given, std::initializer_list<const char*> words) {
  std::string list;
  for (const char* word : words) {
    if (given.value == word) return given.value;
    list += (list.empty() ? "" : word == *(words.end() - 1) ? " or " : ", ") + std::string(word);
  }
  throw Error(given.origin + " must be " + list + ", found \"" + given.value + "\"");
}

bool wants_color(const std::string& when, const Variables& variables, bool terminal) {
  const auto value = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
  if (when != "auto") return when == "always";
  if (!value("NO_COLOR").empty()) return false;
  if (const std::string force = value("CLICOLOR_FORCE"); !force.empty() && force != "0") return true;
  return terminal && value("TERM") != "dumb" && !value("TERM").empty();
}

}  // namespace

plan::Document read_document(const std::string& path, const std::string& hint) {
  const auto refuse = [&](const std::string& why) { throw Error(path + ": " + why); };
  const base::Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd && errno == ENOENT) refuse("no such file" + hint);
  if (!fd && errno == EACCES) refuse("permission denied");
  if (!fd) refuse(std::string("cannot be opened: ") + std::strerror(errno));
  struct stat info {};
  if (fstat(fd.get(), &info) == 0 && S_ISDIR(info.st_mode)) refuse("is a folder, not a file");
  plan::Document document{path, {}};
  char part[64 << 10];
  for (;;) {
    const ssize_t n = read(fd.get(), part, sizeof part);
    if (n == 0) return document;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(std::string("cannot be read: ") + std::strerror(errno));
    document.text.append(part, static_cast<std::size_t>(n));
    if (document.text.size() > plan::kMaxSpecBytes) refuse("is larger than 1 MiB");
  }
}

Env parse_env_file(const plan::Document& file) {
  Env env;
  std::string_view rest = file.text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = trim_left(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const std::string place = file.file + ":" + std::to_string(number);
    if (line.starts_with("export ")) line = trim_left(line.substr(7));
    if (line.find('\0') != std::string_view::npos) throw Error(place + ": a zero byte cannot be part of a variable");
    if (line.substr(0, line.find('=')).find_first_of(" \t") != std::string_view::npos) {
      throw Error(place + ": a variable's name cannot have blanks in it, found \"" + std::string(line) + "\"");
    }
    add_env(env, std::string(line), place);
  }
  return env;
}

plan::LoadRequest request_for_spec(const Parsed& parsed, const Variables& variables) {
  if (parsed.words.size() > 1) {
    throw Error("unexpected argument " + parsed.words[1] + "; arguments of the program go behind --");
  }
  const std::string spec = parsed.words.empty() ? kDefaultSpec : parsed.words.front();
  if (spec == "-") throw Error("a spec cannot be read from stdin; name a file");
  plan::LoadRequest made = request(parsed, variables);
  const bool there = access(spec.c_str(), F_OK) == 0;
  std::string hint;
  if (!there) hint = parsed.words.empty() ? "; name the spec to run: fiber run SPEC" : other_spec(spec);
  made.spec = read_document(spec, hint);
  made.directory = folder_of(spec);
  made.args = parsed.command;
  return made;
}

plan::LoadRequest request_for_command(const Parsed& parsed, const Variables& variables) {
  if (parsed.command.empty()) {
    throw Error("no command is given; as in: seq 9 | fiber map -n 2 -- sed s/^/x/ (see fiber map --help)");
  }
  plan::LoadRequest made = request(parsed, variables);
  if (const Given* order = parsed.last("--order")) {  // its key is the channel's own, so the channel is written out
    made.overrides.push_back({"channels.tasks.type", "pool", order->origin, false});
  }
  made.command = parsed.command;
  made.directory = current_folder();
  return made;
}

head::Style style_of(const Parsed& parsed, const Variables& variables, bool terminal) {
  head::Style style;
  const Given* quiet = parsed.last("--quiet");
  const Given* verbose = parsed.last("--verbose");
  if (quiet && verbose) {  // a flag wins over a variable
    const bool both = quiet->origin.front() == verbose->origin.front();
    if (both) throw Error(quiet->origin + " and " + verbose->origin + " exclude each other");
    (quiet->origin.front() == '-' ? verbose : quiet) = nullptr;
  }
  style.quiet = quiet != nullptr;
  style.verbose = verbose != nullptr;
  style.json = parsed.on("--json");
  if (const Given* logs = parsed.last("--logs")) {
    const std::string how = one_of(*logs, {"prefix", "group", "raw", "none"});
    style.logs = how == "prefix"  ? head::Logs::prefix
                 : how == "group" ? head::Logs::group
                 : how == "raw"   ? head::Logs::raw
                                  : head::Logs::none;
  }
  const Given* color = parsed.last("--color");
  style.color = wants_color(color ? one_of(*color, {"auto", "always", "never"}) : "auto", variables, terminal);
  return style;
}

}  // namespace fiber::cli
