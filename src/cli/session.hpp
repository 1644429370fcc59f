#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/stdio.hpp"
#include "head/reporter.hpp"
#include "plan/plan.hpp"
#include "plan/run_dir.hpp"

namespace fiber::cli {

/// One call of the program: what surrounds it, and how it speaks.
class Session {
 public:
  explicit Session(Variables environment);

  const Variables& variables() const { return variables_; }
  void set_style(const head::Style& style) { style_ = style; }
  /// Writes to stdout.
  void print(std::string_view text) const { cli::print(text, stdio_); }
  /// Writes help to stderr because nothing else can be done; returns the exit code.
  int usage(const std::string& help) const;
  /// Runs a plan; returns the exit code of the run.
  int carry_out(const plan::Plan& plan);
  /// Tells of an error; returns its code, with which the program ends.
  int failed(const std::string& message, int code);

 private:
  Variables variables_;
  Stdio stdio_;
  head::Style style_;
  std::optional<plan::RunDirectory> directory_;
  std::optional<head::Reporter> reporter_;
};

}  // namespace fiber::cli
