// SPDX-License-Identifier: Apache-2.0
#include "tests/wide/random_case.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace metadist {
namespace {

// The placement of every factor of the mesh: a dim, unused (rank), or partial (rank + 1).
std::vector<int64_t> DrawSeats(Twister& random, size_t factors, int64_t rank, bool partial) {
  std::vector<int64_t> seats(factors);
  for (int64_t& seat : seats) seat = Below(random, rank + 1 + (partial ? 1 : 0));
  return seats;
}

std::vector<std::vector<int>> Lists(Twister& random,
                                    const std::vector<int64_t>& seats,
                                    int64_t rank) {
  std::vector<int> order(seats.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::vector<int>> lists(static_cast<size_t>(rank));
  for (int axis : order)
    if (seats[static_cast<size_t>(axis)] < rank)
      lists[static_cast<size_t>(seats[static_cast<size_t>(axis)])].push_back(axis);
  return lists;
}

Sharding Cut(const Shape& shape, const std::vector<std::vector<int>>& lists) {
  Sharding sharding = Sharding::Replicated(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    if (!lists[d].empty()) sharding.dims[d] = DimSharding::Cut(shape[d], lists[d]);
  return sharding;
}

}  // namespace

PrimeMesh DrawMesh(Twister& random, int64_t most_devices) {
  constexpr int64_t kSizes[] = {2, 2, 2, 3, 4, 4, 5, 6, 8};
  Mesh mesh;
  const int64_t axes = 1 + Below(random, 3);
  for (int64_t a = 0; a < axes; ++a) {
    const int64_t size = kSizes[static_cast<size_t>(Below(random, std::size(kSizes)))];
    if (mesh.ranks() * size > most_devices) continue;
    mesh.axes.push_back({std::string(1, static_cast<char>('x' + mesh.axes.size())), size});
  }
  if (mesh.axes.empty()) mesh.axes.push_back({"x", 2});
  return SplitMesh(mesh, {}).value();
}

RouteCase DrawCase(Twister& random, const PrimeMesh& mesh, int64_t rank) {
  const bool partial = Below(random, 3) == 0;
  RouteCase drawn;
  drawn.divides = Below(random, 10) != 0;
  const size_t factors = mesh.fine.axes.size();
  const std::vector<int64_t> from_seats = DrawSeats(random, factors, rank, partial);
  const auto from = Lists(random, from_seats, rank);
  const auto to = Lists(random, DrawSeats(random, factors, rank, false), rank);
  constexpr int64_t kMore[] = {1, 1, 1, 2, 2, 3, 5};
  Shape shape;
  int64_t elements = 1;
  for (size_t d = 0; d < static_cast<size_t>(rank); ++d) {
    const int64_t a = mesh.fine.size(from[d]);
    const int64_t b = mesh.fine.size(to[d]);
    int64_t size = std::lcm(a, b);
    const int64_t more = kMore[static_cast<size_t>(Below(random, std::size(kMore)))];
    if (elements * size * more <= 1 << 16) size *= more;
    // Slightly more or less than a divisible size, but without empty pieces.
    if (!drawn.divides) size = std::max(std::max(a, b), size + Below(random, 7) - 3);
    shape.push_back(size);
    elements *= size;
  }
  drawn.request.type = {ElementType::kI32, shape};
  drawn.request.mesh = &mesh;
  drawn.request.from = Cut(shape, from);
  for (size_t axis = 0; axis < factors; ++axis)
    if (from_seats[axis] == rank + 1)
      drawn.request.from.partial.push_back({static_cast<int>(axis), ReduceOp::kSum});
  drawn.request.to = Cut(shape, to);
  for (const Partial& held : drawn.request.from.partial)
    if (Below(random, 4) == 0 && drawn.request.to.CuttingAxes().empty())
      drawn.request.to.partial.push_back(held);
  if (!drawn.divides) drawn.request.uneven = Below(random, 2) == 0 ? Uneven::kP2p : Uneven::kPadded;
  return drawn;
}

}  // namespace metadist
