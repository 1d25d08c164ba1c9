// SPDX-License-Identifier: Apache-2.0
// Trailing dims that are copied whole become part of the elements. A position with the same index
// as the previous one is a copy of the previous result, so whole repeated rows are single copies.
#include "executor/cpu/mapped_copy.h"

#include <algorithm>
#include <cstring>

#include "executor/cpu/item.h"

namespace metadist::cpu {
namespace {

bool IsWhole(const std::vector<int64_t>& map, int64_t size) {
  if (static_cast<int64_t>(map.size()) != size) return false;
  for (int64_t i = 0; i < size; ++i)
    if (map[static_cast<size_t>(i)] != i) return false;
  return true;
}

void FillBytes(std::byte* to, int64_t bytes, const std::byte* fill, int64_t item) {
  VisitItem(item, [&](auto value) {
    std::memcpy(&value, fill, sizeof(value));
    constexpr int64_t kItem = sizeof(value);
    std::fill_n(reinterpret_cast<decltype(value)*>(to), bytes / kItem, value);
  });
}

// Copies single elements.
template <typename T>
void Pick(const std::vector<int64_t>& map,
          const std::byte* from,
          std::byte* to,
          const std::byte* fill) {
  const T* x = reinterpret_cast<const T*>(from);
  T* y = reinterpret_cast<T*>(to);
  T value;
  std::memcpy(&value, fill, sizeof(T));
  for (size_t i = 0; i < map.size(); ++i) y[i] = map[i] < 0 ? value : x[map[i]];
}

}  // namespace

MappedCopy MappedCopy::Make(const Shape& from,
                            std::vector<std::vector<int64_t>> maps,
                            int64_t item_bytes) {
  MappedCopy copy;
  copy.item_ = item_bytes;
  int64_t from_bytes = item_bytes;
  int64_t to_bytes = item_bytes;
  size_t last = maps.size();
  for (; last > 0 && IsWhole(maps[last - 1], from[last - 1]); --last)
    from_bytes = to_bytes *= from[last - 1];
  if (last == 0) {  // all dims are whole
    copy.dims_.push_back({{0}, from_bytes, to_bytes});
  }
  for (size_t d = last; d-- > 0;) {
    const int64_t places = static_cast<int64_t>(maps[d].size());
    copy.dims_.insert(copy.dims_.begin(), Dim{std::move(maps[d]), from_bytes, to_bytes});
    from_bytes *= from[d];
    to_bytes *= places;
  }
  const Dim& row = copy.dims_.back();
  for (size_t i = 0; i < row.map.size(); ++i) {
    const int64_t index = row.map[i];
    const bool joins = i > 0 && (index < 0 ? row.map[i - 1] < 0
                                           : row.map[i - 1] >= 0 && index == row.map[i - 1] + 1);
    if (joins)
      copy.pieces_.back().bytes += row.to_bytes;
    else
      copy.pieces_.push_back({index < 0 ? -1 : index * row.from_bytes,
                              static_cast<int64_t>(i) * row.to_bytes,
                              row.to_bytes});
  }
  const bool single = row.to_bytes == item_bytes;
  if (single && copy.pieces_.size() * 4 > row.map.size()) copy.pieces_.clear();
  return copy;
}

void MappedCopy::Run(const std::byte* from, std::byte* to, const std::byte* fill) const {
  Walk(0, from, to, fill);
}

void MappedCopy::Walk(size_t d, const std::byte* from, std::byte* to, const std::byte* fill) const {
  if (d + 1 == dims_.size()) return CopyRow(from, to, fill);
  const Dim& dim = dims_[d];
  for (size_t i = 0; i < dim.map.size(); ++i, to += dim.to_bytes) {
    if (i > 0 && dim.map[i] == dim.map[i - 1])
      std::memcpy(to, to - dim.to_bytes, static_cast<size_t>(dim.to_bytes));
    else if (dim.map[i] < 0)
      FillBytes(to, dim.to_bytes, fill, item_);
    else
      Walk(d + 1, from + dim.map[i] * dim.from_bytes, to, fill);
  }
}

void MappedCopy::CopyRow(const std::byte* from, std::byte* to, const std::byte* fill) const {
  for (const Piece& piece : pieces_) {
    if (piece.from < 0)
      FillBytes(to + piece.to, piece.bytes, fill, item_);
    else
      std::memcpy(to + piece.to, from + piece.from, static_cast<size_t>(piece.bytes));
  }
  if (!pieces_.empty()) return;
  VisitItem(item_, [&](auto zero) { Pick<decltype(zero)>(dims_.back().map, from, to, fill); });
}

}  // namespace metadist::cpu
