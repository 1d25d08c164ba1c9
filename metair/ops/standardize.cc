// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/standardize.h"

#include <cmath>

namespace metadist {

void Standardize(const double* x, int64_t count, double epsilon, double* y) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += x[i];
  const double mean = sum / static_cast<double>(count);
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(count) + epsilon);
  for (int64_t i = 0; i < count; ++i) y[i] = (x[i] - mean) / deviation;
}

}  // namespace metadist
