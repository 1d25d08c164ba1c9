// SPDX-License-Identifier: Apache-2.0
#include "cli/route_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cli/values.h"
#include "metair/ir/suggest.h"

namespace metadist::cli {
namespace {

Result<ElementType> ReadType(const std::string& name) {
  if (const auto element = ParseElementType(name)) return *element;
  std::vector<std::string> names;
#define ELEMENT_TYPE(enumerator, text, type, element_class) names.emplace_back(text);
#include "metair/ir/element_type.def"
#undef ELEMENT_TYPE
  return Usage(fmt::format("no element type '{}'", name), DidYouMean(name, names));
}

Result<Uneven> ReadUneven(const std::string& how) {
  if (how.empty()) return Uneven::kRefuse;
  if (how == "p2p") return Uneven::kP2p;
  if (how == "pad") return Uneven::kPadded;
  return Usage(fmt::format("expected p2p or pad, got '{}'", how));
}

Result<AxisOrder> ReadOrder(const std::string& order) {
  if (order == "major") return AxisOrder::kMajorFirst;
  if (order == "minor") return AxisOrder::kMinorFirst;
  return Usage(fmt::format("expected major or minor, got '{}'", order));
}

Result<bool> CheckMethod(const std::string& name) {
  std::vector<std::string> names = {kBestMethod};
  for (const RouteAlgorithm& algorithm : RouteAlgorithms()) names.emplace_back(algorithm.name);
  for (const std::string& known : names)
    if (name == known) return true;
  return Usage(fmt::format("no method '{}'", name), DidYouMean(name, names));
}

// Reads one end on its own; if possible, its problems are described in terms of the given mesh.
Result<Sharding> ReadEnd(const std::string& text,
                         const Shape& shape,
                         const Mesh& mesh,
                         AxisOrder order) {
  const PrimeMesh split = TRY(SplitMesh(mesh, {text}));
  if (text.find('@') == std::string::npos) TRY(ParseSharding(text, shape, mesh));
  return ParseOn(text, shape, split, order);
}

}  // namespace

Result<RouteEnds> ReadRouteEnds(const RouteFlags& flags) {
  std::vector<Error> problems;
  // Returns the value, or nothing after recording its problems.
  const auto take = [&]<typename T>(Result<T> result, const char* flag) -> std::optional<T> {
    if (result.ok()) return std::move(result).value();
    AddProblem(problems, std::move(result).error().in(flag));
    return std::nullopt;
  };
  RouteEnds ends;
  const auto mesh = take(ParseMesh(flags.mesh), "--mesh");
  const auto shape = take(ParseShape(flags.shape), "--shape");
  const auto element = take(ReadType(flags.dtype), "--dtype");
  const auto order = take(ReadOrder(flags.order), "--order");
  const auto uneven = take(ReadUneven(flags.uneven), "--uneven");
  take(CheckMethod(flags.algo), "--algo");
  if (mesh && shape && order) {
    take(ReadEnd(flags.from, *shape, *mesh, *order), "--from");
    take(ReadEnd(flags.to, *shape, *mesh, *order), "--to");
  }
  if (!problems.empty()) return Join(std::move(problems));
  ends.type = {*element, *shape};
  ends.order = *order;
  ends.uneven = *uneven;
  // The sub-axes of both ends must be compatible.
  ends.mesh = TRY(SplitMesh(*mesh, {flags.from, flags.to}));
  ends.from = TRY(ParseOn(flags.from, *shape, ends.mesh, *order));
  ends.to = TRY(ParseOn(flags.to, *shape, ends.mesh, *order));
  const bool sums = std::any_of(ends.from.partial.begin(),
                                ends.from.partial.end(),
                                [](const auto& p) { return p.op == ReduceOp::kSum; });
  if (sums && *element == ElementType::kF8E8M0)
    return Usage("--from: f8e8m0 holds powers of two only, which sums of them are not");
  return ends;
}

}  // namespace metadist::cli
