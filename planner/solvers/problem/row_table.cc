// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/row_table.h"

namespace metadist {

void RowTable::Add(const std::vector<MemoryRow>& rows) {
  Place place{values_.size(), static_cast<uint32_t>(rows.size()), kBounds};
  if (!rows.empty()) place.stride += static_cast<uint32_t>(rows[0].usage.size());
  for (const MemoryRow& row : rows) {
    values_.push_back(row.lo);
    values_.push_back(row.hi);
    values_.insert(values_.end(), row.usage.begin(), row.usage.end());
  }
  nodes_.push_back(place);
}

void RowTable::Clear() {
  nodes_.assign(nodes_.size(), {});
  values_.clear();
}

std::vector<MemoryRow> RowTable::Copy(size_t node) const {
  std::vector<MemoryRow> out;
  for (const Row& row : (*this)[node])
    out.push_back({row.lo, row.hi, {row.usage.begin(), row.usage.end()}});
  return out;
}

}  // namespace metadist
