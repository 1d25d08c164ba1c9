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

const Graph& GraphOf(const Program& program, const TimelineEvent& event) {
  return program.stages[static_cast<size_t>(event.stage)].graph;
}

// The names of the event's nodes.
std::string NamesOf(const Graph& graph, const TimelineEvent& event) {
  std::string names;
  for (NodeId node : event.nodes) names += (names.empty() ? "" : " + ") + graph.node(node).name;
  return names;
}

std::string OpsOf(const Graph& graph, const TimelineEvent& event) {
  std::string ops;
  for (NodeId node : event.nodes) ops += (ops.empty() ? "" : "+") + graph.node(node).op;
  return ops;
}

std::vector<int64_t> RanksOf(const Program& program, const TimelineEvent& event) {
  if (event.rank != TimelineEvent::kWholeStage) return {event.rank};
  return program.stages[static_cast<size_t>(event.stage)].ranks;
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
  std::sort(events_.begin(), events_.end(), [&](const TimelineEvent& a, const TimelineEvent& b) {
    return key(a) < key(b);
  });
}

double Timeline::end_seconds() const {
  double end = 0;
  for (const TimelineEvent& event : events_) end = std::max(end, event.end_seconds());
  return end;
}

std::string TimelineText(const Program& program, const Timeline& timeline) {
  std::string out;
  for (const TimelineEvent& event : timeline.events()) {
    const bool all = event.rank == TimelineEvent::kWholeStage;
    const std::string names = NamesOf(GraphOf(program, event), event);
    out += fmt::format("{} {} {}:{} {:.3f}+{:.3f} us {}{}{}\n",
                       all ? "*" : std::to_string(event.rank),
                       NameOf(event.stream),
                       event.stage,
                       event.micro_batch,
                       event.start_seconds * kMicroseconds,
                       event.seconds * kMicroseconds,
                       event.what,
                       names.empty() ? "" : " ",
                       names);
  }
  return out;
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
    const Graph& graph = GraphOf(program, event);
    const bool named = !event.nodes.empty();
    TraceEntry entry = {
        {"name",
         named ? NamesOf(graph, event)
               : fmt::format("{} {}:{}", event.what, event.stage, event.micro_batch)},
        {"cat", named ? OpsOf(graph, event) : event.what},
        {"ph", "X"},
        {"ts", event.start_seconds * kMicroseconds},
        {"dur", event.seconds * kMicroseconds},
        {"pid", 0},
        {"tid", ThreadOf(timeline.source(), event.stream)}};
    for (const int64_t rank : RanksOf(program, event)) {
      entry["pid"] = rank;
      trace.Add(entry);
    }
  }
  return std::move(trace).Finish();
}

}  // namespace metadist
