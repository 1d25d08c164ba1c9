// SPDX-License-Identifier: Apache-2.0
// A transport on messages: numbers are exchanged through rank 0; a barrier exchanges a number that
// is ignored.
#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "executor/comm/message_step.h"
#include "executor/comm/messenger.h"

namespace metadist {
namespace {

class MessageTransport : public Transport {
 public:
  // ranks: ranks of the messenger, by rank of the group.
  MessageTransport(Messenger& messenger, std::vector<int> ranks, int rank)
      : messenger_(messenger), ranks_(std::move(ranks)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(ranks_.size()); }
  bool Abort(const Error& reason) override { return messenger_.Abort(reason); }

  Result<std::unique_ptr<Transport>> Split(int color, int key) override {
    struct Member {
      int color, key, rank;
    };
    const std::vector<Member> all = TRY(FromAll(Member{color, key, rank_}));
    std::vector<Member> members;
    for (const Member& member : all)
      if (member.color == color) members.push_back(member);
    std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
      return std::tie(a.key, a.rank) < std::tie(b.key, b.rank);
    });
    std::vector<int> ranks;
    int place = 0;
    for (const Member& member : members) {
      if (member.rank == rank_) place = static_cast<int>(ranks.size());
      ranks.push_back(ranks_[static_cast<size_t>(member.rank)]);
    }
    return std::unique_ptr<Transport>(
        std::make_unique<MessageTransport>(messenger_, std::move(ranks), place));
  }

  Result<void> Barrier() override {
    TRY(Decide(0));
    return {};
  }

  Result<Step> Prepare(std::vector<TransferPart> parts) override {
    auto step = std::make_shared<MessageStep>(std::move(parts), ranks_, rank_, messenger_);
    return Step([step] { return step->Run(); });
  }

  Result<int64_t> Decide(int64_t mine) override { return TRY(FromAll(mine))[0]; }
  Result<std::vector<double>> Collect(double mine) override { return FromAll(mine); }

 private:
  // The values of all ranks, by rank; rank 0 gathers and broadcasts them.
  template <typename T>
  Result<std::vector<T>> FromAll(const T& mine) {
    std::vector<T> all(ranks_.size(), mine);
    auto* const bytes = reinterpret_cast<std::byte*>(all.data());
    const int64_t whole = static_cast<int64_t>(all.size() * sizeof(T));
    std::vector<Messenger::Request> requests;
    if (rank_ != 0) {
      requests = {messenger_.Send(reinterpret_cast<const std::byte*>(&mine), sizeof(T), ranks_[0])};
      TRY(messenger_.Wait(requests));
      requests = {messenger_.Receive(bytes, whole, ranks_[0])};
      TRY(messenger_.Wait(requests));
      return all;
    }
    for (size_t rank = 1; rank < ranks_.size(); ++rank)
      requests.push_back(messenger_.Receive(bytes + rank * sizeof(T), sizeof(T), ranks_[rank]));
    TRY(messenger_.Wait(requests));
    requests.clear();
    for (size_t rank = 1; rank < ranks_.size(); ++rank)
      requests.push_back(messenger_.Send(bytes, whole, ranks_[rank]));
    TRY(messenger_.Wait(requests));
    return all;
  }

  Messenger& messenger_;
  const std::vector<int> ranks_;
  const int rank_;
};

using Waiting = Result<void> (Messenger::*)(std::span<const Messenger::Request>);

Result<std::string> ReceiveBytes(Messenger& messenger, int from, Waiting wait) {
  int64_t size = 0;
  std::vector<Messenger::Request> requests = {
      messenger.Receive(reinterpret_cast<std::byte*>(&size), sizeof(size), from)};
  TRY((messenger.*wait)(requests));
  std::string text(static_cast<size_t>(size), ' ');
  requests = {messenger.Receive(reinterpret_cast<std::byte*>(text.data()), size, from)};
  TRY(messenger.Wait(requests));
  return text;
}

}  // namespace

Result<void> SendText(Messenger& messenger, const std::string& text, int to) {
  const int64_t size = static_cast<int64_t>(text.size());
  const std::vector<Messenger::Request> requests = {
      messenger.Send(reinterpret_cast<const std::byte*>(&size), sizeof(size), to),
      messenger.Send(reinterpret_cast<const std::byte*>(text.data()), size, to)};
  return messenger.Wait(requests);
}

Result<std::string> ReceiveText(Messenger& messenger, int from) {
  return ReceiveBytes(messenger, from, &Messenger::Wait);
}

Result<std::string> ReceiveFromLeader(Messenger& messenger) {
  return ReceiveBytes(messenger, 0, &Messenger::WaitForLeader);
}

std::unique_ptr<Transport> MakeMessageTransport(Messenger& messenger, int ranks) {
  std::vector<int> all(static_cast<size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return std::make_unique<MessageTransport>(messenger, std::move(all), messenger.rank());
}

}  // namespace metadist
