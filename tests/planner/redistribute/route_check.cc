// SPDX-License-Identifier: Apache-2.0
#include "tests/planner/redistribute/route_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "metair/ir/check.h"
#include "planner/redistribute/baselines/move_costs.h"

namespace metadist {
namespace {

using Block = std::vector<Interval>;  // one range per dim

PrimeMesh Split(std::string_view mesh, const std::vector<std::string>& texts) {
  return SplitMesh(ParseMesh(mesh).value(), texts).value();
}

RouteProblem Problem(const PrimeMesh& mesh,
                     const Shape& shape,
                     const std::string& from,
                     const std::string& to) {
  const auto parse = [&](const std::string& text) {
    return Normalize(ParseOn(text, shape, mesh).value(), mesh.fine);
  };
  return MakeRouteProblem(shape, parse(from), parse(to), mesh, true).value();
}

class Checker {
 public:
  explicit Checker(const RouteProblem& problem) : problem_(problem), mesh_(problem.mesh->fine) {}

  std::string Check(const std::vector<Move>& moves) const {
    Layout at = problem_.from;
    for (const Move& move : moves) {
      const std::string wrong = CheckMove(move, at);
      if (!wrong.empty())
        return fmt::format(
            "{} {}: {}", Name(move.kind), AxesTextOn(move.axes.ids(), *problem_.mesh), wrong);
      at = move.to;
    }
    return at == problem_.to ? "" : "the last step does not lead to the destination";
  }

 private:
  // Only for plain dims: one slot each.
  std::vector<Block> Blocks(const Layout& layout) const {
    std::vector<Block> blocks(static_cast<size_t>(mesh_.ranks()));
    for (int64_t rank = 0; rank < mesh_.ranks(); ++rank) {
      const std::vector<int64_t> at = mesh_.CoordinateOf(rank);
      for (size_t slot = 0; slot < problem_.view.slots(); ++slot) {
        int64_t index = 0;
        int64_t pieces = 1;
        for (uint8_t axis : layout.AxesOf(slot)) {
          index = index * mesh_.size(axis) + at[axis];
          pieces *= mesh_.size(axis);
        }
        const int64_t size = problem_.view.sizes(slot)[0] / pieces;
        blocks[static_cast<size_t>(rank)].push_back({index * size, (index + 1) * size});
      }
    }
    return blocks;
  }

  static int64_t Elements(const Block& block) {
    int64_t count = 1;
    for (const Interval& range : block) count *= std::max<int64_t>(range.size(), 0);
    return count;
  }

  static Block Common(const Block& a, const Block& b) {
    Block out;
    for (size_t d = 0; d < a.size(); ++d)
      out.push_back({std::max(a[d].begin, b[d].begin), std::min(a[d].end, b[d].end)});
    return out;
  }

  std::string CheckMove(const Move& move, const Layout& from) const {
    const std::vector<Block> before = Blocks(from);
    const std::vector<Block> after = Blocks(move.to);
    for (const Block& block : after)
      if (Elements(block) == 0) return "an empty block";
    std::string partials = CheckPartials(move, from);
    if (!partials.empty()) return partials;
    if (move.kind == CollectiveKind::kPermute) return CheckPermute(before, after);
    for (int64_t rank = 0; rank < mesh_.ranks(); ++rank) {
      std::vector<int64_t> shares;  // of the new block, by rank of the group
      for (int64_t peer : mesh_.Group(move.axes.ids(), rank))
        shares.push_back(
            Elements(Common(after[static_cast<size_t>(rank)], before[static_cast<size_t>(peer)])));
      const std::string wrong = CheckShares(move.kind,
                                            shares,
                                            Elements(before[static_cast<size_t>(rank)]),
                                            Elements(after[static_cast<size_t>(rank)]));
      if (!wrong.empty()) return fmt::format("rank {}: {}", rank, wrong);
    }
    return "";
  }

