// SPDX-License-Identifier: Apache-2.0
// Routes between shardings.
//
// Problem: an array has one layout and a consumer requires another. Any sequence of collectives
// that chains from one to the other is correct; the cheapest by the profile is needed. (Rink,
// Paszke, Vytiniotis, Schmid, "Memory-efficient array redistribution through portable collective
// communication", arXiv:2112.01075, gives normal forms for evenly divided arrays.)
//
// Here: Dijkstra over layouts with moves on whole mesh axes (moves.h) and permutations of blocks,
// none of which leaves a rank with more than the larger end; and as an alternative one
// point-to-point exchange, which exists between any two shardings (uneven pieces that do not nest,
// pieces across block boundaries). Axes that become partial at the end are local steps after
// either, and so is the exchange of halos; a halo of the source is dropped before either. The
// exchange is only priced if no route of collectives exists or it has several steps: a single
// collective moves no more than necessary.
//
// Complexity: there are sum_i C(k, i) i! C(i + s - 1, s - 1) layouts of k axes over s slots; a
// search tree is only extended until its target is settled, and serves all targets of one source.
#include "planner/redistribute/redistribute.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "planner/redistribute/point_to_point.h"
#include "planner/redistribute/route_steps.h"
#include "planner/redistribute/route_tree.h"

