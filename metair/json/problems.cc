// SPDX-License-Identifier: Apache-2.0
#include "metair/json/problems.h"

#include <fmt/format.h>

namespace metadist {

void JsonProblems::Add(const std::string& where, std::string message, std::string hint) {
  if (full()) {
    ++more_;
    return;
  }
  Error error = BadInput(where, std::move(message), std::move(hint));
  errors_.push_back(file_.empty() ? std::move(error) : std::move(error).in(file_));
}

void JsonProblems::HintAtLast(const std::string& hint) {
  if (!errors_.empty() && errors_.back().hint.empty()) errors_.back().hint = hint;
}

Result<void> JsonProblems::Check() && {
  if (errors_.empty()) return {};
  if (more_ > 0) errors_.push_back(BadInput(file_, fmt::format("{} more problems", more_)));
  return Join(std::move(errors_));
}

}  // namespace metadist
