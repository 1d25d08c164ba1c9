// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metair/ops/op_def.h"

// What operators that run bodies share.
namespace metadist {

// None: an example is a call without bodies.
std::vector<OpExample> NoExamples();

// Types of the results of a body that is typed.
std::vector<TensorType> BodyOutputs(const OpCall& call, size_t region);

// The call's inputs from `first` to its own last one: all must be present. Errors: kBadInput.
Result<std::vector<TensorType>> PresentTypes(const OpCall& call, size_t first);

// Whether output `output` of the body is its input `input` or, if that input is a bool, true.
bool PassesOn(const Graph& body, size_t output, size_t input);

// Runs a body with the built-in operators.
// own: what it takes besides its captures; call_inputs: all inputs of the call. Both may be in
// compute types, the results are.
Result<std::vector<Tensor>> RunBody(const OpCall& call,
                                    size_t region,
                                    std::span<const Tensor> own,
                                    std::span<const Tensor> call_inputs);

// Arrays of one shape, stacked along a new dim `axis`. type: of the result, for no arrays at all.
Tensor Stack(std::span<const Tensor> slices, int64_t axis, const TensorType& type);

}  // namespace metadist
