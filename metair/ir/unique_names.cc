// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/unique_names.h"

namespace metadist {

UniqueNames::UniqueNames(const Graph& graph) : UniqueNames() {
  next_.reserve(graph.values.size() + graph.nodes.size());
  for (const Value& value : graph.values) Take(value.name);
  for (const Node& node : graph.nodes) Take(node.name);
}

std::string UniqueNames::Fresh(const std::string& wanted) {
  const auto [at, is_free] = next_.emplace(wanted, 2);
  if (is_free) return wanted;
  int& number = at->second;  // the reference stays valid when names are added
  for (;;) {
    std::string name = wanted + separator_ + std::to_string(number++);
    if (next_.emplace(name, 2).second) return name;
  }
}

}  // namespace metadist
