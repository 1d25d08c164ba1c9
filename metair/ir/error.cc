// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/error.h"

#include "metair/ir/check.h"

namespace metadist {

Error Error::in(const std::string& outer) && {
  where = where.empty() ? outer : outer + ": " + where;
  for (Error& other : also) other = std::move(other).in(outer);
  return std::move(*this);
}

std::string Error::text() const {
  std::string out = where.empty() ? message : where + ": " + message;
  if (!hint.empty()) out += "\n  hint: " + hint;
  for (const Error& other : also) out += "\n" + other.text();
  return out;
}

Failure::Failure(Error error) : error_(new Error(std::move(error))) {}

Failure::Failure(const Failure& other) : error_(new Error(*other.error_)) {}

void Failure::Free() { delete error_; }

Error Internal(std::string message) {
  return {ErrorCode::kInternal, "", std::move(message), "", {}};
}

Error Usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, "", std::move(message), std::move(hint), {}};
}

Error OutOfMemory() { return {ErrorCode::kDevice, "", "out of memory", "", {}}; }

Error BadInput(std::string where, std::string message, std::string hint) {
  return {ErrorCode::kBadInput, std::move(where), std::move(message), std::move(hint), {}};
}

void AddProblem(std::vector<Error>& problems, Error error) {
  std::vector<Error> also = std::move(error.also);
  error.also.clear();
  problems.push_back(std::move(error));
  for (Error& other : also) AddProblem(problems, std::move(other));
}

Error Join(std::vector<Error> problems) {
  CHECK(!problems.empty(), "Join needs at least one problem");
  Error first = std::move(problems.front());
  for (size_t i = 1; i < problems.size(); ++i) first.also.push_back(std::move(problems[i]));
  return first;
}

}  // namespace metadist
