// SPDX-License-Identifier: Apache-2.0
// Operators that only move elements along dims: one strided copy, or one per piece.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "executor/cpu/copying.h"
#include "executor/cpu/makers.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {
namespace {

using Side = StridedCopy::Side;

// `outer` rows of blocks, block i of `bytes[i]`: concatenated in the whole array.
struct Blocks {
  int64_t outer = 1;
  std::vector<int64_t> bytes;
  int64_t total = 0;

  // Calls copy(i, offset in array i, offset in the whole array, size) for every block in bytes,
  // array by array.
  template <typename Copy>
  void ForEach(Copy copy) const {
    int64_t begin = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const int64_t size = bytes[i];
      for (int64_t o = 0; size > 0 && o < outer; ++o)
        copy(i, o * size, o * total + begin, static_cast<size_t>(size));
      begin += size;
    }
  }
};

Blocks BlocksAlong(const std::vector<const TensorType*>& parts, int64_t axis) {
  Blocks blocks;
  blocks.outer = SplitAround(parts[0]->shape, axis).outer;
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
  return CopyingView(site, source);
}

Prepared Expand(const KernelSite& site) {
  return CopyingView(site, {StretchedStrides(site.shape(0), site.out().shape)});
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
  return CopyingView(site, source);
}

Prepared Concat(const KernelSite& site) {
  const auto axis = site.Axis(0);
  if (!axis.ok()) return Decline("no such axis");
  std::vector<const TensorType*> parts;
  for (const OpCall::Input& input : site.call->inputs) parts.push_back(&input.type);
  return Accept("copy", [blocks = BlocksAlong(parts, axis.value())](const KernelArgs& args) {
    blocks.ForEach([&](size_t i, int64_t part, int64_t whole, size_t bytes) {
      std::memcpy(args.outputs[0] + whole, args.inputs[i] + part, bytes);
    });
  });
}

Prepared Split(const KernelSite& site) {
  const auto axis = site.Axis(0);
  if (!axis.ok()) return Decline("no such axis");
  std::vector<const TensorType*> parts;
  for (const TensorType& type : site.outputs) parts.push_back(&type);
  return Accept("copy", [blocks = BlocksAlong(parts, axis.value())](const KernelArgs& args) {
    blocks.ForEach([&](size_t i, int64_t part, int64_t whole, size_t bytes) {
      if (args.outputs[i] != nullptr)
        std::memcpy(args.outputs[i] + part, args.inputs[0] + whole, bytes);
    });
  });
}

}  // namespace metadist::cpu
