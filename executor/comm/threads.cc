// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one process. A collective is: publish pointers, meet, read the peers' memory
// straight into place, meet again so that nobody reuses what is still being read.
#include "executor/comm/threads.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <tuple>

#include "executor/comm/reduce.h"
#include "executor/comm/rendezvous.h"

namespace metadist {
namespace {

// Below this size every rank reduces everything itself, which saves a meeting.
constexpr int64_t kSmallBytes = 8192;

struct Group;

// What ranks publish when one pointer does not say it all.
struct Entry {
  int color = 0;
  int key = 0;
  int rank = 0;
  std::shared_ptr<Group> made;
};
struct Pair {
  const void* in = nullptr;
  void* out = nullptr;
};
struct Message {
  const void* data = nullptr;
  int64_t bytes = 0;
  int to = 0;
};

// What the ranks of one group share.
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
  std::vector<void*> slots[2];  // used in turn, so that one may be read while the other is filled
};

class ThreadCommunicator : public Communicator {
 public:
  ThreadCommunicator(std::shared_ptr<Group> group, int rank)
      : group_(std::move(group)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return group_->size; }
  Result<void> Barrier() override { return group_->meeting.Wait(); }
  bool Abort(const Error& reason) override { return group_->abort->Set(reason); }

  Result<std::span<void* const>> Exchange(void* mine) override {
    std::vector<void*>& slots = group_->slots[side_];
    side_ = 1 - side_;
    slots[static_cast<size_t>(rank_)] = mine;
    TRY(Barrier());
    return std::span<void* const>(slots);
  }

  Result<std::unique_ptr<Communicator>> Split(int color, int key) override;
  Result<void> AllReduce(
      const void* in, void* out, int64_t count, ElementType type, ReduceOp op) override;
  Result<void> ReduceScatter(
      const void* in, void* out, int64_t count, ElementType type, ReduceOp op) override;
  Result<void> AllGather(const void* in, void* out, int64_t bytes) override;
  Result<void> AllToAll(const void* in, void* out, int64_t bytes) override;
  Result<void> Broadcast(void* data, int64_t bytes, int root) override;
  Result<void> SendRecv(const void* send,
                        int64_t send_bytes,
                        int to,
                        void* receive,
                        int64_t bytes,
                        int from) override;

 private:
  std::shared_ptr<Group> group_;
  int rank_;
  int side_ = 0;
  // Members, not locals: a late rank may look at them after this one gave up waiting.
  Entry entry_;
  Pair pair_;
  Message message_;
};

const std::byte* At(const void* base, int64_t offset) {
  return static_cast<const std::byte*>(base) + offset;
}
std::byte* At(void* base, int64_t offset) { return static_cast<std::byte*>(base) + offset; }

void Copy(void* to, const void* from, int64_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, static_cast<size_t>(bytes));
}

Result<std::unique_ptr<Communicator>> ThreadCommunicator::Split(int color, int key) {
  entry_ = {color, key, rank_, nullptr};
  const std::span<void* const> peers = TRY(Exchange(&entry_));
  std::vector<Entry*> members;
  for (void* peer : peers)
    if (static_cast<Entry*>(peer)->color == color) members.push_back(static_cast<Entry*>(peer));
  std::sort(members.begin(), members.end(), [](const Entry* a, const Entry* b) {
    return std::tie(a->key, a->rank) < std::tie(b->key, b->rank);
  });
  if (members[0] == &entry_)
    entry_.made = std::make_shared<Group>(
        static_cast<int>(members.size()), group_->crowded, group_->timeout_seconds, group_->abort);
  TRY(Barrier());
  const auto self = std::find(members.begin(), members.end(), &entry_);
  auto part = std::make_unique<ThreadCommunicator>(members[0]->made,
                                                   static_cast<int>(self - members.begin()));
  TRY(Barrier());
  return std::unique_ptr<Communicator>(std::move(part));
}

Result<void> ThreadCommunicator::AllReduce(
    const void* in, void* out, int64_t count, ElementType type, ReduceOp op) {
  pair_ = {in, out};
  const std::span<void* const> peers = TRY(Exchange(&pair_));
  const int64_t item = ByteSize(type);
  const bool small = count * item <= kSmallBytes;
  const Interval own = small ? Interval{0, count} : Piece(count, size(), rank_);
  std::vector<const void*> sources;
  for (void* peer : peers) sources.push_back(At(static_cast<Pair*>(peer)->in, own.begin * item));
  Reduce(sources, At(out, own.begin * item), own.size(), type, type, op);
  TRY(Barrier());
  if (small) return {};
  for (int r = 0; r < size(); ++r) {
    const Interval piece = Piece(count, size(), r);
    const void* from = static_cast<Pair*>(peers[static_cast<size_t>(r)])->out;
    Copy(At(out, piece.begin * item), At(from, piece.begin * item), piece.size() * item);
  }
  return Barrier();
}

Result<void> ThreadCommunicator::ReduceScatter(
    const void* in, void* out, int64_t count, ElementType type, ReduceOp op) {
  const std::span<void* const> peers = TRY(Exchange(const_cast<void*>(in)));
  std::vector<const void*> sources;
  for (const void* peer : peers) sources.push_back(At(peer, rank_ * count * ByteSize(type)));
  Reduce(sources, out, count, type, type, op);
  return Barrier();
}

Result<void> ThreadCommunicator::AllGather(const void* in, void* out, int64_t bytes) {
  const std::span<void* const> peers = TRY(Exchange(const_cast<void*>(in)));
  for (int r = 0; r < size(); ++r) Copy(At(out, r * bytes), peers[static_cast<size_t>(r)], bytes);
  return Barrier();
}

Result<void> ThreadCommunicator::AllToAll(const void* in, void* out, int64_t bytes) {
  const std::span<void* const> peers = TRY(Exchange(const_cast<void*>(in)));
  for (int r = 0; r < size(); ++r)
    Copy(At(out, r * bytes), At(peers[static_cast<size_t>(r)], rank_ * bytes), bytes);
  return Barrier();
}

Result<void> ThreadCommunicator::Broadcast(void* data, int64_t bytes, int root) {
  const std::span<void* const> peers = TRY(Exchange(data));
  Copy(data, peers[static_cast<size_t>(root)], bytes);
  return Barrier();
}

Result<void> ThreadCommunicator::SendRecv(
    const void* send, int64_t send_bytes, int to, void* receive, int64_t bytes, int from) {
  message_ = {send, send_bytes, to};
  const std::span<void* const> peers = TRY(Exchange(&message_));
  bool match = true;
  if (from >= 0) {
    const auto* message = static_cast<const Message*>(peers[static_cast<size_t>(from)]);
    match = message->to == rank_ && message->bytes == bytes;
    if (match) Copy(receive, message->data, bytes);
  }
  TRY(Barrier());
  if (!match) {
    Abort({ErrorCode::kInternal, "", "a receive has no matching send", "", {}});
    return group_->abort->reason();
  }
  return {};
}

}  // namespace

std::vector<std::unique_ptr<Communicator>> MakeThreadGroup(int ranks,
                                                           const ThreadGroupOptions& options) {
  CHECK(ranks > 0, "a group needs a rank");
  const bool crowded = static_cast<unsigned>(ranks) > std::thread::hardware_concurrency();
  const auto group = std::make_shared<Group>(
      ranks, crowded, options.timeout_seconds, std::make_shared<AbortState>());
  std::vector<std::unique_ptr<Communicator>> out;
  for (int r = 0; r < ranks; ++r) out.push_back(std::make_unique<ThreadCommunicator>(group, r));
  return out;
}

}  // namespace metadist
