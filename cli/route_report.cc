// SPDX-License-Identifier: Apache-2.0
#include "cli/route_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/block_picture.h"
#include "cli/format.h"

namespace metadist::cli {
namespace {

using Json = nlohmann::ordered_json;

// One end of a route, of the array that is moved.
struct End {
  std::string text;
  Shape local;  // on the rank that holds most
  int64_t elements = 0;
  double imbalance = 1;  // most true elements of a rank by their mean
  double waste = 0;      // share of the ranks' places that is padding
};

End EndOf(const RouteResult& result, const Sharding& sharding) {
  const Mesh& mesh = result.ends.mesh.fine;
  End end;
  end.text = TextOn(sharding, result.ends.mesh, result.ends.order);
  end.local = LargestLocalShape(result.route.type.shape, sharding, mesh);
  end.elements = NumElements(end.local);
  const Shape& extent = result.ends.type.shape;
  double all = 0;
  double places = 0;
  double most = 0;
  for (int64_t rank = 0; rank < mesh.ranks(); ++rank) {
    const std::vector<int64_t> coordinate = mesh.CoordinateOf(rank);
    double held = 1;
    for (size_t d = 0; d < extent.size(); ++d) {
      int64_t size = 0;
      for (const Interval& run :
           LocalIntervals(sharding.dims[d], result.route.type.shape[d], mesh, coordinate))
        size += std::max<int64_t>(0, std::min(run.end, extent[d]) - run.begin);
      held *= static_cast<double>(size);
    }
    all += held;
    most = std::max(most, held);
    places +=
        static_cast<double>(NumElements(LocalShape(result.route.type.shape, sharding, mesh, rank)));
  }
  end.imbalance = most * static_cast<double>(mesh.ranks()) / all;
  end.waste = 1 - all / places;
  return end;
}

// The axes of a step, one text each, in the order in which shardings are written.
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

// The dims whose placement a step changes; of an all-to-all, the one that grows first.
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

int64_t Bound(const RouteResult& result) {
  const Mesh& mesh = result.ends.mesh.fine;
  const Shape& shape = result.route.type.shape;
  return std::max(NumElements(LargestLocalShape(shape, result.route.from, mesh)),
                  NumElements(LargestLocalShape(shape, result.route.to, mesh)));
}

Json EndJson(const End& end) {
  return {{"sharding", end.text},
          {"local_shape", end.local},
          {"elements", end.elements},
          {"imbalance", end.imbalance},
          {"waste", end.waste}};
}

Json StepJson(const RouteResult& result, size_t index) {
  const RouteStep& row = result.route.steps[index];
  Json out = {{"op", std::string(Name(row.step.kind))},
              {"dim", DimsOf(row.step, result)},
              {"axes", AxesOf(row.step, result.ends)},
              {"group", result.ends.mesh.fine.size(row.step.axes)},
              {"to", TextOn(row.step.to, result.ends.mesh, result.ends.order)},
              {"elements", row.elements},
              {"received", row.received}};
  Json& seconds = out["seconds"] = {{"predicted", nullptr}, {"measured", nullptr}};
  if (row.price) seconds["predicted"] = row.price->seconds;
  if (result.check && result.check->threads)
    seconds["measured"] = result.check->step_seconds[index];
  return out;
}

std::string ElementsText(int64_t elements) {
  return elements == 1 ? "1 element" : fmt::format("{} elements", elements);
}

std::string EndText(const char* name, const End& end, int64_t item) {
  std::string out =
      fmt::format("  {:<5} {}: {} a rank, {} ({})",
                  name,
                  end.text,
                  end.local.empty() ? "scalar" : fmt::format("{}", fmt::join(end.local, "x")),
                  ElementsText(end.elements),
                  BytesText(end.elements * item));
  if (end.waste > 0) out += fmt::format(", {} of it padding", PercentText(end.waste));
  if (end.imbalance > 1)
    out += fmt::format(", the fullest rank {:.3g} times the mean", end.imbalance);
  return out + "\n";
}

std::string StepTable(const RouteResult& result) {
  const bool priced = result.route.price.has_value();
  const bool measured = result.check && result.check->threads;
  std::vector<Table::Column> columns = {{"step"},
                                        {"dim"},
                                        {"axes"},
                                        {"group", true},
                                        {"becomes"},
                                        {"elements", true},
                                        {"received", true}};
  if (priced) columns.push_back({"predicted", true});
  if (measured) columns.push_back({"measured", true});
  Table table(std::move(columns));
  for (size_t s = 0; s < result.route.steps.size(); ++s) {
    const RouteStep& row = result.route.steps[s];
    const std::vector<size_t> dims = DimsOf(row.step, result);
    const bool moves = row.step.kind == CollectiveKind::kAllToAll;
    std::vector<std::string> cells = {
        std::string(Name(row.step.kind)),
        dims.empty() ? "-" : fmt::format("{}", fmt::join(dims, moves ? ">" : ",")),
        fmt::format("{}", fmt::join(AxesOf(row.step, result.ends), ",")),
        std::to_string(result.ends.mesh.fine.size(row.step.axes)),
        TextOn(row.step.to, result.ends.mesh, result.ends.order),
        std::to_string(row.elements),
        std::to_string(row.received)};
    if (priced) cells.push_back(SecondsText(row.price->seconds));
    if (measured) cells.push_back(SecondsText(result.check->step_seconds[s]));
    table.Add(std::move(cells));
  }
  return table.empty() ? "  nothing to do: both place it alike\n" : table.text();
}

std::string TotalsText(const RouteResult& result) {
  const PlannedRoute& route = result.route;
  const int64_t item = ByteSize(route.type.element);
  const int64_t bound = Bound(result);
  std::string out = fmt::format("  received {} ({})",
                                ElementsText(route.received_elements),
                                BytesText(route.received_elements * item));
  if (route.price)
    out += fmt::format(
        ", predicted {} (+-{:.0f} %)", SecondsText(route.price->seconds), route.price->band * 100);
  if (result.check && result.check->threads)
    out += fmt::format(", measured {}", SecondsText(result.check->seconds));
  out += fmt::format("\n  memory   at most {}, {} the larger end's {}: bound {}",
                     ElementsText(route.peak_elements),
                     route.peak_elements > bound ? "above" : "within",
                     bound,
                     route.peak_elements > bound ? "NOT kept" : "kept");
  if (route.both_elements > 0)
    out += fmt::format("; with both arrays of a step {}", route.both_elements);
  return out + "\n";
}

std::string RouteCheckText(const RouteResult& result) {
  if (!result.check) return "";
  const std::string how = fmt::format("on {} {}",
                                      result.ends.mesh.fine.ranks(),
                                      result.check->threads ? "thread ranks" : "ranks in turn");
  if (result.check->passed(result.route))
    return fmt::format("  PASSED {}: every rank holds what direct placement gives, at most {}\n",
                       how,
                       ElementsText(result.check->peak_elements));
  if (result.check->wrong_ranks.empty())
    return fmt::format(
        "  FAILED {}: a rank holds {}\n", how, ElementsText(result.check->peak_elements));
  return fmt::format(
      "  FAILED {}: {} ranks hold something else\n", how, result.check->wrong_ranks.size());
}

}  // namespace

Json RouteJson(const Session& session, const RouteResult& result) {
  const PlannedRoute& route = result.route;
  Json out = session.Document();
  out["mesh"] = MeshText(result.ends.mesh.whole);
  out["dtype"] = std::string(Name(result.ends.type.element));
  out["shape"] = result.ends.type.shape;
  out["moved_shape"] = route.type.shape;
  out["algo"] = route.algo;
  out["ends"] = {{"from", EndJson(EndOf(result, route.from))},
                 {"to", EndJson(EndOf(result, route.to))}};
  out["steps"] = Json::array();
  for (size_t s = 0; s < route.steps.size(); ++s) out["steps"].push_back(StepJson(result, s));
  out["peak_elements"] = route.peak_elements;
  out["bound_elements"] = Bound(result);
  out["bound_kept"] = route.peak_elements <= Bound(result);
  out["both_elements"] = route.both_elements;
  out["received_elements"] = route.received_elements;
  Json& seconds = out["seconds"] = {
      {"planning", result.planning_seconds}, {"predicted", nullptr}, {"measured", nullptr}};
  if (route.price) seconds["predicted"] = route.price->seconds;
  out["check"] = nullptr;
  if (!result.check) return out;
  if (result.check->threads) seconds["measured"] = result.check->seconds;
  out["check"] = {{"passed", result.check->passed(route)},
                  {"ranks", result.ends.mesh.fine.ranks()},
                  {"how", result.check->threads ? "threads" : "in turn"},
                  {"wrong_ranks", result.check->wrong_ranks},
                  {"elements", result.check->elements},
                  {"peak_elements", result.check->peak_elements}};
  return out;
}

std::string RouteText(const RouteResult& result) {
  const RouteEnds& ends = result.ends;
  const PlannedRoute& route = result.route;
  const int64_t item = ByteSize(route.type.element);
  const End from = EndOf(result, route.from);
  const End to = EndOf(result, route.to);
  std::string out =
      fmt::format("{} on {} by {}", TypeText(ends.type), MeshText(ends.mesh.whole), route.algo);
  if (route.type.shape != ends.type.shape)
    out += fmt::format(", padded to {}", ShapeText(route.type.shape));
  out += fmt::format(" (planned in {})\n", SecondsText(result.planning_seconds));
  out += EndText("from", from, item) + EndText("to", to, item) + "\n" + StepTable(result) + "\n" +
         TotalsText(result) + RouteCheckText(result);
  const Shape& extent = ends.type.shape;
  const std::string picture = SideBySide(
      BlockPicture("before " + from.text, route.type.shape, extent, route.from, ends.mesh.fine),
      BlockPicture("after " + to.text, route.type.shape, extent, route.to, ends.mesh.fine));
  return picture.empty() ? out : out + "\n" + picture;
}

}  // namespace metadist::cli
