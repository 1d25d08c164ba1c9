// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "metair/ir/graph.h"

namespace metadist {

// Names that are taken, and how to find others: one that is wanted again gets the first number from
// 2 on that tells it apart.
class UniqueNames {
 public:
  // separator: between a name and its number.
  explicit UniqueNames(std::string separator = "_") : separator_(std::move(separator)) {}
  // Those of all values and nodes are taken.
  explicit UniqueNames(const Graph& graph);

  void Take(const std::string& name) { next_.emplace(name, 2); }
  // `wanted`, with a number if it is taken. It is taken from here on.
  std::string Fresh(const std::string& wanted);

 private:
  std::string separator_;
  std::unordered_map<std::string, int> next_;  // by name that is taken: the number to try first
};

}  // namespace metadist
