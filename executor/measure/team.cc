// SPDX-License-Identifier: Apache-2.0
#include "executor/measure/team.h"

#include <utility>

#include "executor/comm/run_ranks.h"
#include "executor/comm/threads.h"
#include "executor/cpu/kernel.h"
#include "metair/ir/parallel.h"

namespace metadist {
namespace {

using RankWork = std::function<Result<void>(Transport&)>;

constexpr char kWork[] = "work";
constexpr char kRest[] = "rest";

class ThreadTeam : public Team {
 public:
  bool leads() const override { return true; }
  std::vector<Site> Sites(int ranks) const override {
    return std::vector<Site>(static_cast<size_t>(ranks), ThisSite());
  }
  Result<void> Work(bool wanted, int ranks, const RankWork& work) override {
    if (!wanted) return {};
    return RunRanks(MakeThreadGroup(ranks), work);
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
      if (status.ok()) status = work(*world);
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
