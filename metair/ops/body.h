// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metair/ops/op_def.h"

// Shared by operators that run bodies.
namespace metadist {

// No examples: an example is a call without bodies.
std::vector<OpExample> NoExamples();

// Result types of a body whose values are typed.
std::vector<TensorType> BodyOutputs(const OpCall& call, size_t region);

// Types of the call's inputs from `first` to its last own one; all must be present. Errors:
// kBadInput.
Result<std::vector<TensorType>> PresentTypes(const OpCall& call, size_t first);

// Whether output `output` of the body is its input `input`, or the constant true for a bool.
bool PassesOn(const Graph& body, size_t output, size_t input);

// Runs a body with the built-in operators. own: its inputs besides captures; call_inputs: all
// inputs of the call. Both may be in compute types; the results are in compute types.
Result<std::vector<Tensor>> RunBody(const OpCall& call,
                                    size_t region,
                                    std::span<const Tensor> own,
                                    std::span<const Tensor> call_inputs);

// Stacks arrays of equal shape along a new dim `axis`. type: of the result, needed if there are no
// arrays.
Tensor Stack(std::span<const Tensor> slices, int64_t axis, const TensorType& type);

}  // namespace metadist
