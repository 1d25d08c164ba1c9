// SPDX-License-Identifier: Apache-2.0
#include "executor/comm/run_ranks.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "executor/comm/placement.h"
#include "executor/cpu/kernel.h"
#include "metair/ir/parallel.h"

namespace metadist {
namespace {

struct Outcome {
  Result<void> status;
  bool failed_itself = false;  // not because of another rank
};

Outcome RunRank(Transport& world,
                int threads,
                const std::function<Result<void>(Transport&)>& work) {
  try {
    cpu::UseOneThread();
    PlaceRank(world.rank(), threads);
    Outcome outcome{work(world)};
    if (!outcome.status.ok()) outcome.failed_itself = world.Abort(outcome.status.error());
    return outcome;
  } catch (const std::bad_alloc&) {
    const Error error = OutOfMemory();
    const bool itself = world.Abort(error);
    return {error, itself};
  }
}

}  // namespace

Result<void> RunRanks(const std::vector<std::unique_ptr<Transport>>& group,
                      const std::function<Result<void>(Transport&)>& work,
                      const std::function<void(int rank)>& beside) {
  const size_t ranks = group.size();
  const size_t threads = beside ? 2 * ranks : ranks;
  std::vector<Outcome> outcomes(ranks);
  TRY(RunAtOnce(threads, [&](size_t thread) {
    if (thread < ranks) {
      outcomes[thread] = RunRank(*group[thread], static_cast<int>(threads), work);
    } else {
      PlaceRank(static_cast<int>(thread), static_cast<int>(threads));
      beside(static_cast<int>(thread - ranks));
    }
  }));
  for (const bool itself : {true, false})
    for (size_t rank = 0; rank < outcomes.size(); ++rank) {
      const Outcome& outcome = outcomes[rank];
      if (outcome.status.ok() || outcome.failed_itself != itself) continue;
      Error error = outcome.status.error();
      if (error.code == ErrorCode::kInterrupted) return error;
      return std::move(error).in(fmt::format("rank {}", rank));
    }
  return {};
}

}  // namespace metadist
