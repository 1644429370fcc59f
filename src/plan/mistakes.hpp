#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/yaml.hpp"

namespace fiber::plan {

/// Collects what is wrong with a spec, so that all of it is said in one go.
class Mistakes {
 public:
  /// Names a source of positions: a file, whose mistakes carry line and column, or an option, whose do not.
  void file(unsigned source, std::string name);
  void option(unsigned source, std::string name);

  void add(base::Position at, std::string message);
  bool any() const { return !all_.empty(); }
  /// How many there are, to see whether a step found some.
  std::size_t count() const { return all_.size(); }

  /// Throws fiber::Error with one line for each, in order of position; only the first 50 are printed.
  void throw_if_any() const;

 private:
  struct Source {
    std::string name;
    bool lines = false;
  };
  std::string place(base::Position at) const;

  std::map<unsigned, Source> sources_;
  std::vector<base::YamlMistake> all_;
};

}  // namespace fiber::plan
