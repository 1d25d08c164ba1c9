// SPDX-License-Identifier: Apache-2.0
// The distinct slices of x along `axis` (without it: elements of x), sorted (sorted = 1) or in
// order of occurrence; the index of each one's first occurrence; for each slice of x the index of
// its distinct slice; and the number of occurrences of each.
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"

namespace metadist::ops {
namespace {

// Groups of equal slices of x, [outer, size, inner].
struct Groups {
  std::vector<int64_t> first;   // by group: its first slice
  std::vector<int64_t> counts;  // by group: number of slices
  std::vector<int64_t> group;   // by slice
};

struct View {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;
};

Result<View> ViewOf(const OpCall& call) {
  const Shape& shape = call.shape(0);
  if (!call.attributes->has("axis")) return View{1, NumElements(shape), 1};
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), call.rank(0)));
  return View{NumElements({shape.begin(), shape.begin() + axis}),
              shape[static_cast<size_t>(axis)],
              NumElements({shape.begin() + axis + 1, shape.end()})};
}

template <typename T>
Groups GroupSlices(const T* x, const View& view, bool sorted) {
  const auto compare = [&](int64_t a, int64_t b) {  // < 0, 0 or > 0; the first difference decides
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t i = 0; i < view.inner; ++i) {
        const T left = x[(o * view.size + a) * view.inner + i];
        const T right = x[(o * view.size + b) * view.inner + i];
        if (left != right) return left < right ? -1 : 1;
      }
    return 0;
  };
  std::vector<int64_t> order(static_cast<size_t>(view.size));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::stable_sort(
      order.begin(), order.end(), [&](int64_t a, int64_t b) { return compare(a, b) < 0; });
  std::vector<std::vector<int64_t>> groups;
  for (int64_t slice : order) {
    if (groups.empty() || compare(groups.back()[0], slice) != 0) groups.emplace_back();
    groups.back().push_back(slice);
  }
  if (!sorted) std::sort(groups.begin(), groups.end());
  Groups result;
  result.group.resize(order.size());
  for (const std::vector<int64_t>& members : groups) {
    for (int64_t slice : members)
      result.group[static_cast<size_t>(slice)] = static_cast<int64_t>(result.first.size());
    result.first.push_back(members[0]);
    result.counts.push_back(static_cast<int64_t>(members.size()));
  }
  return result;
}

// x in a compute type.
Result<Groups> GroupsOf(const OpCall& call, const Tensor& x) {
  const View view = TRY(ViewOf(call));
  const bool sorted = call.attributes->Int("sorted", 1) != 0;
  return VisitComputeType(
      x.element(), [&](auto zero) { return GroupSlices(x.data<decltype(zero)>(), view, sorted); });
}

std::vector<TensorType> TypesFor(const OpCall& call, int64_t groups, int64_t slices) {
  Shape shape{groups};
  if (call.attributes->has("axis")) {
    const int64_t axis = call.attributes->Int("axis", 0);
    shape = call.shape(0);
    shape[static_cast<size_t>(axis < 0 ? axis + call.rank(0) : axis)] = groups;
  }
  const TensorType found{ElementType::kI64, {groups}};
  std::vector<TensorType> types{
      {call.type(0).element, shape}, found, {ElementType::kI64, {slices}}, found};
  types.resize(static_cast<size_t>(std::clamp(call.num_outputs, 1, 4)));
  return types;
}

Result<std::vector<TensorType>> InferUnique(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Done());
  const View view = TRY(ViewOf(call));
  int64_t groups = kRunTimeSize;
  const Tensor* x = call.inputs[0].constant;
  if (x != nullptr && x->has_data()) {
    const Tensor wide = x->Cast(ComputeType(x->element()));
    groups = static_cast<int64_t>(TRY(GroupsOf(call, wide)).first.size());
  }
  return TypesFor(call, groups, view.size);
}

Result<void> UniqueReference(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  const View view = TRY(ViewOf(call));
  const Groups groups = TRY(GroupsOf(call, in[0]));
  const int64_t count = static_cast<int64_t>(groups.first.size());
  const std::vector<TensorType> types = TypesFor(call, count, view.size);
  for (size_t i = 0; i < out.size(); ++i)
    if (!out[i].has_data()) out[i] = Tensor::Zeros({out[i].element(), types[i].shape});
  for (int64_t g = 0; g < count; ++g)
    CopyStrided({view.outer, view.inner},
                in[0],
                {groups.first[static_cast<size_t>(g)] * view.inner, {view.size * view.inner, 1}},
                out[0],
                {g * view.inner, {count * view.inner, 1}});
  const std::vector<int64_t>* const lists[] = {&groups.first, &groups.group, &groups.counts};
  for (size_t i = 1; i < out.size(); ++i)
    std::copy(lists[i - 1]->begin(), lists[i - 1]->end(), out[i].mutable_data<int64_t>());
  return {};
}

std::vector<OpExample> UniqueExamples() {
  const OpExample::Input x{.type = {ElementType::kF32, {3, 3}},
                           .constant = {1, 0, 0, 1, 0, 0, 2, 3, 4}};
  const OpExample::Input list{.type = {ElementType::kI64, {6}}, .constant = {2, 1, 1, 3, 4, 3}};
  return {{.inputs = {x}, .num_outputs = 4},
          {.inputs = {list}, .attributes = {{"sorted", 0}}, .num_outputs = 4},
          {.inputs = {x}, .attributes = {{"axis", 0}}, .num_outputs = 4},
          {.inputs = {x}, .attributes = {{"axis", -1}, {"sorted", 0}}, .num_outputs = 4}};
}

}  // namespace

OpDef MakeUnique() {
  return {.name = "Unique",
          .since_version = 11,
          .infer = InferUnique,
          .reference = UniqueReference,
          .examples = UniqueExamples};
}

}  // namespace metadist::ops
