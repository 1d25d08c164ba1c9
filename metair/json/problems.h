// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/result.h"

namespace metadist {

// Collects what is wrong with a file. After kLimit problems only their number is kept.
class JsonProblems {
 public:
  explicit JsonProblems(std::string file) : file_(std::move(file)) {}

  // where: the place in the file, `nodes[3].cost`; empty for the whole.
  void Add(const std::string& where, std::string message, std::string hint = "");
  // What to do about the one that was added last, where it says nothing itself.
  void HintAtLast(const std::string& hint);
  // How many there are, those counted only among them.
  size_t count() const { return errors_.size() + more_; }
  // Whether further ones are counted only.
  bool full() const { return errors_.size() >= kLimit; }
  // All of them as one error (kBadInput), if there are any.
  Result<void> Check() &&;

 private:
  static constexpr size_t kLimit = 20;
  std::string file_;
  std::vector<Error> errors_;
  size_t more_ = 0;
};

}  // namespace metadist
