// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace metadist::cpu {

// y[r, :] = softmax(x[r, :]).  x, y: [rows, columns] f32, row-major; y may be x.
void SoftmaxRows(const float* x, float* y, int64_t rows, int64_t columns);

// log(sum e^x) of a row of `count` > 0 elements.
float LogSumExp(const float* x, int64_t count);

}  // namespace metadist::cpu
