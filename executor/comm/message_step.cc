// SPDX-License-Identifier: Apache-2.0
#include "executor/comm/message_step.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "executor/comm/reduce.h"

namespace metadist {
namespace {

bool Has(const std::vector<int64_t>& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

}  // namespace

MessageStep::MessageStep(std::vector<TransferPart> parts,
                         const std::vector<int>& ranks,
                         int rank,
                         Messenger& messenger)
    : parts_(std::move(parts)), ranks_(ranks), rank_(rank), messenger_(messenger) {
  for (size_t part = 0; part < parts_.size(); ++part) {
    if (TransferOf(part, rank_).slices) {
      PlanSlices(part);
      continue;
    }
    PlanSends(part);
    PlanArrivals(part);
  }
  const size_t most =
      std::max(sends_.size() + receives_.size(), slice_sends_.size() + slice_receives_.size());
  requests_.reserve(most);
}

MessageStep::Message& MessageStep::MessageOf(std::vector<Message>& messages, int peer) {
  const auto found = std::find_if(
      messages.begin(), messages.end(), [&](const Message& m) { return m.peer == peer; });
  if (found != messages.end()) return *found;
  messages.push_back({peer, {}, {}});
  return messages.back();
}

int64_t MessageStep::Append(std::vector<Message>& messages, int peer, Segment segment) {
  Message& message = MessageOf(messages, peer);
  segment.at = static_cast<int64_t>(message.bytes.size());
  message.bytes.resize(message.bytes.size() + static_cast<size_t>(segment.bytes));
  message.segments.push_back(segment);
  return segment.at;
}

// The segments that others pull from this rank, in the order in which they unpack them.
void MessageStep::PlanSends(size_t part) {
  for (int64_t reader : TransferOf(part, rank_).group) {
    if (reader == rank_) continue;
    const Transfer& transfer = TransferOf(part, static_cast<int>(reader));
    for (const Pull& pull : transfer.pulls)
      if (Has(pull.sources, rank_))
        Append(sends_,
               static_cast<int>(reader),
               {part, &pull, 0, pull.elements() * ByteSize(transfer.element), 0});
  }
}

void MessageStep::PlanArrivals(size_t part) {
  const Transfer& transfer = TransferOf(part, rank_);
  for (const Pull& pull : transfer.pulls) {
    Arrival arrival;
    arrival.part = part;
    arrival.pull = &pull;
    const int64_t bytes = pull.elements() * ByteSize(transfer.element);
    for (int64_t source : pull.sources) {
      Operand operand;
      if (source == rank_) {
        arrival.own.resize(static_cast<size_t>(bytes));
      } else {
        const int peer = static_cast<int>(source);
        operand.at = Append(receives_, peer, {part, &pull, 0, bytes, 0});
        operand.message = peer;  // replaced by an index once all messages exist
      }
      arrival.operands.push_back(operand);
    }
    arrival.from.resize(arrival.operands.size());
    arrivals_.push_back(std::move(arrival));
  }
}

void MessageStep::PlanSlices(size_t part) {
  const Transfer& transfer = TransferOf(part, rank_);
  const int64_t item = ByteSize(transfer.element);
  const int64_t made = ByteSize(transfer.made);
  const Interval own = transfer.SliceOf(rank_);
  Arrival arrival;
  arrival.part = part;
  arrival.begin = own.begin;
  arrival.count = own.size();
  for (int64_t other : transfer.slicers) {
    const int peer = static_cast<int>(other);
    Operand operand;
    if (peer != rank_) {
      const Interval theirs = transfer.SliceOf(peer);
      Append(sends_, peer, {part, nullptr, theirs.begin * item, theirs.size() * item, 0});
      operand.at = Append(receives_, peer, {part, nullptr, 0, own.size() * item, 0});
      operand.message = peer;
      Append(slice_sends_, peer, {part, nullptr, own.begin * made, own.size() * made, 0});
      Append(slice_receives_, peer, {part, nullptr, theirs.begin * made, theirs.size() * made, 0});
    }
    arrival.operands.push_back(operand);
  }
  arrival.from.resize(arrival.operands.size());
  arrivals_.push_back(std::move(arrival));
}

Result<void> MessageStep::Exchange(std::vector<Message>& sends, std::vector<Message>& receives) {
  requests_.clear();
  for (Message& message : receives)
    requests_.push_back(messenger_.Receive(message.bytes.data(),
                                           static_cast<int64_t>(message.bytes.size()),
                                           ranks_[static_cast<size_t>(message.peer)]));
  for (Message& message : sends)
    requests_.push_back(messenger_.Send(message.bytes.data(),
                                        static_cast<int64_t>(message.bytes.size()),
                                        ranks_[static_cast<size_t>(message.peer)]));
  return messenger_.Wait(requests_);
}

void MessageStep::Pack(Message& message) {
  for (const Segment& segment : message.segments) {
    const std::byte* const source = parts_[segment.part].source;
    std::byte* const to = message.bytes.data() + segment.at;
    if (segment.pull != nullptr)
      PackPull(*segment.pull, TransferOf(segment.part, message.peer).element, source, to);
    else if (segment.bytes > 0)
      std::memcpy(to, source + segment.begin, static_cast<size_t>(segment.bytes));
  }
}

void MessageStep::Unpack(Arrival& arrival) {
  const Transfer& transfer = TransferOf(arrival.part, rank_);
  const TransferPart& part = parts_[arrival.part];
  const int64_t item = ByteSize(transfer.element);
  if (arrival.pull != nullptr && !arrival.own.empty())
    PackPull(*arrival.pull, transfer.element, part.source, arrival.own.data());
  for (size_t i = 0; i < arrival.operands.size(); ++i) {
    const Operand& operand = arrival.operands[i];
    if (operand.message >= 0)
      arrival.from[i] = MessageOf(receives_, operand.message).bytes.data() + operand.at;
    else
      arrival.from[i] =
          arrival.pull != nullptr ? arrival.own.data() : part.source + arrival.begin * item;
  }
  if (arrival.pull != nullptr)
    return UnpackPull(transfer, *arrival.pull, arrival.from, part.target);
  const std::vector<const void*> operands(arrival.from.begin(), arrival.from.end());
  Reduce(operands,
         part.target + arrival.begin * ByteSize(transfer.made),
         arrival.count,
         transfer.element,
         transfer.made,
         transfer.op);
}

Result<void> MessageStep::Run() {
  for (Message& message : sends_) Pack(message);
  TRY(Exchange(sends_, receives_));
  for (size_t part = 0; part < parts_.size(); ++part)
    if (parts_[part].target != nullptr) Prefill(TransferOf(part, rank_), parts_[part].target);
  for (Arrival& arrival : arrivals_) Unpack(arrival);
  if (slice_sends_.empty() && slice_receives_.empty()) return {};
  for (Message& message : slice_sends_)
    for (const Segment& segment : message.segments)
      if (segment.bytes > 0)
        std::memcpy(message.bytes.data() + segment.at,
                    parts_[segment.part].target + segment.begin,
                    static_cast<size_t>(segment.bytes));
  TRY(Exchange(slice_sends_, slice_receives_));
  for (const Message& message : slice_receives_)
    for (const Segment& segment : message.segments)
      if (segment.bytes > 0)
        std::memcpy(parts_[segment.part].target + segment.begin,
                    message.bytes.data() + segment.at,
                    static_cast<size_t>(segment.bytes));
  return {};
}

}  // namespace metadist
