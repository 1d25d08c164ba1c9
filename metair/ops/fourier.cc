// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/fourier.h"

#include <algorithm>
#include <cmath>

namespace metadist {

std::vector<std::complex<double>> FourierTransform(const std::vector<std::complex<double>>& x,
                                                   int64_t length,
                                                   int64_t bins,
                                                   bool inverse) {
  const double turn = (inverse ? 2 : -2) * std::acos(-1.0) / static_cast<double>(length);
  std::vector<std::complex<double>> root;
  for (int64_t i = 0; i < length; ++i)
    root.push_back(std::polar(1.0, turn * static_cast<double>(i)));
  const int64_t count = std::min<int64_t>(length, static_cast<int64_t>(x.size()));
  std::vector<std::complex<double>> y;
  for (int64_t k = 0; k < bins; ++k) {
    std::complex<double> sum = 0;
    for (int64_t n = 0; n < count; ++n)
      sum += x[static_cast<size_t>(n)] * root[static_cast<size_t>(k * n % length)];
    y.push_back(inverse ? sum / static_cast<double>(length) : sum);
  }
  return y;
}

int64_t FourierFlops(int64_t length) {
  const double n = static_cast<double>(length);
  return length < 2 ? 0 : static_cast<int64_t>(std::llround(5 * n * std::log2(n)));
}

}  // namespace metadist
