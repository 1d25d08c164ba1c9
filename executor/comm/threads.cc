// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one process. To prepare a step, its ranks publish the addresses of their
// arrays. To run it, they meet, read the peers' memory directly into their destination, and meet
// again so that nobody overwrites memory that is still being read.
#include "executor/comm/threads.h"

#include <algorithm>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "executor/comm/rendezvous.h"

namespace metadist {
namespace {

struct Group;

// What a rank publishes to obtain its group.
struct Entry {
  int color = 0;
  int key = 0;
  int rank = 0;
  std::shared_ptr<Group> made;
};

// State shared by the ranks of one group.
struct Group {
  Group(int ranks, bool crowd, double timeout, std::shared_ptr<AbortState> abort_state)
      : size(ranks),
        crowded(crowd),
        timeout_seconds(timeout),
        abort(std::move(abort_state)),
        meeting(ranks, crowded, timeout, abort) {
    for (auto& side : slots) side.resize(static_cast<size_t>(ranks));
  }

  const int size;
  const bool crowded;  // the whole world has more ranks than the machine has cores
  const double timeout_seconds;
  const std::shared_ptr<AbortState> abort;
  Rendezvous meeting;
  std::vector<const void*> slots[2];  // used alternately: one may be read while the other is filled
};

// One array of a step, with the addresses of all ranks.
struct Part {
  const Transfer* transfer = nullptr;  // of this rank
  std::vector<void*> sources;          // by rank; nullptr for ranks outside the group
  std::vector<void*> targets;
};

Result<void> RunParts(const std::vector<Part>& parts, int64_t rank, Rendezvous* meeting) {
  if (meeting != nullptr) TRY(meeting->Wait());
  bool slices = false;
  for (const Part& part : parts) {
    void* const to = part.targets[static_cast<size_t>(rank)];
    slices |= part.transfer->slices;
    RunTransfer(*part.transfer, rank, part.sources, to);
  }
  if (meeting == nullptr) return {};
  if (slices) {
    TRY(meeting->Wait());
    for (const Part& part : parts) GatherSlices(*part.transfer, rank, part.targets);
  }
  return meeting->Wait();
}

class ThreadTransport : public Transport {
 public:
  ThreadTransport(std::shared_ptr<Group> group, int rank) : group_(std::move(group)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return group_->size; }
  Result<void> Barrier() override { return group_->meeting.Wait(); }
  bool Abort(const Error& reason) override { return group_->abort->Set(reason); }

  Result<std::unique_ptr<Transport>> Split(int color, int key) override;
  Result<Step> Prepare(std::vector<TransferPart> parts) override;
  Result<int64_t> Decide(int64_t mine) override;
  Result<std::vector<double>> Collect(double mine) override;

 private:
  // Publishes a pointer and returns those of all ranks, by rank. Data written before the call may
  // be read through them after it. The span stays valid until this rank's second next Exchange.
  Result<std::span<const void* const>> Exchange(const void* mine);
  // The group of the ranks that pass the same color, ordered by (key, rank), and this rank's place.
  Result<std::pair<std::shared_ptr<Group>, int>> PartOf(int color, int key);
  Result<std::shared_ptr<Group>> GroupOf(const std::vector<Transfer>& transfers);

