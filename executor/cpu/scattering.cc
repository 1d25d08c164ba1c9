// SPDX-License-Identifier: Apache-2.0
// Operators that write updates into a copy of their first input, in the order of the updates. As in
// the reference kernels, an index out of range is an error.
#include <cstring>
#include <string>

#include "executor/cpu/indices.h"
#include "executor/cpu/loop_nest.h"
#include "executor/cpu/makers.h"
#include "metair/ops/extremes.h"

namespace metadist::cpu {
namespace {

enum class Combine : uint8_t { kReplace, kAdd, kMultiply, kLarger, kSmaller };

std::optional<Combine> CombineOf(const Attributes& attributes) {
  const std::string name = attributes.String("reduction", "none");
  if (name == "none") return Combine::kReplace;
  if (name == "add") return Combine::kAdd;
  if (name == "mul") return Combine::kMultiply;
  if (name == "max") return Combine::kLarger;
  if (name == "min") return Combine::kSmaller;
  return std::nullopt;
}

float Combined(Combine how, float y, float x) {
  switch (how) {
    case Combine::kReplace:
      return x;
    case Combine::kAdd:
      return y + x;
    case Combine::kMultiply:
      return y * x;
    case Combine::kLarger:
      return Larger(x, y);
    case Combine::kSmaller:
      return Smaller(x, y);
  }
  return y;
}

template <Combine kHow>
void CombineEach(const float* x, float* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] = Combined(kHow, y[i], x[i]);
}

// y[i] = y[i] combined with x[i].
void CombineFloats(Combine how, const float* x, float* y, int64_t count) {
  switch (how) {
    case Combine::kReplace:
      break;  // copied
    case Combine::kAdd:
      return CombineEach<Combine::kAdd>(x, y, count);
    case Combine::kMultiply:
      return CombineEach<Combine::kMultiply>(x, y, count);
    case Combine::kLarger:
      return CombineEach<Combine::kLarger>(x, y, count);
    case Combine::kSmaller:
      return CombineEach<Combine::kSmaller>(x, y, count);
  }
}

// How updates are written: `inner` elements each.
struct Updates {
  Combine how;
  int64_t item;  // bytes of an element
  int64_t inner;
  int64_t bytes;  // of input 0
  bool wide;      // indices are i64

  void Begin(const KernelArgs& args) const {
    if (args.inputs[0] != args.outputs[0] && bytes > 0)
      std::memcpy(args.outputs[0], args.inputs[0], static_cast<size_t>(bytes));
  }
  // Writes update `from` to element `at`.
  void Put(const KernelArgs& args, int64_t from, int64_t at) const {
    const std::byte* x = args.inputs[2] + from * inner * item;
    std::byte* y = args.outputs[0] + at * item;
    const auto* update = reinterpret_cast<const float*>(x);
    auto* target = reinterpret_cast<float*>(y);
    // Most updates are single elements; a call would cost more than they do.
    if (inner == 1 && how != Combine::kReplace)
      *target = Combined(how, *target, *update);
    else if (inner == 1 && item == 4)
      std::memcpy(y, x, 4);
    else if (how == Combine::kReplace)
      std::memcpy(y, x, static_cast<size_t>(inner * item));
    else
      CombineFloats(how, update, target, inner);
  }
};

// nullopt: only the reference kernel supports the call.
std::optional<Updates> UpdatesOf(const KernelSite& site, int64_t inner) {
  const auto how = CombineOf(site.attributes());
  if (!how || !IsIndex(site.element(1))) return std::nullopt;
  if (*how != Combine::kReplace && site.element(0) != ElementType::kF32) return std::nullopt;
  return Updates{*how,
                 ByteSize(site.element(0)),
                 inner,
                 site.out().bytes(),
                 site.element(1) == ElementType::kI64};
}

}  // namespace

Prepared ScatterElements(const KernelSite& site) {
  const auto axis = site.Axis(0);
  const auto updates = UpdatesOf(site, 1);
  if (!axis.ok() || !updates) return Decline("no such axis, index type or reduction");
  const auto along = AxisIndices::Make(site, axis.value());
  if (!along) return Decline("too many dims");
  return Accept("copy", [updates = *updates, along = *along](const KernelArgs& args) {
    updates.Begin(args);
    return along.ForEach(args,
                         [&](int64_t from, int64_t place) { updates.Put(args, from, place); });
  });
}

Prepared ScatterND(const KernelSite& site) {
  const Shape& data = site.shape(0);
  const Shape& shape = site.shape(1);
  if (shape.empty()) return Decline("no indices");
  const size_t depth = static_cast<size_t>(shape.back());
  if (depth == 0 || depth > data.size() || depth > kMaxDims) return Decline("too many indices");
  const auto behind = data.begin() + static_cast<int64_t>(depth);
  const auto updates = UpdatesOf(site, NumElements({behind, data.end()}));
  if (!updates) return Decline("no such index type or reduction");
  const int64_t rows = NumElements(shape) / static_cast<int64_t>(depth);
  const std::vector<int64_t> strides = Strides(data);
  return Accept("copy",
                [=, updates = *updates, sizes = Shape(data.begin(), behind)](
                    const KernelArgs& args) -> Result<void> {
                  const Indices index{args.inputs[1], updates.wide};
                  updates.Begin(args);
                  int64_t next = 0;
                  for (int64_t row = 0; row < rows; ++row) {
                    int64_t at = 0;
                    for (size_t d = 0; d < depth; ++d, ++next) {
                      const int64_t place = index.Place(next, sizes[d]);
                      if (place < 0) return OutOfRange(index[next], sizes[d]);
                      at += place * strides[d];
                    }
                    updates.Put(args, row, at);
                  }
                  return {};
                });
}

}  // namespace metadist::cpu
