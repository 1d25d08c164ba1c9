// SPDX-License-Identifier: Apache-2.0
#include "cli/rule_files.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "metair/ir/text_file.h"

namespace metadist::cli {

void AddRulesFlag(CLI::App& command, std::string& path) {
  command.add_option("--rules", path, "reuse saved rules (written by `metadist rules -o`)")
      ->type_name("FILE");
}

Result<void> LearnRules(const Session& session, const std::string& path, RuleBook& book) {
  if (path.empty()) return {};
  const std::string text = TRY(ReadText(path, "`metadist rules MODEL -o FILE` writes one"));
  book.Learn(TRY(ReadRules(text, path)));
  if (book.stale() > 0)
    session.console.Warn(
        fmt::format("{}: {} of its rules are for other kernels or another version of metadist; "
                    "discovered again",
                    path,
                    book.stale()));
  return {};
}

void WarnOfMisfits(const Session& session, const std::string& path, const RuleBook& book) {
  if (book.misfits() > 0)
    session.console.Warn(fmt::format(
        "{}: {} of its rules do not match their calls; discovered again", path, book.misfits()));
}

}  // namespace metadist::cli
