// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "metair/ir/error.h"

namespace metadist {

// The problems of a model, collected over all steps of an import, so that one run reports all
// problems of a file.
struct Faults {
  std::vector<Error> problems;
  // Values of the main graph that a problem makes invalid. Nodes that read them are left out of
  // later steps, because they would be refused for the same reason.
  std::set<std::string> values;

  void Add(std::string where, std::string message, std::string hint = "") {
    problems.push_back(BadInput(std::move(where), std::move(message), std::move(hint)));
  }
  // Adds an error, or separately all problems joined in it.
  void Add(Error error) { AddProblem(problems, std::move(error)); }
  bool bad_input() const;
};

// All problems in the order found, but those that the user can fix by a flag last: at most 100,
// then the number of those omitted. Control bytes are escaped, long texts truncated. There must be
// a problem.
Error Report(std::vector<Error> problems);

// The message of an exception of the ONNX library: its first line, without the place in the
// library's sources.
std::string LibraryText(const std::exception& error);

}  // namespace metadist
