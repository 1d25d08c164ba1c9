// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "metair/ops/gradient.h"

namespace metadist {

// A sum of products y[kept indices] = sum over all other indices of a[...] b[...] ...: by factor,
// the index of each of its dims, all distinct. A dim of size 1 broadcasts.
struct SumOfProducts {
  std::vector<Term> factors;
  std::vector<std::vector<size_t>> indices;
  std::vector<size_t> kept;  // the index of each dim of y
};

// The gradient of a factor, given dy: a sum of the products of dy and all other factors. Errors:
// kBadInput for more indices than there are letters.
Result<Term> GradientOfFactor(const SumOfProducts& product, size_t factor, const Term& dy);

}  // namespace metadist
