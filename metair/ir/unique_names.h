// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "metair/ir/graph.h"

namespace metadist {

// A set of used names that can generate new ones: a name that is already used gets a number, the
// first from 2 on that makes it unique.
class UniqueNames {
 public:
  // separator: between a name and its number.
  explicit UniqueNames(std::string separator = "_") : separator_(std::move(separator)) {}
  // Starts with the names of all values and nodes.
  explicit UniqueNames(const Graph& graph);

  void Take(const std::string& name) { next_.emplace(name, 2); }
  // `wanted`, with a number appended if it is used already. Marks the result as used.
  std::string Fresh(const std::string& wanted);

 private:
  std::string separator_;
  std::unordered_map<std::string, int> next_;  // by used name: the number to try first
};

}  // namespace metadist
