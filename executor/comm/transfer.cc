// SPDX-License-Identifier: Apache-2.0
// Which data a rank reads from which other ranks, for any step between two shardings.
//
// Problem: execute gather, scatter, all-to-all, exchange and reductions between arbitrary
// placements (uneven pieces, several sub-dims, parts) with one piece of code.
// Choice: readers pull. The source placement divides the array into pieces, one for each
// combination of coordinates along the axes that cut it; the pieces are disjoint and cover the
// array. A rank intersects each piece with the part it needs, dim by dim, as lists of runs; a
// product of evenly spaced runs is one strided copy (pull_copies.cc). Along axes that do not cut
// the source, ranks hold copies: the reader uses its own coordinate there, so data comes from the
// nearest holder and readers are spread over the holders. Along axes whose partial values are
// reduced, all coordinates are operands of the reduction. In a permute each rank takes one block
// from one rank: readers are matched with holders one to one (metair/spmd/permute.h). Complexity:
// pieces x dims x runs per rank, once per program. Source: shared design, redistribution of arrays;
// the collectives as typed there.
#include "executor/comm/transfer.h"

#include <algorithm>
#include <cstring>

#include "executor/comm/pull_copies.h"
#include "executor/comm/reduce.h"
#include "metair/spmd/permute.h"

namespace metadist {
namespace {

// Up to this size every rank reduces everything itself, which saves a meeting.
constexpr int64_t kSmallBytes = 8192;

// The ranks that differ from `rank` only along `axes`.
std::vector<int64_t> RanksAlong(const Mesh& mesh, const std::vector<int>& axes, int64_t rank) {
  return axes.empty() ? std::vector<int64_t>{rank} : mesh.Group(axes, rank);
}

// The indices that two lists of intervals share; each side stores its intervals densely in list
// order.
std::vector<CopyRun> Intersect(const std::vector<Interval>& held,
                               const std::vector<Interval>& wanted) {
  std::vector<CopyRun> runs;
  int64_t to = 0;
  for (const Interval& want : wanted) {
    int64_t from = 0;
    for (const Interval& have : held) {
      const int64_t begin = std::max(have.begin, want.begin);
      const int64_t end = std::min(have.end, want.end);
      if (begin < end) {
        const CopyRun run{from + begin - have.begin, to + begin - want.begin, end - begin};
        if (!runs.empty() && runs.back().from + runs.back().size == run.from &&
            runs.back().to + runs.back().size == run.to)
          runs.back().size += run.size;
        else
          runs.push_back(run);
      }
      from += have.size();
    }
    to += want.size();
  }
  return runs;
}

struct Planner {
  const CollectiveStep& step;
  const TensorType& type;
  const Mesh& mesh;
  std::vector<int> reduced;  // axes along which partial values are reduced
  std::vector<int> spread;   // axes along which the target becomes partial
  ReduceOp op = ReduceOp::kSum;
  std::vector<int64_t> givers = {};  // of a permute: the rank whose block each rank takes