namespace metadist {
namespace {

// With more layouts than this in all search trees, some 200 bytes each, the trees are discarded.
constexpr int64_t kMostPlaces = 400000;

// The target without the axes that only a local step at the end can make partial.
Sharding WithoutNewPartials(const Sharding& from, const Sharding& to) {
  Sharding out = to;
  std::erase_if(out.partial, [&](const Partial& partial) {
    return std::find(from.partial.begin(), from.partial.end(), partial) == from.partial.end();
  });
  return out;
}

// The axes, a bit each, that cut neither sharding and on which neither is partial.
uint32_t WholeOnBoth(const Sharding& from, const Sharding& to, const Mesh& mesh) {
  uint32_t used = 0;
  for (const Sharding* sharding : {&from, &to}) {
    for (const int axis : sharding->CuttingAxes()) used |= uint32_t{1} << axis;
    for (const Partial& partial : sharding->partial) used |= uint32_t{1} << partial.axis;
  }
  return ((uint32_t{1} << mesh.axes.size()) - 1) & ~used;
}

// The local step that adds the partial axes of `to`.
CollectiveStep MakePartial(const Sharding& from, const Sharding& to) {
  return {CollectiveKind::kPartial, AxesPartialOnlyIn(to, from), from, to};
}

}  // namespace

Redistributor::Redistributor(Mesh mesh, Cluster cluster, RouteAxes axes)
    : mesh_(std::move(mesh)), cluster_(std::move(cluster)), axes_(axes), pricer_(mesh_, cluster_) {}

Redistributor::~Redistributor() = default;

void Redistributor::Append(Route& route, const TensorType& type, CollectiveStep step) {
  const int64_t before = LargestHeldBytes(type, step.from, mesh_);
  const int64_t after = LargestHeldBytes(type, step.to, mesh_);
  route.price += pricer_.Price(step, type);
  route.received_bytes += ReceivedBytes(step, type, mesh_);
  route.peak_bytes = std::max(route.peak_bytes, before + after);
  route.steps.push_back(std::move(step));
}

Redistributor::Source& Redistributor::SourceOf(const TensorType& type, const Sharding& from) {
  if (last_source_ != nullptr && last_source_->type == type && last_source_->from == from)
    return *last_source_;
  std::unique_ptr<Source>& source = sources_[{type, from, {}}];
  if (!source) source = std::make_unique<Source>(Source{type, from, {}});
  last_source_ = source.get();
  return *source;
}

void Redistributor::ForgetSearches() {
  sources_.clear();
  last_source_ = nullptr;
  places_ = 0;
}

RouteTree* Redistributor::TreeFor(const TensorType& type,
                                  const Sharding& from,
                                  const Sharding& to,
                                  int& place) {
  auto view = View::Common(type.shape, from, to, mesh_);
  if (!view) return nullptr;
  const Layout source = view->LayoutOf(from);
  const Layout target = view->LayoutOf(to);
  const int64_t most = std::max(view->LargestElements(source), view->LargestElements(target));
  if (places_ > kMostPlaces) ForgetSearches();
  const uint32_t frozen = axes_ == RouteAxes::kAll ? 0 : WholeOnBoth(from, to, mesh_);
  std::unique_ptr<RouteTree>& tree = SourceOf(type, from).trees[{most, view->signature(), frozen}];
  if (!tree)
    tree = std::make_unique<RouteTree>(
        std::move(*view), mesh_, pricer_, type.element, source, RouteLimits{most, frozen});
  const int known = tree->size();
  place = tree->Find(target);
  places_ += tree->size() - known;
  return place < 0 ? nullptr : tree.get();
}

Redistributor::Way Redistributor::Choose(const TensorType& type,
                                         const Sharding& from,
                                         const Sharding& to) {
  Way way;
  way.tree = TreeFor(type, from, to, way.place);
  if (way.tree != nullptr) {
    way.seconds = way.tree->seconds(way.place);
    if (!way.tree->HasDetour(way.place)) return way;
  }
  const double most = way.tree == nullptr ? std::numeric_limits<double>::infinity() : way.seconds;
  const double exchange = ExchangeSeconds(type, from, to, most);
  if (way.tree != nullptr && exchange >= most) return way;
  return {nullptr, -1, exchange};
}

double Redistributor::ExchangeSeconds(const TensorType& type,
                                      const Sharding& from,
                                      const Sharding& to,
                                      double most) {
  double seconds = 0;
  const AxisList reduced(AxesPartialOnlyIn(from, to));
  if (!reduced.empty()) {
    const ElementType held = HeldType(type, from).element;
    const int64_t bytes = LargestHeldBytes(type, from, mesh_);
    seconds += pricer_.Price(CollectiveKind::kAllReduce, reduced, bytes, bytes, held).seconds;
    if (seconds >= most) return seconds;
  }
  if (from.dims != to.dims)
    seconds +=
        pricer_.Exchange(HeldType(type, to), from, to, ExchangeAxes(type.shape, from, to, mesh_))
            .seconds;
  return seconds;
}

Route Redistributor::Plan(const TensorType& type, const Sharding& made, const Sharding& wanted) {
  const Sharding from = made.WithoutSpares().WithoutHalos();
  const Sharding plain = wanted.WithoutSpares();
  const Sharding to = plain.WithoutHalos();
  const Sharding middle = WithoutNewPartials(from, to);
  Route route;
  if (from != made) Append(route, type, DropStep(made));
  const Way way = from == middle ? Way{} : Choose(type, from, middle);
  if (way.tree == nullptr) {
    for (CollectiveStep& step : PointToPoint(type.shape, from, middle, mesh_))
      Append(route, type, std::move(step));
  } else {
    Sharding at = from;
    for (const Move& move : way.tree->MovesTo(way.place)) {
      Sharding next = way.tree->view().ShardingOf(move.to);
      Append(route, type, {move.kind, move.axes.ids(), at, next});
      at = std::move(next);
    }
  }
  if (middle != to) Append(route, type, MakePartial(middle, to));
  if (to != plain) Append(route, type, HaloStep(plain));
  if (plain != wanted) Append(route, type, SpareStep(wanted));
  return route;
}

double Redistributor::Seconds(const TensorType& global,
                              const Sharding& made,
                              const Sharding& wanted) {
  if (made == wanted) return 0;
  const auto start = std::chrono::steady_clock::now();
  const Sharding from = made.WithoutSpares().WithoutHalos();
  const Sharding plain = wanted.WithoutSpares();
  const Sharding to = plain.WithoutHalos();
  const Sharding middle = WithoutNewPartials(from, to);
  double seconds = from == middle ? 0 : Choose(global, from, middle).seconds;
  if (middle != to) seconds += pricer_.Price(MakePartial(middle, to), global).seconds;
  if (from != made) seconds += pricer_.Price(DropStep(made), global).seconds;
  if (to != plain) seconds += pricer_.Price(HaloStep(plain), global).seconds;
  if (plain != wanted) seconds += pricer_.Price(SpareStep(wanted), global).seconds;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  effort_ += {1, taken.count()};
  return seconds;
}

const Route& Redistributor::Between(const TensorType& global,
                                    const Sharding& from,
                                    const Sharding& to) {
  const auto [at, added] =
      routes_.try_emplace({global, Normalize(from, mesh_), Normalize(to, mesh_)});
  const Key& key = at->first;
  if (added && key.from != key.to) at->second = Plan(global, key.from, key.to);
  return at->second;
}

}  // namespace metadist