  std::shared_ptr<Group> group_;
  int rank_;
  int side_ = 0;
  // Members, not locals: a late rank may read them after this one has given up waiting.
  Entry entry_;
  std::vector<TransferPart> parts_;
  int64_t decided_[2] = {0, 0};
  double collected_[2] = {0, 0};
  // The groups in which transfers meet, keyed by the first rank of every rank's group.
  std::map<std::vector<int64_t>, std::shared_ptr<Group>> meetings_;
};

Result<std::span<const void* const>> ThreadTransport::Exchange(const void* mine) {
  std::vector<const void*>& slots = group_->slots[side_];
  side_ = 1 - side_;
  slots[static_cast<size_t>(rank_)] = mine;
  TRY(Barrier());
  return std::span<const void* const>(slots);
}

Result<std::pair<std::shared_ptr<Group>, int>> ThreadTransport::PartOf(int color, int key) {
  entry_ = {color, key, rank_, nullptr};
  const std::span<const void* const> peers = TRY(Exchange(&entry_));
  std::vector<const Entry*> members;
  for (const void* peer : peers)
    if (static_cast<const Entry*>(peer)->color == color)
      members.push_back(static_cast<const Entry*>(peer));
  std::sort(members.begin(), members.end(), [](const Entry* a, const Entry* b) {
    return std::tie(a->key, a->rank) < std::tie(b->key, b->rank);
  });
  if (members[0] == &entry_)
    entry_.made = std::make_shared<Group>(
        static_cast<int>(members.size()), group_->crowded, group_->timeout_seconds, group_->abort);
  TRY(Barrier());
  const auto place = std::find(members.begin(), members.end(), &entry_) - members.begin();
  std::pair part(members[0]->made, static_cast<int>(place));
  TRY(Barrier());
  return part;
}

Result<std::unique_ptr<Transport>> ThreadTransport::Split(int color, int key) {
  auto [group, place] = TRY(PartOf(color, key));
  return std::unique_ptr<Transport>(std::make_unique<ThreadTransport>(std::move(group), place));
}

// The group of ranks that meet; nullptr if no rank of any group meets another.
Result<std::shared_ptr<Group>> ThreadTransport::GroupOf(const std::vector<Transfer>& transfers) {
  std::vector<int64_t> firsts;
  bool local = true;
  for (const Transfer& transfer : transfers) {
    firsts.push_back(transfer.group[0]);
    local = local && transfer.local();
  }
  if (local) return std::shared_ptr<Group>();
  const auto found = meetings_.find(firsts);
  if (found != meetings_.end()) return found->second;
  auto made = TRY(PartOf(static_cast<int>(firsts[static_cast<size_t>(rank_)]), rank_)).first;
  meetings_[std::move(firsts)] = made;
  return made;
}

Result<Transport::Step> ThreadTransport::Prepare(std::vector<TransferPart> parts) {
  parts_ = std::move(parts);
  const auto group = TRY(GroupOf(*parts_[0].transfers));
  const auto peers = TRY(Exchange(&parts_));
  std::vector<Part> joined;
  for (size_t p = 0; p < parts_.size(); ++p) {
    Part part{&(*parts_[p].transfers)[static_cast<size_t>(rank_)], {}, {}};
    for (const void* peer : peers) {
      const TransferPart& other = (*static_cast<const std::vector<TransferPart>*>(peer))[p];
      part.sources.push_back(other.source);
      part.targets.push_back(other.target);
    }
    joined.push_back(std::move(part));
  }
  TRY(Barrier());
  return Step([group, rank = rank_, joined = std::move(joined)] {
    const bool meets = group != nullptr && !joined[0].transfer->local();
    return RunParts(joined, rank, meets ? &group->meeting : nullptr);
  });
}

Result<int64_t> ThreadTransport::Decide(int64_t mine) {
  int64_t& own = decided_[side_];
  own = mine;
  return *static_cast<const int64_t*>(TRY(Exchange(&own))[0]);
}

Result<std::vector<double>> ThreadTransport::Collect(double mine) {
  double& own = collected_[side_];
  own = mine;
  std::vector<double> all;
  for (const void* peer : TRY(Exchange(&own))) all.push_back(*static_cast<const double*>(peer));
  return all;
}

}  // namespace

std::vector<std::unique_ptr<Transport>> MakeThreadGroup(int ranks,
                                                        double timeout_seconds,
                                                        int streams) {
  CHECK(ranks > 0, "a group needs a rank");
  const bool crowded = static_cast<unsigned>(ranks * streams) > std::thread::hardware_concurrency();
  const auto group =
      std::make_shared<Group>(ranks, crowded, timeout_seconds, std::make_shared<AbortState>());
  std::vector<std::unique_ptr<Transport>> out;
  for (int r = 0; r < ranks; ++r) out.push_back(std::make_unique<ThreadTransport>(group, r));
  return out;
}

void RunTransfersInTurn(const std::vector<Transfer>& transfers,
                        std::span<void* const> sources,
                        std::span<void* const> targets) {
  for (size_t rank = 0; rank < transfers.size(); ++rank)
    RunTransfer(transfers[rank], static_cast<int64_t>(rank), sources, targets[rank]);
  for (size_t rank = 0; rank < transfers.size(); ++rank)
    GatherSlices(transfers[rank], static_cast<int64_t>(rank), targets);
}

}  // namespace metadist
