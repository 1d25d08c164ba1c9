// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metair/spmd/program.h"

// When each part of a step runs, as measured by the executor or predicted by the simulator.
namespace metadist {

// A rank runs at most one event of each stream at a time.
enum class Stream : uint8_t { kCompute, kCollectives };

// A node, several nodes that run as one, or a part of a stage that is no node: a channel, copies.
struct TimelineEvent {
  static constexpr int64_t kWholeStage = -1;  // every rank of the stage, all alike

  int64_t rank = kWholeStage;  // of the program
  Stream stream = Stream::kCompute;
  int stage = 0;
  int micro_batch = 0;
  std::vector<NodeId> nodes = {};  // of the stage, ascending
  // "MatMul/onednn", "AllReduce", "Send"; for several nodes: joined by '+'.
  std::string what = {};
  double start_seconds = 0;  // since the first rank began its step
  double seconds = 0;

  double end_seconds() const { return start_seconds + seconds; }
  bool operator==(const TimelineEvent&) const = default;
};

// One step. The order of events depends on nothing but the events.
class Timeline {
 public:
  enum class Source : uint8_t { kMeasured, kPredicted };

  Timeline() = default;
  Timeline(Source source, std::vector<TimelineEvent> events);

  Source source() const { return source_; }
  // By rank, then by start; those of whole stages first.
  const std::vector<TimelineEvent>& events() const { return events_; }
  // When the last event ends; 0 if there is none.
  double end_seconds() const;
  bool operator==(const Timeline&) const = default;

 private:
  Source source_ = Source::kMeasured;
  std::vector<TimelineEvent> events_;
};

// A Chrome trace (opens in Perfetto): complete events in microseconds, a process for
// each rank with a thread for each stream. Measured streams are threads 0 and 1, predicted ones
// threads 2 and 3, so that both can be laid over each other in one file.
std::string TraceJson(const Program& program, const Timeline& timeline);

}  // namespace metadist
