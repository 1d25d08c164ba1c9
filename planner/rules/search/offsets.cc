// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/search/offsets.h"

#include <numeric>

#include "metair/ops/index.h"
#include "planner/rules/factor/pieces.h"
#include "planner/rules/probe/arrays.h"

namespace metadist {
namespace {

std::vector<int64_t> FirstIndices(int64_t count) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

}  // namespace

bool IsContiguous(const SymbolicCut& cut) {
  return cut.parts.size() == 1 && cut.repeat == Product{};
}

Interval PieceOf::Of(const SymbolicCut& cut) const {
  const SymbolicCut::Part& part = cut.parts.front();
  const int64_t unit = part.unit.At(sizes);
  const Interval groups = Piece(sizes[static_cast<size_t>(part.atom)], ranks, rank);
  return {groups.begin * unit, groups.end * unit};
}

void ShiftLiterals(const std::vector<SymbolicShift>& shifts,
                   const BlackBox& box,
                   const PieceOf& piece,
                   std::span<const int64_t> whole,
                   std::vector<int64_t>& values) {
  const size_t first = box.first_literal();
  for (const SymbolicShift& shift : shifts) {
    const Interval own = piece.Of(shift.view);
    const int64_t size = CutAt(shift.view, piece.sizes).size();
    const int64_t times = shift.times < 0 ? 1 : whole[first + static_cast<size_t>(shift.times)];
    const size_t slot = first + static_cast<size_t>(shift.literal);
    if (shift.is_index) {
      values[slot] = CountedFrom(whole[slot], own.begin, own.size(), size);
      continue;
    }
    values[slot] =
        whole[slot] + times * (shift.by_start * own.begin + shift.by_end * (own.end - size));
  }
}

void CountIndices(const std::vector<SymbolicIndex>& indices,
                  const PieceOf& piece,
                  std::vector<Tensor>& inputs) {
  for (const SymbolicIndex& index : indices) {
    Tensor& x = inputs[static_cast<size_t>(index.input)];
    const Interval own = piece.Of(index.view);
    const int64_t whole = CutAt(index.view, piece.sizes).size();
    const int64_t columns = index.column < 0 ? 1 : x.dim(x.rank() - 1);
    Tensor counted = x.Clone();
    int64_t* at = counted.mutable_data<int64_t>();
    for (int64_t i = 0; i < counted.size(); ++i)
      if (index.column < 0 || i % columns == index.column)
        at[i] = CountedFrom(at[i], own.begin, own.size(), index.from_end ? whole : 0);
    x = std::move(counted);
  }
}

void AddSpares(const std::vector<SymbolicCut>& cuts, std::vector<Tensor>& inputs) {
  for (const SymbolicCut& cut : cuts) {
    if (!cut.spare) continue;
    Tensor& x = inputs[static_cast<size_t>(cut.tensor)];
    TensorType type = x.type();
    const int64_t size = type.shape[static_cast<size_t>(cut.dim)]++;
    Tensor longer = Tensor::Zeros(type);
    Put(longer, cut.dim, FirstIndices(size), x);
    x = std::move(longer);
  }
}

bool DropSpares(const std::vector<SymbolicCut>& cuts, std::vector<Tensor>& outputs) {
  for (const SymbolicCut& cut : cuts) {
    if (!cut.spare) continue;
    Tensor& y = outputs[static_cast<size_t>(cut.tensor)];
    if (cut.dim >= y.rank() || y.dim(cut.dim) < 2) return false;
    y = Take(y, cut.dim, FirstIndices(y.dim(cut.dim) - 1));
  }
  return true;
}

}  // namespace metadist
