// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/min_plus.h"

#include <algorithm>
#include <cstring>

#include "metair/ir/multiversion.h"

namespace metadist {

// The inner loop of message passing, on tables of about ten rows and columns. A few columns at a
// time stay in registers down all rows, so each entry is read, added and compared once; the last
// group of columns overlaps the one before, which does not change a minimum. Every addition is
// rounded on its own and minima are exact, so lanes of any width give the same result.

namespace {

constexpr size_t kLanes = 4;
using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;

METADIST_INLINE void Sum(const double* entries, double add, Lanes& out) {
  std::memcpy(&out, entries, sizeof out);
  out += add;
}

METADIST_INLINE void Lower(const Lanes& by, Lanes& out) { out = by < out ? by : out; }

double FewColumns(const std::vector<double>& added,
                  const double* costs,
                  size_t columns,
                  double* out) {
  for (size_t q = 0; q < columns; ++q) out[q] = added[0] + costs[q];
  for (size_t p = 1; p < added.size(); ++p) {
    for (size_t q = 0; q < columns; ++q) {
      const double value = added[p] + costs[p * columns + q];
      out[q] = value < out[q] ? value : out[q];
    }
  }
  return *std::min_element(out, out + columns);
}

METADIST_MULTIVERSION
double ManyColumns(
    const double* added, size_t rows, const double* costs, size_t columns, double* out) {
  Lanes least;
  Sum(costs, added[0], least);
  size_t q = 0;
  for (; q + 2 * kLanes <= columns; q += 2 * kLanes) {
    Lanes low;
    Lanes high;
    Sum(costs + q, added[0], low);
    Sum(costs + q + kLanes, added[0], high);
    for (size_t p = 1; p < rows; ++p) {
      const double* row = costs + p * columns + q;
      Lanes sum;
      Sum(row, added[p], sum);
      Lower(sum, low);
      Sum(row + kLanes, added[p], sum);
      Lower(sum, high);
    }
    std::memcpy(out + q, &low, sizeof low);
    std::memcpy(out + q + kLanes, &high, sizeof high);
    Lower(low, least);
    Lower(high, least);
  }
  while (q < columns) {
    q = std::min(q, columns - kLanes);
    Lanes best;
    Sum(costs + q, added[0], best);
    for (size_t p = 1; p < rows; ++p) {
      Lanes sum;
      Sum(costs + p * columns + q, added[p], sum);
      Lower(sum, best);
    }
    std::memcpy(out + q, &best, sizeof best);
    Lower(best, least);
    q += kLanes;
  }
  return std::min({least[0], least[1], least[2], least[3]});
}

}  // namespace

double MinPlus(const std::vector<double>& added, const double* costs, size_t columns, double* out) {
  if (columns < kLanes) return FewColumns(added, costs, columns, out);
  return ManyColumns(added.data(), added.size(), costs, columns, out);
}

}  // namespace metadist
