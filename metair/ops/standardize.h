// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ops/call_check.h"

// Shared by normalisations of channels.
namespace metadist {

// y[i] = (x[i] - mean) / sqrt(variance + epsilon), i in [0, count), with mean and variance of x; y
// may be x.
void Standardize(const double* x, int64_t count, double epsilon, double* y);

// Inputs must be floats x[n, c, ...], scale[c], bias[c]. Problems with scale and bias are added to
// `check`. Errors: kBadInput for a wrong number of inputs, type or rank.
Result<void> CheckChannels(const OpCall& call, CallCheck& check);

// y = standardized x times scale plus bias, by channel; mean and variance are over each of `groups`
// equal groups of channels of each instance. Inputs as in CheckChannels, f64.
void StandardizeGroups(const OpCall& call, std::span<const Tensor> in, int64_t groups, Tensor& out);

}  // namespace metadist
