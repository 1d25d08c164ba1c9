// SPDX-License-Identifier: Apache-2.0
// Image resizing. In nearest mode: a copy by indices. Otherwise each result is a weighted sum of
// elements, whose weights are products of the weights along each axis. The last resized axis is
// done after the others: for each row of the result, the rows of x that contribute are summed in
// scratch memory, as vectors, and the row's elements are computed from that sum. So no intermediate
// image exists, but a row is summed again for each result row that it contributes to.
#include <algorithm>
#include <array>
#include <memory>

#include "executor/cpu/loop_nest.h"
#include "executor/cpu/makers.h"
#include "executor/cpu/mapped_copy.h"
#include "metair/ir/multiversion.h"
#include "metair/ops/maps.h"

namespace metadist::cpu {
namespace {

// How the results along an axis are computed: from `taps` elements each, by tap and then by
// position.
struct Axis {
  int64_t from = 1, to = 1;
  int64_t taps = 1;
  std::vector<int64_t> index;
  std::vector<float> weight;
};

Axis AxisOf(const std::vector<std::vector<ResizeTap>>& table, int64_t from) {
  Axis axis{from, static_cast<int64_t>(table.size()), 1, {}, {}};
  for (const auto& taps : table) axis.taps = std::max(axis.taps, static_cast<int64_t>(taps.size()));
  axis.index.assign(static_cast<size_t>(axis.taps * axis.to), 0);
  axis.weight.assign(axis.index.size(), 0.0f);
  for (size_t place = 0; place < table.size(); ++place)
    for (size_t tap = 0; tap < table[place].size(); ++tap) {
      const size_t at = tap * table.size() + place;
      axis.index[at] = table[place][tap].index;
      axis.weight[at] = static_cast<float>(table[place][tap].weight);
    }
  return axis;
}

bool Stays(const Axis& axis) {
  if (axis.from != axis.to || axis.taps != 1) return false;
  for (int64_t i = 0; i < axis.to; ++i)
    if (axis.index[static_cast<size_t>(i)] != i || axis.weight[static_cast<size_t>(i)] != 1.0f)
      return false;
  return true;
}

METADIST_MULTIVERSION
void AddRow(float weight, const float* x, float* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] += weight * x[i];
}

// y[j] = sum over taps of weight x[index].
METADIST_MULTIVERSION
void PickRow(const Axis& axis, const float* x, float* y) {
  const int64_t n = axis.to;
  for (int64_t tap = 0; tap < axis.taps; ++tap) {
    const int64_t* const index = axis.index.data() + tap * n;
    const float* const weight = axis.weight.data() + tap * n;
    if (tap == 0)
      for (int64_t j = 0; j < n; ++j) y[j] = weight[j] * x[index[j]];
    else
      for (int64_t j = 0; j < n; ++j) y[j] += weight[j] * x[index[j]];
  }
}

using Places = std::array<int64_t, kMaxDims>;

struct Images {
  int64_t count = 1;       // product of the dims before the resized ones
  std::vector<Axis> axes;  // from the first resized axis to before the last; includes unchanged
                           // ones in between
  Axis last;
  int64_t inner = 1;  // product of the dims after the last resized one

  int64_t row() const { return last.from * inner; }
  int64_t Rows() const {
    int64_t rows = 1;
    for (const Axis& axis : axes) rows *= axis.from;
    return rows;
  }

  // Sums the rows that contribute to the position [places...] of the other axes.
  void Gather(size_t d, const Places& places, float weight, const float* x, float* sum) const {
    if (d == axes.size()) return AddRow(weight, x, sum, row());
    int64_t stride = row();
    for (size_t i = d + 1; i < axes.size(); ++i) stride *= axes[i].from;
    const Axis& axis = axes[d];
    for (int64_t tap = 0; tap < axis.taps; ++tap) {
      const auto at = static_cast<size_t>(tap * axis.to + places[d]);
      if (axis.weight[at] != 0.0f)
        Gather(d + 1, places, weight * axis.weight[at], x + axis.index[at] * stride, sum);
    }
  }

  void Finish(const float* sum, float* y) const {
    if (inner == 1) return PickRow(last, sum, y);
    std::fill_n(y, last.to * inner, 0.0f);
    for (int64_t j = 0; j < last.to; ++j)
      for (int64_t tap = 0; tap < last.taps; ++tap) {
        const auto at = static_cast<size_t>(tap * last.to + j);
        AddRow(last.weight[at], sum + last.index[at] * inner, y + j * inner, inner);
      }
  }

  void Run(const float* x, float* y, float* sum) const {
    for (int64_t image = 0; image < count; ++image, x += Rows() * row()) {
      Places places{};
      while (true) {
        if (axes.empty()) {
          Finish(x, y);
        } else {
          std::fill_n(sum, row(), 0.0f);
          Gather(0, places, 1.0f, x, sum);
          Finish(sum, y);
        }
        y += last.to * inner;
        size_t d = axes.size();
        while (d-- > 0) {
          if (++places[d] < axes[d].to) break;
          places[d] = 0;
        }
        if (d == static_cast<size_t>(-1)) break;
      }
    }
  }
};

Prepared Weighted(const KernelSite& site, const ResizeTables& tables) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const Shape& shape = site.shape(0);
  std::vector<Axis> all;
  for (size_t d = 0; d < shape.size(); ++d) all.push_back(AxisOf(tables[d], shape[d]));
  auto images = std::make_shared<Images>();
  size_t first = 0;
  while (first + 1 < all.size() && Stays(all[first])) images->count *= all[first++].from;
  size_t last = all.size() - 1;
  while (last > first && Stays(all[last])) images->inner *= all[last--].from;
  images->axes.assign(all.begin() + static_cast<ptrdiff_t>(first),
                      all.begin() + static_cast<ptrdiff_t>(last));
  images->last = all[last];
  if (images->axes.size() > kMaxDims) return Decline("too many dims");
  const int64_t scratch = images->axes.empty() ? 0 : images->row() * ByteSize(ElementType::kF32);
  return Accept(
      "rows",
      [images](const KernelArgs& args) {
        images->Run(args.in(0), args.out(), reinterpret_cast<float*>(args.scratch));
      },
      scratch);
}

}  // namespace

Prepared Resize(const KernelSite& site) {
  const Attributes& attributes = site.attributes();
  if (site.shape(0).empty() || NumElements(site.out().shape) == 0) return Decline("nothing to do");
  if (attributes.String("coordinate_transformation_mode", "") == "tf_crop_and_resize")
    return Decline("a region");
  const auto tables = ResizeTablesOf(*site.call, nullptr);
  if (!tables.ok()) return Decline(tables.error().message);
  if (attributes.String("mode", "nearest") != "nearest") return Weighted(site, tables.value());
  std::vector<std::vector<int64_t>> maps;
  for (const auto& table : tables.value()) {
    maps.emplace_back();
    for (const auto& taps : table) maps.back().push_back(taps.empty() ? -1 : taps[0].index);
  }
  const MappedCopy copy =
      MappedCopy::Make(site.shape(0), std::move(maps), ByteSize(site.element(0)));
  return Accept("copy", [copy](const KernelArgs& args) {
    copy.Run(args.inputs[0], args.outputs[0], args.inputs[0]);
  });
}

}  // namespace metadist::cpu
