// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ops/op_def.h"

// Shared by losses that weigh -score[n, target[n, d], d]: input 0 holds scores [n, c, d...]
// (log-probabilities, or values from which they are computed), input 1 classes [n, d...], input 2
// (optional) a weight for each class. Attribute reduction: none, sum, or mean (weighted); a target
// equal to ignore_index has no weight.
namespace metadist {

// The type of the loss.
Result<TensorType> InferNll(const OpCall& call);

// The loss from scores in f64. Errors: kBadInput for a target that is not a class.
Result<void> Nll(const OpCall& call,
                 const double* scores,
                 std::span<const Tensor> in,
                 Tensor& loss);

// Targets are classes.
std::vector<InputDomain> NllDomain(const OpCall& call);
// Covers all inputs and reductions; calls have `outputs` outputs.
std::vector<OpExample> NllExamples(int outputs);

}  // namespace metadist
