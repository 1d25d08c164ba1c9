// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace metadist {

// y[k] = sum over n of x[n] exp(-2 pi i k n / length) for the first `bins` k; x is truncated or
// zero-padded to `length`. inverse: the exponent is positive, and the sum is divided by `length`.
// By direct summation: length * bins steps. length must be positive.
std::vector<std::complex<double>> FourierTransform(const std::vector<std::complex<double>>& x,
                                                   int64_t length,
                                                   int64_t bins,
                                                   bool inverse);

// Flops of a fast transform of that length, by the usual count 5 n log2 n.
int64_t FourierFlops(int64_t length);

}  // namespace metadist