  Result<void> Classify();
  Transfer For(int64_t rank) const;
  std::optional<Pull> Pulls(int64_t rank, int64_t holder) const;
};

Result<void> Planner::Classify() {
  bool found = false;
  const auto use = [&](ReduceOp next) {
    const bool same = !found || op == next;
    op = next;
    found = true;
    return same;
  };
  const auto holds = [](const std::vector<Partial>& list, const Partial& partial) {
    return std::find(list.begin(), list.end(), partial) != list.end();
  };
  for (const Partial& partial : step.from.partial) {
    if (holds(step.to.partial, partial)) continue;
    reduced.push_back(partial.axis);
    if (!use(partial.op)) return Internal("a step cannot reduce by two operations");
  }
  for (const Partial& partial : step.to.partial) {
    if (holds(step.from.partial, partial)) continue;
    spread.push_back(partial.axis);
    if (!use(partial.op)) return Internal("a step cannot reduce by two operations");
    if (std::find(reduced.begin(), reduced.end(), partial.axis) != reduced.end())
      return Internal("a step cannot replace one partial by another");
  }
  if (step.kind == CollectiveKind::kPermute) givers = TRY(PermuteSources(step, type.shape, mesh));
  return {};
}

// The part of `holder`'s piece that `rank` takes.
std::optional<Pull> Planner::Pulls(int64_t rank, int64_t holder) const {
  auto pull = Overlap(type.shape, {&step.from, &mesh, holder}, {&step.to, &mesh, rank});
  if (pull) pull->sources = RanksAlong(mesh, reduced, holder);
  return pull;
}

Transfer Planner::For(int64_t rank) const {
  Transfer transfer;
  transfer.element = HeldType(type, step.from).element;
  transfer.made = HeldType(type, step.to).element;
  const bool converts = transfer.made != transfer.element;
  transfer.op = op;
  transfer.elements = NumElements(LocalShape(type.shape, step.to, mesh, rank));
  const std::vector<int64_t> coordinate = mesh.CoordinateOf(rank);
  // Repeating an operand does not change a maximum, and unlike -infinity it is a legal input for
  // what follows.
  if (op == ReduceOp::kSum || op == ReduceOp::kProd)
    for (int axis : spread) transfer.identity |= coordinate[static_cast<size_t>(axis)] != 0;
  if (transfer.identity) return transfer;
  transfer.zeroes = step.to.has_spares();
  // If the source has halos, every rank only drops its own: halos of other ranks may hold values
  // that are not the array's.
  std::vector<int64_t> holders{rank};
  if (!givers.empty())
    holders = {givers[static_cast<size_t>(rank)]};
  else if (!step.from.has_halos())
    holders = RanksAlong(mesh, step.from.CuttingAxes(), rank);
  for (int64_t holder : holders) {
    auto pull = Pulls(rank, holder);
    if (!pull) continue;
    if (pull->sources.size() == 1 && !converts) pull->copies = CopiesOf(*pull, transfer.made);
    transfer.pulls.push_back(std::move(*pull));
  }
  transfer.slices = !reduced.empty() && step.from.dims == step.to.dims && spread.empty() &&
                    transfer.elements * ByteSize(transfer.made) > kSmallBytes;
  if (transfer.slices) transfer.slicers = RanksAlong(mesh, reduced, rank);
  return transfer;
}

int64_t Pulled(const Transfer& transfer) {
  int64_t elements = 0;
  for (const Pull& pull : transfer.pulls) elements += pull.elements();
  return elements;
}

// The axes along which any rank reads from another; used for all ranks, so that every group is a
// whole sub-grid.
std::vector<int> MeetingAxes(const Mesh& mesh, const std::vector<Transfer>& transfers) {
  std::vector<bool> meets(mesh.axes.size(), false);
  for (size_t rank = 0; rank < transfers.size(); ++rank) {
    const std::vector<int64_t> own = mesh.CoordinateOf(static_cast<int64_t>(rank));
    for (const Pull& pull : transfers[rank].pulls)
      for (int64_t source : pull.sources) {
        const std::vector<int64_t> other = mesh.CoordinateOf(source);
        for (size_t a = 0; a < own.size(); ++a)
          if (own[a] != other[a]) meets[a] = true;
      }
  }
  std::vector<int> axes;
  for (size_t a = 0; a < meets.size(); ++a)
    if (meets[a]) axes.push_back(static_cast<int>(a));
  return axes;
}

// Visits a pull as runs of contiguous elements: visit(offset in source, offset in destination,
// count).
template <typename Visitor>
struct RunWalk {
  const Pull& pull;
  size_t depth;  // dims walked element by element; later dims are whole on both sides
  int64_t unit;  // elements of the dims after it
  Visitor& visit;

