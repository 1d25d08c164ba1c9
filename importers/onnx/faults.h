// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "metair/ir/error.h"

namespace metadist {

// What is wrong with a model, collected over all steps of an import, so that one run reports every
// problem of a file.
struct Faults {
  std::vector<Error> problems;
  // Values of the main graph that a problem makes meaningless. What reads them is left out of later
  // steps: it would be refused for the same reason.
  std::set<std::string> values;

  void Add(std::string where, std::string message, std::string hint = "") {
    problems.push_back(BadInput(std::move(where), std::move(message), std::move(hint)));
  }
  // Takes the problems of an error apart: itself and those it carries.
  void Add(Error error);
  bool bad_input() const;
};

// All problems in the order found, but what the user can mend by a flag last: at most 100, then how
// many are left out. Bytes that would disturb a terminal are escaped, long texts cut.
// There must be a problem.
Error Report(std::vector<Error> problems);

// What an exception of the ONNX library says: the first line, without the place in its sources.
std::string LibraryText(const std::exception& error);

}  // namespace metadist
