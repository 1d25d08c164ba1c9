// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ops/op_def.h"

// What the losses share that weigh -score[n, target[n, d], d]: input 0 holds scores [n, c, d...]
// (logarithms of probabilities or what becomes them), input 1 classes [n, d...], input 2 (optional)
// a weight for each class. Attribute reduction: none, sum, or mean (by weight); a target equal to
// ignore_index has no weight.
namespace metadist {

// The type of the loss.
Result<TensorType> InferNll(const OpCall& call);

// loss from scores in f64. Errors: kBadInput for a target that is no class.
Result<void> Nll(const OpCall& call,
                 const double* scores,
                 std::span<const Tensor> in,
                 Tensor& loss);

// Targets are classes.
std::vector<InputDomain> NllDomain(const OpCall& call);
// All inputs and reductions, `outputs` of them.
std::vector<OpExample> NllExamples(int outputs);

}  // namespace metadist
