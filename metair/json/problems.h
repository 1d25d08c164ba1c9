// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/result.h"

namespace metadist {

// Collects the problems of a file. After kLimit problems, further ones are only counted.
class JsonProblems {
 public:
  explicit JsonProblems(std::string file) : file_(std::move(file)) {}

  // where: the location in the file, such as `nodes[3].cost`; empty for the whole file.
  void Add(const std::string& where, std::string message, std::string hint = "");
  // Adds a hint to the last problem added, if it has none.
  void HintAtLast(const std::string& hint);
  // The number of problems, including those only counted.
  size_t count() const { return errors_.size() + more_; }
  // Whether further problems are only counted.
  bool full() const { return errors_.size() >= kLimit; }
  // All problems as one error (kBadInput), if there are any.
  Result<void> Check() &&;

 private:
  static constexpr size_t kLimit = 20;
  std::string file_;
  std::vector<Error> errors_;
  size_t more_ = 0;
};

}  // namespace metadist
