// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

namespace metadist {
namespace {

using TraceEntry = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;
constexpr int kStreams = 2;

const char* NameOf(Stream stream) { return stream == Stream::kCompute ? "compute" : "collectives"; }

int ThreadOf(Timeline::Source source, Stream stream) {
  const int first = source == Timeline::Source::kPredicted ? kStreams : 0;
  return first + static_cast<int>(stream);
}

// The names, or the operators, of the event's nodes.
std::string Joined(const Graph& graph,
                   const TimelineEvent& event,
                   const std::string Node::* text,
                   const char* between) {
  std::string all;
  for (NodeId node : event.nodes) all += (all.empty() ? "" : between) + graph.node(node).*text;
  return all;
}

// Writes one entry a line: a trace of many ranks is long, and is never whole in memory as JSON.
class TraceWriter {
 public:
  void Add(const TraceEntry& entry) {
    text_ += std::exchange(separator_, ",\n");
    text_ += entry.dump(-1, ' ', /*ensure_ascii=*/false, TraceEntry::error_handler_t::replace);
  }
  void Name(const char* what, int64_t rank, int thread, const std::string& name) {
    Add({{"name", what}, {"ph", "M"}, {"pid", rank}, {"tid", thread}, {"args", {{"name", name}}}});
  }
  std::string Finish() && { return std::move(text_) + "\n]}\n"; }

 private:
  std::string text_ = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
  const char* separator_ = "";
};

}  // namespace

Timeline::Timeline(Source source, std::vector<TimelineEvent> events)
    : source_(source), events_(std::move(events)) {
  const auto key = [](const TimelineEvent& e) {
    return std::tie(
        e.rank, e.start_seconds, e.seconds, e.stream, e.micro_batch, e.stage, e.nodes, e.what);
  };
  std::ranges::sort(events_, {}, key);
}

double Timeline::end_seconds() const {
  double end = 0;
  for (const TimelineEvent& event : events_) end = std::max(end, event.end_seconds());
  return end;
}

std::string TraceJson(const Program& program, const Timeline& timeline) {
  TraceWriter trace;
  const bool predicted = timeline.source() == Timeline::Source::kPredicted;
  for (int64_t rank = 0; rank < program.ranks(); ++rank) {
    trace.Name("process_name", rank, 0, fmt::format("rank {}", rank));
    for (const Stream stream : {Stream::kCompute, Stream::kCollectives})
      trace.Name("thread_name",
                 rank,
                 ThreadOf(timeline.source(), stream),
                 fmt::format("{}{}", predicted ? "predicted " : "", NameOf(stream)));
  }
  for (const TimelineEvent& event : timeline.events()) {
    const Stage& stage = program.stages[static_cast<size_t>(event.stage)];
    const Graph& graph = stage.graph;
    const bool named = !event.nodes.empty();
    TraceEntry entry = {
        {"name",
         named ? Joined(graph, event, &Node::name, " + ")
               : fmt::format("{} {}:{}", event.what, event.stage, event.micro_batch)},
        {"cat", named ? Joined(graph, event, &Node::op, "+") : event.what},
        {"ph", "X"},
        {"ts", event.start_seconds * kMicroseconds},
        {"dur", event.seconds * kMicroseconds},
        {"pid", 0},
        {"tid", ThreadOf(timeline.source(), event.stream)}};
    const bool everywhere = event.rank == TimelineEvent::kWholeStage;
    for (const int64_t rank : everywhere ? stage.ranks : std::vector{event.rank}) {
      entry["pid"] = rank;
      trace.Add(entry);
    }
  }
  return std::move(trace).Finish();
}

}  // namespace metadist
