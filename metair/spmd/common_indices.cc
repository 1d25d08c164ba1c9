// SPDX-License-Identifier: Apache-2.0
//
// Counts the indices that two pieces of a dim share, without enumerating them.
//
// Write an index within a part in the mixed radix of the part's sub-dims. A piece is then a product
// of intervals, one for each digit. If two parts of equal size have the same leading radix, the
// count is the number of common leading digits times the count for the remaining digits. If the
// leading radices have a common divisor, each digit is split into an outer and an inner digit; an
// interval of the original digit becomes at most three products: the end of one block, whole
// blocks, and the beginning of another. If the radices are coprime, or the parts start at different
// offsets, the runs of the side with fewer runs are counted on the other side: the number of
// indices below a limit that a product contains is a sum over its digits. The cost depends on the
// sub-dims, not on the size of the dim, except for scattered pieces on both sides with coprime
// radices.
#include "metair/spmd/common_indices.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace metadist {
namespace {

// A digit of an index, and the interval of its values that a rank holds.
struct Digit {
  int64_t radix = 1;
  Interval own;
};

using Digits = std::vector<Digit>;

Digits DigitsOf(const DimPart& part, const Mesh& mesh, const std::vector<int64_t>& coordinate) {
  Digits digits;
  for (const SubDim& sub : part.sub)
    digits.push_back(
        {sub.size, Piece(sub.size, mesh.size(sub.axes), mesh.IndexAlong(sub.axes, coordinate))});
  return digits;
}

Interval Meet(const Interval& a, const Interval& b) {
  const int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

int64_t Held(std::span<const Digit> digits) {
  int64_t product = 1;
  for (const Digit& digit : digits) product *= digit.own.size();
  return product;
}

// Splits an interval of one digit into products of intervals of an outer and an inner digit, inner
// < `inner`.
std::vector<std::pair<Interval, Interval>> Apart(const Interval& own, int64_t inner) {
  std::vector<std::pair<Interval, Interval>> products;
  int64_t begin = own.begin;
  while (begin < own.end) {
    const int64_t block = begin / inner;
    const int64_t within = begin % inner;
    const bool blocks = within == 0 && own.end - begin >= inner;
    const int64_t end = blocks ? own.end - own.end % inner : std::min(own.end, (block + 1) * inner);
    if (blocks)
      products.push_back({{block, end / inner}, {0, inner}});
    else
      products.push_back({{block, block + 1}, {within, end - block * inner}});
    begin = end;
  }
  return products;
}

int64_t SizeOf(std::span<const Digit> digits) {
  int64_t product = 1;
  for (const Digit& digit : digits) product *= digit.radix;
  return product;
}

// The number of indices below `end` that the product contains.
int64_t Below(std::span<const Digit> digits, int64_t end) {
  int64_t unit = SizeOf(digits);
  if (end >= unit) return Held(digits);
  int64_t count = 0;
  for (size_t i = 0; i < digits.size() && end > 0; ++i) {
    unit /= digits[i].radix;
    const int64_t digit = end / unit;
    count += Meet(digits[i].own, {0, digit}).size() * Held(digits.subspan(i + 1));
    if (digit < digits[i].own.begin || digit >= digits[i].own.end) return count;
    end -= digit * unit;
  }
  return count;
}

// Position of the last digit that is not whole. The digits before it enumerate the runs.
size_t LastCut(std::span<const Digit> digits) {
  size_t last = digits.size();
  while (last > 0 && digits[last - 1].own.size() == digits[last - 1].radix) --last;
  return last == 0 ? 0 : last - 1;
}

int64_t NumRuns(std::span<const Digit> digits) { return Held(digits.first(LastCut(digits))); }

// Calls visit(begin, end) for every run of a product. last: LastCut(digits).
template <typename Visitor>
void ForEachRun(std::span<const Digit> digits, size_t last, int64_t offset, Visitor& visit) {
  if (digits.empty()) return visit(offset, offset + 1);
  const int64_t unit = SizeOf(digits.subspan(1));
  const Interval& own = digits[0].own;
  if (last == 0) return visit(offset + own.begin * unit, offset + own.end * unit);
  for (int64_t i = own.begin; i < own.end; ++i)
    ForEachRun(digits.subspan(1), last - 1, offset + i * unit, visit);
}

// Index 0 of b is index `offset` of a.
int64_t CommonByRuns(std::span<const Digit> a, std::span<const Digit> b, int64_t offset) {
  if (NumRuns(b) < NumRuns(a)) return CommonByRuns(b, a, -offset);
  int64_t common = 0;
  const auto add = [&](int64_t begin, int64_t end) {
    common += Below(b, std::max<int64_t>(0, end - offset)) -
              Below(b, std::max<int64_t>(0, begin - offset));
  };
  ForEachRun(a, LastCut(a), 0, add);
  return common;
}

// Both products have the same size.
int64_t Common(std::span<const Digit> a, std::span<const Digit> b) {
  if (a.empty()) return Held(b);
  if (b.empty()) return Held(a);
  if (a[0].radix == b[0].radix)
    return Meet(a[0].own, b[0].own).size() * Common(a.subspan(1), b.subspan(1));
  const int64_t outer = std::gcd(a[0].radix, b[0].radix);
  if (outer == 1 && a[0].radix != 1 && b[0].radix != 1) return CommonByRuns(a, b, 0);
  Digits left(a.begin(), a.end());
  Digits right(b.begin(), b.end());
  int64_t common = 0;
  for (const auto& [of_a, in_a] : Apart(a[0].own, a[0].radix / outer)) {
    for (const auto& [of_b, in_b] : Apart(b[0].own, b[0].radix / outer)) {
      left[0] = {a[0].radix / outer, in_a};
      right[0] = {b[0].radix / outer, in_b};
      const auto skip = [](const Digits& digits) {
        return std::span<const Digit>(digits).subspan(digits[0].radix == 1 ? 1 : 0);
      };
      const int64_t both = Meet(of_a, of_b).size();
      if (both > 0) common += both * Common(skip(left), skip(right));
    }
  }
  return common;
}

// The dim as concatenated products. A piece with a halo is at most two runs, each a product of one
// digit.
std::vector<Digits> ProductsOf(const DimSharding& dim,
                               int64_t size,
                               const Mesh& mesh,
                               const std::vector<int64_t>& coordinate) {
  if (dim.whole()) return {{{size, {0, size}}}};
  std::vector<Digits> products;
  if (!dim.halo.empty()) {
    std::vector<Interval> runs = LocalIntervals(dim, size, mesh, coordinate);
    std::ranges::sort(runs, {}, &Interval::begin);
    int64_t begin = 0;
    for (const Interval& run : runs) {
      products.push_back({{run.end - begin, {run.begin - begin, run.end - begin}}});
      begin = run.end;
    }
    if (begin < size) products.push_back({{size - begin, {0, 0}}});
    return products;
  }
  for (const DimPart& part : dim.parts) products.push_back(DigitsOf(part, mesh, coordinate));
  return products;
}

}  // namespace

int64_t CommonIndices(const DimSharding& a,
                      const std::vector<int64_t>& here,
                      const DimSharding& b,
                      const std::vector<int64_t>& there,
                      int64_t size,
                      const Mesh& mesh) {
  const std::vector<Digits> left = ProductsOf(a, size, mesh, here);
  const std::vector<Digits> right = ProductsOf(b, size, mesh, there);
  int64_t common = 0;
  int64_t at_left = 0, at_right = 0;
  for (size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    const int64_t of_left = SizeOf(left[i]);
    const int64_t of_right = SizeOf(right[j]);
    if (at_left == at_right && of_left == of_right)
      common += Common(left[i], right[j]);
    else
      common += CommonByRuns(left[i], right[j], at_right - at_left);
    const int64_t end_left = at_left + of_left;
    const int64_t end_right = at_right + of_right;
    if (end_left <= end_right) at_left = end_left, ++i;
    if (end_right <= end_left) at_right = end_right, ++j;
  }
  return common;
}

}  // namespace metadist
