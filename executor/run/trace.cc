// SPDX-License-Identifier: Apache-2.0
#include "executor/run/trace.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace metadist {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kCompute = 0;
constexpr int kCollective = 1;

Json NameEvent(const char* what, int64_t rank, int thread, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", rank}, {"tid", thread}, {"args", {{"name", name}}}};
}

// The names and the operators of an event's nodes.
std::pair<std::string, std::string> TextOf(const Program& program, const TraceEvent& event) {
  if (event.node == kNone)
    return {fmt::format("{} {}:{}", event.kernel, event.stage, event.micro_batch), event.kernel};
  const Graph& graph = program.stages[static_cast<size_t>(event.stage)].graph;
  std::string names = graph.node(event.node).name;
  std::string ops = graph.node(event.node).op;
  for (NodeId other : event.others) {
    names += " + " + graph.node(other).name;
    ops += "+" + graph.node(other).op;
  }
  return {names, ops};
}

}  // namespace

std::string TraceJson(const Program& program, const RunResult& result) {
  Json events = Json::array();
  for (int64_t rank = 0; rank < program.ranks(); ++rank) {
    events.push_back(NameEvent("process_name", rank, kCompute, fmt::format("rank {}", rank)));
    events.push_back(NameEvent("thread_name", rank, kCompute, "compute"));
    events.push_back(NameEvent("thread_name", rank, kCollective, "collectives"));
  }
  for (const TraceEvent& event : result.events) {
    const auto [names, ops] = TextOf(program, event);
    events.push_back({{"name", names},
                      {"cat", ops},
                      {"ph", "X"},
                      {"ts", event.start_seconds * 1e6},
                      {"dur", event.seconds * 1e6},
                      {"pid", event.rank},
                      {"tid", event.collective ? kCollective : kCompute}});
  }
  const Json document = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  return document.dump(1) + "\n";
}

}  // namespace metadist
