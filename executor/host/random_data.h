// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "metair/ops/op_table.h"

namespace metadist {

// Seeded values for inputs and parameters of a graph, legal for the operators that use them
// (RandomInputs says how). A tensor depends on seed, name and legal range alone, not on what else
// is drawn.
class RandomData {
 public:
  // Both must outlive the object.
  RandomData(const Graph& graph, uint64_t seed, const OpTable& ops);
  ~RandomData();

  const TensorType& TypeOf(ValueId value) const { return graph_.value(value).type; }
  // On all cores.
  Tensor Draw(ValueId value) const;
  // Writes part `part` of `parts` of a tensor of zeros, of the value's type: the same tensor
  // whatever `parts` is. Callers with different parts may run side by side.
  void DrawPart(ValueId value, size_t part, size_t parts, std::byte* out) const;

 private:
  class LegalValues;

  const Graph& graph_;
  const uint64_t seed_;
  const std::unique_ptr<const LegalValues> legal_;
};

// Seeded values for the inputs that lack a tensor, legal for the operators that use them: indices
// in range, positive where an operator needs it. Values do not depend on how the graph is cut.
NamedTensors RandomInputs(const Graph& graph, uint64_t seed, const OpTable& ops);
// The same for parameters without data, which a run draws one by one: normal, scaled by the
// square root of their fan-in.
NamedTensors RandomWeights(const Graph& graph, uint64_t seed, const OpTable& ops);

}  // namespace metadist