  void Go(size_t dim, int64_t from, int64_t to) const {
    if (dim == depth) return visit(from * unit, to * unit, unit);
    for (const CopyRun& run : pull.runs[dim]) {
      const int64_t source = from * pull.source_shape[dim] + run.from;
      const int64_t target = to * pull.shape[dim] + run.to;
      if (dim + 1 == depth) {
        visit(source * unit, target * unit, run.size * unit);
        continue;
      }
      for (int64_t i = 0; i < run.size; ++i) Go(dim + 1, source + i, target + i);
    }
  }
};

template <typename Visitor>
void ForEachRun(const Pull& pull, Visitor&& visit) {
  size_t depth = pull.shape.size();
  int64_t unit = 1;
  while (depth > 0) {
    const std::vector<CopyRun>& runs = pull.runs[depth - 1];
    const int64_t size = pull.shape[depth - 1];
    if (runs.size() != 1 || runs[0].size != size || pull.source_shape[depth - 1] != size) break;
    unit *= size;
    --depth;
  }
  RunWalk<Visitor>{pull, depth, unit, visit}.Go(0, 0, 0);
}

void RunPulls(const Transfer& transfer, std::span<void* const> buffers, void* to) {
  const int64_t from_item = ByteSize(transfer.element);
  const int64_t item = ByteSize(transfer.made);
  std::byte* target = static_cast<std::byte*>(to);
  Prefill(transfer, target);
  for (const Pull& pull : transfer.pulls) {
    const auto source = [&](size_t i) {
      return static_cast<const std::byte*>(buffers[static_cast<size_t>(pull.sources[i])]);
    };
    for (const cpu::StridedCopy& copy : pull.copies) copy.Run(source(0), target);
    if (!pull.copies.empty()) continue;
    if (pull.sources.size() == 1 && transfer.made == transfer.element) {
      ForEachRun(pull, [&, base = source(0)](int64_t from, int64_t at, int64_t count) {
        std::memcpy(target + at * item, base + from * item, static_cast<size_t>(count * item));
      });
      continue;
    }
    std::vector<const void*> operands(pull.sources.size());
    ForEachRun(pull, [&](int64_t from, int64_t at, int64_t count) {
      for (size_t i = 0; i < operands.size(); ++i) operands[i] = source(i) + from * from_item;
      Reduce(operands, target + at * item, count, transfer.element, transfer.made, transfer.op);
    });
  }
}

void ReduceOwnSlice(const Transfer& transfer, int64_t rank, std::span<void* const> from, void* to) {
  const Interval slice = transfer.SliceOf(rank);
  std::vector<const void*> operands;
  for (int64_t source : transfer.slicers)
    operands.push_back(static_cast<const std::byte*>(from[static_cast<size_t>(source)]) +
                       slice.begin * ByteSize(transfer.element));
  Reduce(operands,
         static_cast<std::byte*>(to) + slice.begin * ByteSize(transfer.made),
         slice.size(),
         transfer.element,
         transfer.made,
         transfer.op);
}

}  // namespace

int64_t Pull::elements() const {
  int64_t product = 1;
  for (const std::vector<CopyRun>& dim : runs) {
    int64_t sum = 0;
    for (const CopyRun& run : dim) sum += run.size;
    product *= sum;
  }
  return product;
}

Interval Transfer::SliceOf(int64_t rank) const {
  const auto at = std::find(slicers.begin(), slicers.end(), rank);
  return Piece(elements, static_cast<int64_t>(slicers.size()), at - slicers.begin());
}

std::optional<Pull> Overlap(const Shape& shape, const RankPart& held, const RankPart& wanted) {
  const std::vector<int64_t> source = held.mesh->CoordinateOf(held.rank);
  const std::vector<int64_t> target = wanted.mesh->CoordinateOf(wanted.rank);
  Pull pull;
  for (size_t d = 0; d < shape.size(); ++d) {
    pull.runs.push_back(
        Intersect(LocalIntervals(held.sharding->dims[d], shape[d], *held.mesh, source),
                  LocalIntervals(wanted.sharding->dims[d], shape[d], *wanted.mesh, target)));
    if (pull.runs.back().empty()) return std::nullopt;
  }
  pull.source_shape = LocalShape(shape, *held.sharding, *held.mesh, held.rank);
  pull.shape = LocalShape(shape, *wanted.sharding, *wanted.mesh, wanted.rank);
  return pull;
}

Result<std::vector<Transfer>> PlanTransfers(const CollectiveStep& step,
                                            const TensorType& type,
                                            const Mesh& mesh) {
  Planner planner{step, type, mesh, {}, {}};
  TRY(planner.Classify());
  std::vector<Transfer> transfers;
  for (int64_t rank = 0; rank < mesh.ranks(); ++rank) transfers.push_back(planner.For(rank));
  for (const Transfer& transfer : transfers)
    if (step.from.has_halos() && !transfer.identity && !transfer.zeroes &&
        Pulled(transfer) != transfer.elements)
      return Internal("a rank lacks elements that it is to keep of what it holds");
  const std::vector<int> axes = MeetingAxes(mesh, transfers);
  // Uneven pieces can be on both sides of the size limit; all ranks must use the same method.
  const bool slices =
      std::any_of(transfers.begin(), transfers.end(), [](const Transfer& t) { return t.slices; });
  for (int64_t rank = 0; rank < mesh.ranks(); ++rank) {
    Transfer& transfer = transfers[static_cast<size_t>(rank)];
    transfer.group = RanksAlong(mesh, axes, rank);
    std::sort(transfer.group.begin(), transfer.group.end());
    if (slices) {
      transfer.slices = true;
      transfer.slicers = RanksAlong(mesh, planner.reduced, rank);
    }
  }
  return transfers;
}

void PackPull(const Pull& pull, ElementType element, const std::byte* source, std::byte* packed) {
  const int64_t item = ByteSize(element);
  ForEachRun(pull, [&](int64_t from, int64_t, int64_t count) {
    std::memcpy(packed, source + from * item, static_cast<size_t>(count * item));
    packed += count * item;
  });
}

void UnpackPull(const Transfer& transfer,
                const Pull& pull,
                std::span<const std::byte* const> packed,
                std::byte* to) {
  const int64_t from_item = ByteSize(transfer.element);
  const int64_t item = ByteSize(transfer.made);
  const bool copies = packed.size() == 1 && transfer.made == transfer.element;
  std::vector<const void*> operands(packed.begin(), packed.end());
  ForEachRun(pull, [&](int64_t, int64_t at, int64_t count) {
    if (copies)
      std::memcpy(to + at * item, operands[0], static_cast<size_t>(count * item));
    else
      Reduce(operands, to + at * item, count, transfer.element, transfer.made, transfer.op);
    for (const void*& operand : operands)
      operand = static_cast<const std::byte*>(operand) + count * from_item;
  });
}

void Prefill(const Transfer& transfer, std::byte* to) {
  if (transfer.identity)
    FillIdentity(to, transfer.elements, transfer.made, transfer.op);
  else if (transfer.zeroes)
    std::memset(to, 0, static_cast<size_t>(transfer.elements * ByteSize(transfer.made)));
}

void RunTransfer(const Transfer& transfer, int64_t rank, std::span<void* const> from, void* to) {
  if (transfer.slices)
    ReduceOwnSlice(transfer, rank, from, to);
  else
    RunPulls(transfer, from, to);
}

void GatherSlices(const Transfer& transfer, int64_t rank, std::span<void* const> to) {
  const int64_t item = ByteSize(transfer.made);
  std::byte* target = static_cast<std::byte*>(to[static_cast<size_t>(rank)]);
  for (size_t i = 0; i < transfer.slicers.size(); ++i) {
    if (transfer.slicers[i] == rank) continue;
    const Interval piece = Piece(
        transfer.elements, static_cast<int64_t>(transfer.slicers.size()), static_cast<int64_t>(i));
    const std::byte* source =
        static_cast<const std::byte*>(to[static_cast<size_t>(transfer.slicers[i])]);
    std::memcpy(target + piece.begin * item,
                source + piece.begin * item,
                static_cast<size_t>(piece.size() * item));
  }
}

}  // namespace metadist
