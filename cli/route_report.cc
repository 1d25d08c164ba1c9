// SPDX-License-Identifier: Apache-2.0
#include "cli/route_report.h"

#include <algorithm>

#include "cli/block_picture.h"

namespace metadist::cli {
namespace {

// Elements and allocated places of the ranks; padding is places without elements.
struct Filling {
  double most = 0;  // elements of a rank
  double all = 0;   // elements of all ranks
  double places = 0;
};

Filling FillingOf(const RouteResult& result, const Sharding& sharding) {
  const Mesh& mesh = result.ends.mesh.fine;
  const Shape& shape = result.route.type.shape;
  const Shape& extent = result.ends.type.shape;
  Filling out;
  for (int64_t rank = 0; rank < mesh.ranks(); ++rank) {
    const std::vector<int64_t> coordinate = mesh.CoordinateOf(rank);
    double held = 1;
    for (size_t d = 0; d < extent.size(); ++d) {
      int64_t size = 0;
      for (const Interval& run : LocalIntervals(sharding.dims[d], shape[d], mesh, coordinate))
        size += std::max<int64_t>(0, std::min(run.end, extent[d]) - run.begin);
      held *= static_cast<double>(size);
    }
    out.all += held;
    out.most = std::max(out.most, held);
    out.places += static_cast<double>(NumElements(LocalShape(shape, sharding, mesh, rank)));
  }
  return out;
}

RouteReport::End EndOf(const RouteResult& result, const Sharding& sharding) {
  const Mesh& mesh = result.ends.mesh.fine;
  const Filling filling = FillingOf(result, sharding);
  RouteReport::End end;
  end.sharding = TextOn(sharding, result.ends.mesh, result.ends.order);
  end.local = LargestLocalShape(result.route.type.shape, sharding, mesh);
  end.elements = NumElements(end.local);
  end.bytes = end.elements * ByteSize(result.route.type.element);
  end.imbalance = filling.most * static_cast<double>(mesh.ranks()) / filling.all;
  end.waste = 1 - filling.all / filling.places;
  return end;
}

// The axes of a step, one text each, in the order of the shardings' text.
std::vector<std::string> AxesOf(const CollectiveStep& step, const RouteEnds& ends) {
  std::vector<std::string> out;
  const std::string all = AxesTextOn(step.axes, ends.mesh);
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find(',', at), all.size());
    out.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  if (ends.order == AxisOrder::kMinorFirst) std::reverse(out.begin(), out.end());
  return out;
}

// The dims whose placement a step changes; for an all-to-all, the gathered one first.
std::vector<size_t> DimsOf(const CollectiveStep& step, const RouteResult& result) {
  std::vector<size_t> dims;
  for (size_t d = 0; d < step.from.dims.size(); ++d)
    if (step.from.dims[d] != step.to.dims[d]) dims.push_back(d);
  const Mesh& mesh = result.ends.mesh.fine;
  const Shape& shape = result.route.type.shape;
  const Shape before = LargestLocalShape(shape, step.from, mesh);
  const Shape after = LargestLocalShape(shape, step.to, mesh);
  if (step.kind == CollectiveKind::kAllToAll)
    std::stable_sort(dims.begin(), dims.end(), [&](size_t a, size_t b) {
      return after[a] * before[b] > after[b] * before[a];
    });
  return dims;
}

RouteReport::Step StepOf(const RouteResult& result, size_t index) {
  const RouteStep& row = result.route.steps[index];
  RouteReport::Step out;
  out.kind = row.step.kind;
  out.dims = DimsOf(row.step, result);
  out.axes = AxesOf(row.step, result.ends);
  out.group = result.ends.mesh.fine.size(row.step.axes);
  out.to = TextOn(row.step.to, result.ends.mesh, result.ends.order);
  out.elements = row.elements;
  out.received = row.received;
  if (row.price) out.predicted_seconds = row.price->seconds;
  if (result.check && result.check->threads)
    out.measured_seconds = result.check->step_seconds[index];
  return out;
}

std::string PictureOf(const RouteResult& result, const RouteReport& report) {
  const PlannedRoute& route = result.route;
  const Shape& extent = result.ends.type.shape;
  const Mesh& mesh = result.ends.mesh.fine;
  return SideBySide(
      BlockPicture("before " + report.from.sharding, route.type.shape, extent, route.from, mesh),
      BlockPicture("after " + report.to.sharding, route.type.shape, extent, route.to, mesh));
}

}  // namespace

RouteReport RouteReportOf(const RouteResult& result) {
  const PlannedRoute& route = result.route;
  RouteReport out;
  out.mesh = MeshText(result.ends.mesh.whole);
  out.ranks = result.ends.mesh.fine.ranks();
  out.type = result.ends.type;
  out.moved_shape = route.type.shape;
  out.algo = route.algo;
  out.from = EndOf(result, route.from);
  out.to = EndOf(result, route.to);
  for (size_t s = 0; s < route.steps.size(); ++s) out.steps.push_back(StepOf(result, s));
  out.peak_elements = route.peak_elements;
  out.bound_elements = std::max(out.from.elements, out.to.elements);
  out.both_elements = route.both_elements;
  out.received_elements = route.received_elements;
  out.received_bytes = route.received_elements * ByteSize(route.type.element);
  out.planning_seconds = result.planning_seconds;
  if (route.price) {
    out.predicted_seconds = route.price->seconds;
    out.predicted_band = route.price->band;
  }
  if (result.check && result.check->threads) out.measured_seconds = result.check->seconds;
  out.check = result.check;
  out.picture = PictureOf(result, out);
  return out;
}

}  // namespace metadist::cli
