// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/space_depth.h"

#include "metair/ops/call_check.h"
#include "metair/ops/strided_copy.h"

namespace metadist {

Result<int64_t> BlockSizeOf(const OpCall& call) {
  const int64_t block = call.attributes->Int("blocksize", 0);
  TRY(CallCheck(call)
          .Inputs(1)
          .Rank(0, 4, 4)
          .That(block > 0 && block < int64_t{1} << 31, "blocksize must be positive, got {}", block)
          .Done());
  return block;
}

void CopyPermuted(const Tensor& from,
                  const Shape& split,
                  const std::vector<size_t>& permutation,
                  Tensor& to) {
  const std::vector<int64_t> strides = Strides(split);
  Shape shape;
  StridedView view;
  for (size_t d : permutation) {
    shape.push_back(split[d]);
    view.strides.push_back(strides[d]);
  }
  CopyStrided(shape, from, view, to, {0, Strides(shape)});
}

}  // namespace metadist
