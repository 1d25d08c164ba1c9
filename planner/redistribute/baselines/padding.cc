// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/baselines/padding.h"

#include <fmt/format.h>

#include <numeric>

namespace metadist {
namespace {

// Whether the dim is one sub-dim, cut by one list of axes (or none).
bool Plain(const DimSharding& dim) {
  return dim.whole() || (dim.parts.size() == 1 && dim.parts[0].sub.size() == 1);
}

bool Divides(const DimSharding& dim, const Mesh& mesh) {
  for (const DimPart& part : dim.parts)
    for (const SubDim& sub : part.sub)
      if (sub.size % mesh.size(sub.axes) != 0) return false;
  return true;
}

}  // namespace

Result<PaddedEnds> PadEnds(const Shape& shape,
                           const Sharding& from,
                           const Sharding& to,
                           const Mesh& mesh) {
  PaddedEnds out{shape, from, to};
  std::vector<Error> problems;
  for (size_t d = 0; d < shape.size(); ++d) {
    DimSharding& a = out.from.dims[d];
    DimSharding& b = out.to.dims[d];
    if (Divides(a, mesh) && Divides(b, mesh)) continue;
    if (!Plain(a) || !Plain(b)) {
      problems.push_back(Usage(fmt::format("dim {}: sub-dims must divide to be padded", d),
                               "pass `--uneven p2p`, which needs no padding"));
      continue;
    }
    int64_t multiple = 1;
    for (const DimSharding* dim : {&a, &b})
      if (!dim->whole()) multiple = std::lcm(multiple, mesh.size(dim->parts[0].sub[0].axes));
    out.shape[d] = (shape[d] + multiple - 1) / multiple * multiple;
    for (DimSharding* dim : {&a, &b})
      if (!dim->whole()) dim->parts[0].sub[0].size = out.shape[d];
  }
  if (!problems.empty()) return Join(std::move(problems));
  return out;
}

}  // namespace metadist
