// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "metair/ops/op_table.h"

namespace metadist {

// Seeded values for inputs and parameters of a graph, legal for the operators that use them (see
// RandomInputs). A tensor depends only on the seed, its name and its legal range, not on which
// other tensors are drawn.
class RandomData {
 public:
  // Both must outlive the object.
  RandomData(const Graph& graph, uint64_t seed, const OpTable& ops);
  ~RandomData();

  const TensorType& TypeOf(ValueId value) const { return graph_.value(value).type; }
  // Uses all cores.
  Tensor Draw(ValueId value) const;
  // Writes part `part` of `parts` into `out`, a tensor of zeros of the value's type. The result
  // does not depend on `parts`. Different parts may be drawn concurrently.
  void DrawPart(ValueId value, size_t part, size_t parts, std::byte* out) const;

 private:
  class LegalValues;

  const Graph& graph_;
  const uint64_t seed_;
  const std::unique_ptr<const LegalValues> legal_;
};

// Seeded values for the inputs without a tensor, legal for the operators that use them: indices in
// range, positive values if an operator needs them. They do not depend on how the graph is sharded.
NamedTensors RandomInputs(const Graph& graph, uint64_t seed, const OpTable& ops);
// The same for parameters without data: normal, scaled by 1 / sqrt(fan-in). A run draws them one by
// one instead.
NamedTensors RandomWeights(const Graph& graph, uint64_t seed, const OpTable& ops);

}  // namespace metadist
