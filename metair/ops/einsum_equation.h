// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "metair/ir/shape.h"

namespace metadist {

// A sum of products over named indices, as an equation such as "...ij,jk->...ik" says, for inputs
// of given shapes. All indices together span a space: the output's first, then the summed ones.
struct EinsumSpace {
  Shape sizes;                                // of all indices
  size_t kept = 0;                            // the first of them, which are the output's dims
  std::vector<std::vector<int64_t>> strides;  // by input: element stride along each index, 0 where
                                              // the input lacks it or has size 1 there
  std::vector<std::vector<size_t>> places;    // by input: which index each of its dims is
};

// Errors: kBadInput for what is no equation, for other counts of inputs or dims, for sizes that
// differ and are not 1.
Result<EinsumSpace> ParseEinsum(const std::string& equation, std::span<const Shape> inputs);

}  // namespace metadist
