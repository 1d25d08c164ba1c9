// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace metadist {

// y[i] = (x[i] - mean) / sqrt(variance + epsilon), i in [0, count), mean and variance those of x; y
// may be x.
void Standardize(const double* x, int64_t count, double epsilon, double* y);

}  // namespace metadist
