// SPDX-License-Identifier: Apache-2.0
// Operators that only move elements along dims: one strided copy, or one per piece.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "executor/cpu/makers.h"
#include "executor/cpu/strided_copy.h"

namespace metadist::cpu {
namespace {

using Side = StridedCopy::Side;

// Output 0 as a view of input 0.
Prepared Bind(const KernelSite& site, const Side& source) {
  const Shape& to = site.out().shape;
  const int64_t item = ByteSize(site.element(0));
  const auto copy = StridedCopy::Make(
      to, item, source, {site.out_strides.empty() ? Strides(to) : site.out_strides});
  if (!copy) return Decline("too many dims");
  Prepared prepared = Accept("copy", [copy = *copy](const KernelArgs& args) -> Result<void> {
    copy.Run(args.inputs[0], args.outputs[0]);
    return {};
  });
  prepared.view = StridedView{source.strides, source.begin * item};
  return prepared;
}

// The axis of Concat and Split; -1 if invalid.
int64_t AxisOf(const KernelSite& site, int64_t absent, size_t rank) {
  auto axis = NormalizeAxis(site.attributes().Int("axis", absent), static_cast<int64_t>(rank));
  return axis.ok() ? axis.value() : -1;
}

// `outer` rows of blocks, block i of `bytes[i]`: concatenated in the whole array.
struct Blocks {
  int64_t outer = 1;
  std::vector<int64_t> bytes;
  int64_t total = 0;
};

Blocks BlocksAlong(const std::vector<const TensorType*>& parts, int64_t axis) {
  Blocks blocks;
  for (int64_t d = 0; d < axis; ++d) blocks.outer *= parts[0]->shape[static_cast<size_t>(d)];
  for (const TensorType* part : parts) {
    blocks.bytes.push_back(blocks.outer == 0 ? 0 : part->bytes() / blocks.outer);
    blocks.total += blocks.bytes.back();
  }
  return blocks;
}

}  // namespace

Prepared Transpose(const KernelSite& site) {
  const Shape& shape = site.shape(0);
  const std::vector<int64_t> from = site.StridesOf(0);
  std::vector<int64_t> order = site.attributes().Ints("perm");
  if (order.empty()) {
    order.resize(shape.size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  Side source;
  for (int64_t axis : order) {
    if (axis < 0) axis += static_cast<int64_t>(shape.size());
    source.strides.push_back(from[static_cast<size_t>(axis)]);
  }
  return Bind(site, source);
}

Prepared Expand(const KernelSite& site) {
  return Bind(site, {StretchedStrides(site.shape(0), site.out().shape)});
}

Prepared Slice(const KernelSite& site) {
  const Shape& shape = site.shape(0);
  const int64_t rank = static_cast<int64_t>(shape.size());
  auto starts = site.call->Ints(1);
  if (!starts.ok()) return Decline("starts are not known");
  std::vector<int64_t> axes(starts.value().size());
  std::iota(axes.begin(), axes.end(), 0);
  std::vector<int64_t> steps(axes.size(), 1);
  if (site.call->has(3)) {
    auto given = site.call->Ints(3);
    if (!given.ok()) return Decline("axes are not known");
    axes = given.value();
  }
  if (site.call->has(4)) {
    auto given = site.call->Ints(4);
    if (!given.ok()) return Decline("steps are not known");
    steps = given.value();
  }
  Side source{site.StridesOf(0), 0};
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t d = static_cast<size_t>(axes[i] < 0 ? axes[i] + rank : axes[i]);
    const int64_t size = shape[d];
    int64_t start = starts.value()[i];
    if (start < 0) start += size;
    start = steps[i] > 0 ? std::clamp<int64_t>(start, 0, size)
                         : std::clamp<int64_t>(start, 0, size - 1);
    source.begin += start * source.strides[d];
    source.strides[d] *= steps[i];
  }
  return Bind(site, source);
}

Prepared Concat(const KernelSite& site) {
  const int64_t axis = AxisOf(site, 0, site.out().shape.size());
  if (axis < 0) return Decline("no such axis");
  std::vector<const TensorType*> parts;
  for (const OpCall::Input& input : site.call->inputs) parts.push_back(&input.type);
  const Blocks blocks = BlocksAlong(parts, axis);
  return Accept("copy", [blocks](const KernelArgs& args) -> Result<void> {
    int64_t begin = 0;
    for (size_t i = 0; i < blocks.bytes.size(); ++i) {
      const int64_t bytes = blocks.bytes[i];
      for (int64_t o = 0; bytes > 0 && o < blocks.outer; ++o)
        std::memcpy(args.outputs[0] + o * blocks.total + begin,
                    args.inputs[i] + o * bytes,
                    static_cast<size_t>(bytes));
      begin += bytes;
    }
    return {};
  });
}

Prepared Split(const KernelSite& site) {
  const int64_t axis = AxisOf(site, 0, site.shape(0).size());
  if (axis < 0) return Decline("no such axis");
  std::vector<const TensorType*> parts;
  for (const TensorType& type : site.outputs) parts.push_back(&type);
  const Blocks blocks = BlocksAlong(parts, axis);
  return Accept("copy", [blocks](const KernelArgs& args) -> Result<void> {
    int64_t begin = 0;
    for (size_t i = 0; i < blocks.bytes.size(); ++i) {
      const int64_t bytes = blocks.bytes[i];
      for (int64_t o = 0; bytes > 0 && args.outputs[i] != nullptr && o < blocks.outer; ++o)
        std::memcpy(args.outputs[i] + o * bytes,
                    args.inputs[0] + o * blocks.total + begin,
                    static_cast<size_t>(bytes));
      begin += bytes;
    }
    return {};
  });
}

}  // namespace metadist::cpu
