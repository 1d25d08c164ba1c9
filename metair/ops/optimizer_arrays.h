// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metair/ops/op_def.h"

// Shared by ONNX's optimizers, which update n arrays at a time: inputs R, T, X1..Xn, G1..Gn, and n
// arrays for each state of the optimizer; outputs n new arrays and their new states.
namespace metadist {

// states: number of states. Errors: kBadInput.
Result<std::vector<TensorType>> InferOptimizer(const OpCall& call, size_t states);

// Calls update(x, gradient, states, results) for each element; all are pointers to it.
template <typename Update>
void ForEachOptimized(std::span<const Tensor> in,
                      std::span<Tensor> out,
                      size_t states,
                      const Update& update) {
  const size_t arrays = (in.size() - 2) / (states + 2);
  std::vector<const double*> state(states);
  std::vector<double*> to(states + 1);
  for (size_t a = 0; a < arrays; ++a)
    for (int64_t i = 0; i < in[2 + a].size(); ++i) {
      for (size_t s = 0; s < states; ++s)
        state[s] = in[2 + (s + 2) * arrays + a].template data<double>() + i;
      for (size_t s = 0; s <= states; ++s)
        to[s] = out[s * arrays + a].template mutable_data<double>() + i;
      update(in[2 + a].template data<double>() + i,
             in[2 + arrays + a].template data<double>() + i,
             state,
             to);
    }
}

}  // namespace metadist
