// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metair/ir/shape.h"

namespace metadist {

// An equation as written, split at commas and "->", without spaces.
struct EinsumTerms {
  std::vector<std::string> inputs = {};
  std::optional<std::string> output = {};  // nullopt: not stated
};
EinsumTerms SplitEinsum(std::string equation);

// The output of an equation that states none, given its inputs, with "." in place of "...".
std::string ImplicitOutput(const std::vector<std::string>& inputs);

// A sum of products over named indices, given by an equation such as "...ij,jk->...ik" and the
// shapes of the inputs. All indices together span a space: the output's first, then the summed
// ones.
struct EinsumSpace {
  Shape sizes;                                // by index
  size_t kept = 0;                            // how many of them, from the first, are the output's
                                              // dims
  std::vector<std::vector<int64_t>> strides;  // by input: element stride along each index, 0 if the
                                              // input lacks the index or has size 1 there
  std::vector<std::vector<size_t>> places;    // by input: the index of each of its dims
};

// Errors: kBadInput for an invalid equation, wrong numbers of inputs or dims, and for sizes that
// differ and are not 1.
Result<EinsumSpace> ParseEinsum(const std::string& equation, std::span<const Shape> inputs);

}  // namespace metadist
