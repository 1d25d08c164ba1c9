// SPDX-License-Identifier: Apache-2.0
#include "executor/measure/team.h"

#include <new>
#include <string>
#include <utility>

#include "executor/comm/placement.h"
#include "executor/comm/threads.h"
#include "executor/cpu/kernel.h"
#include "metair/ir/parallel.h"

namespace metadist {
namespace {

using RankWork = std::function<Result<void>(Transport&)>;

constexpr char kWork[] = "work";
constexpr char kRest[] = "rest";

Result<void> WorkOrError(Transport& world, const RankWork& work) {
  try {
    return work(world);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kDevice, "", "out of memory", "", {}};
  }
}

class ThreadTeam : public Team {
 public:
  bool leads() const override { return true; }
  std::vector<Site> Sites(int ranks) const override {
    return std::vector<Site>(static_cast<size_t>(ranks), ThisSite());
  }
  Result<void> Work(bool wanted, int ranks, const RankWork& work) override {
    if (!wanted) return {};
    auto world = MakeThreadGroup(ranks);
    std::vector<Result<void>> statuses(world.size());
    TRY(RunAtOnce(world.size(), [&](size_t r) {
      cpu::UseOneThread();
      PlaceRank(static_cast<int>(r), ranks);
      statuses[r] = WorkOrError(*world[r], work);
      if (!statuses[r].ok()) world[r]->Abort(statuses[r].error());
    }));
    for (Result<void>& status : statuses) TRY(std::move(status));
    return {};
  }
};

class ProcessTeam : public Team {
 public:
  ProcessTeam(Messenger& processes, std::vector<Site> sites)
      : processes_(processes), sites_(std::move(sites)) {}

  bool leads() const override { return processes_.rank() == 0; }
  std::vector<Site> Sites(int ranks) const override {
    return {sites_.begin(), sites_.begin() + ranks};
  }
  Result<void> Work(bool wanted, int ranks, const RankWork& work) override {
    if (leads())
      for (int rank = 1; rank < processes_.size(); ++rank)
        TRY(SendText(processes_, wanted && rank < ranks ? kWork : kRest, rank));
    else
      wanted = TRY(ReceiveFromLeader(processes_)) == kWork;
    if (!wanted) return {};
    // A separate thread, since it is bound to a core for these ranks only.
    Result<void> status;
    TRY(RunAtOnce(1, [&](size_t) {
      cpu::UseOneThread();
      const auto world = MakeMessageTransport(processes_, ranks);
      status = PlaceProcess(*world);
      if (status.ok()) status = WorkOrError(*world, work);
    }));
    return status;
  }

 private:
  Messenger& processes_;
  const std::vector<Site> sites_;
};

}  // namespace

std::unique_ptr<Team> MakeThreadTeam() { return std::make_unique<ThreadTeam>(); }

std::unique_ptr<Team> MakeProcessTeam(Messenger& processes, std::vector<Site> sites) {
  return std::make_unique<ProcessTeam>(processes, std::move(sites));
}

}  // namespace metadist