  // Blocks of one size are equal or disjoint, so the shares are sufficient.
  static std::string CheckShares(CollectiveKind kind,
                                 const std::vector<int64_t>& shares,
                                 int64_t before,
                                 int64_t after) {
    const auto group = static_cast<int64_t>(shares.size());
    const auto all = [&](int64_t share) {
      return std::all_of(shares.begin(), shares.end(), [&](int64_t s) { return s == share; });
    };
    switch (kind) {
      case CollectiveKind::kSlice:
        return all(after) && after * group == before ? "" : "not a part of what all of them held";
      case CollectiveKind::kAllGather:
        return all(before) && after == before * group ? "" : "not the union of the group's blocks";
      case CollectiveKind::kAllToAll:
        return all(after / group) && after == before ? "" : "not as much from each of the group";
      case CollectiveKind::kReduceScatter:
        return all(after) && after * group == before ? "" : "not a part of every summand";
      case CollectiveKind::kAllReduce:
        return all(after) && after == before ? "" : "a summand is missing";
      default:
        return "no step of a baseline";
    }
  }

  static std::string CheckPermute(const std::vector<Block>& before,
                                  const std::vector<Block>& after) {
    const auto holders = [](const std::vector<Block>& blocks) {
      std::map<std::vector<int64_t>, int> count;
      for (const Block& block : blocks) {
        std::vector<int64_t> key;
        for (const Interval& range : block) key.insert(key.end(), {range.begin, range.end});
        ++count[key];
      }
      return count;
    };
    return holders(before) == holders(after) ? "" : "a block is lost or held by another number";
  }

  std::string CheckPartials(const Move& move, const Layout& from) const {
    const bool reduces =
        move.kind == CollectiveKind::kAllReduce || move.kind == CollectiveKind::kReduceScatter;
    Layout rest = from;
    if (reduces) {
      for (uint8_t axis : move.axes)
        if (!from.PartialOf(axis)) return "an axis that is not partial is reduced";
      rest.Free(move.axes);
    }
    return rest.Partials() == move.to.Partials() ? "" : "other axes are partial afterwards";
  }

  const RouteProblem& problem_;
  const Mesh& mesh_;
};

}  // namespace

TestProblem::TestProblem(std::string_view mesh_text,
                         const Shape& shape,
                         const std::string& from,
                         const std::string& to)
    : mesh(Split(mesh_text, {from, to})), problem(Problem(mesh, shape, from, to)) {
  problem.mesh = &mesh;
}

std::string CheckRoute(const RouteProblem& problem, const std::vector<Move>& moves) {
  return Checker(problem).Check(moves);
}

RouteSize SizeOf(const RouteProblem& problem, const std::vector<Move>& moves) {
  ElementCosts costs(problem.mesh->fine);
  int64_t here = problem.view.LargestElements(problem.from);
  RouteSize size{here, 0};
  for (const Move& move : moves) {
    const int64_t there = problem.view.LargestElements(move.to);
    size.received += move.kind == CollectiveKind::kPermute
                         ? costs.Elements(costs.Permute(here))
                         : costs.Elements(costs.Of(move.kind, move.axes, here, there));
    size.peak = std::max(size.peak, there);
    here = there;
  }
  return size;
}

std::string KindsOf(const std::vector<Move>& moves) {
  static const std::map<CollectiveKind, std::string_view> kNames{
      {CollectiveKind::kSlice, "slice"},
      {CollectiveKind::kAllGather, "gather"},
      {CollectiveKind::kAllToAll, "a2a"},
      {CollectiveKind::kPermute, "permute"},
      {CollectiveKind::kReduceScatter, "reduce_scatter"},
      {CollectiveKind::kAllReduce, "all_reduce"}};
  std::string text;
  for (size_t i = 0; i < moves.size(); ++i) {
    if (i > 0 && moves[i].kind == moves[i - 1].kind) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ",", kNames.at(moves[i].kind));
  }
  return text;
}

}  // namespace metadist
