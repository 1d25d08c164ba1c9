// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "executor/cpu/makers.h"

namespace metadist::cpu {

// Keeps the upper or lower triangle of the last two dims, zero elsewhere.
Prepared Trilu(const KernelSite& site) {
  const Shape& shape = site.shape(0);
  if (shape.size() < 2) return Decline("two dims are needed");
  int64_t diagonal = 0;
  if (site.call->has(1)) {
    auto given = site.call->Ints(1);
    if (!given.ok() || given.value().size() != 1) return Decline("the diagonal is not known");
    diagonal = given.value()[0];
  }
  const bool upper = site.attributes().Int("upper", 1) != 0;
  const int64_t rows = shape[shape.size() - 2];
  const int64_t columns = shape.back();
  const int64_t matrices = rows * columns == 0 ? 0 : NumElements(shape) / (rows * columns);
  const int64_t item = ByteSize(site.element(0));
  return Accept("copy", [=](const KernelArgs& args) {
    for (int64_t r = 0; r < matrices * rows; ++r) {
      // Columns [begin, end) are kept.
      const int64_t cut = std::clamp<int64_t>(r % rows + diagonal + (upper ? 0 : 1), 0, columns);
      const int64_t begin = upper ? cut : 0;
      const int64_t end = upper ? columns : cut;
      const int64_t offset = r * columns * item;
      std::memset(args.outputs[0] + offset, 0, static_cast<size_t>(columns * item));
      std::memcpy(args.outputs[0] + offset + begin * item,
                  args.inputs[0] + offset + begin * item,
                  static_cast<size_t>((end - begin) * item));
    }
  });
}

}  // namespace metadist::cpu
