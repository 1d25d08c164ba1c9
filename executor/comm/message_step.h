// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/comm/messenger.h"

namespace metadist {

// A collective step as messages. Every rank packs for each reader what that reader pulls from it,
// sends one message to each, and unpacks or reduces what it got, in the order of the sources: the
// same bits as where memory is shared. A sliced reduction goes in two rounds: each rank gathers and
// reduces one slice, then sends it to the others.
class MessageStep {
 public:
  // ranks: of the messenger, by rank of the transfers; `rank` is this one's among them. Transfers
  // must outlive the step.
  MessageStep(std::vector<TransferPart> parts,
              const std::vector<int>& ranks,
              int rank,
              Messenger& messenger);

  // Allocates nothing but what the messenger does.
  Result<void> Run();

 private:
  // A part of a message: of a pull, or a slice of consecutive elements.
  struct Segment {
    size_t part = 0;
    const Pull* pull = nullptr;
    int64_t begin = 0;  // of a slice, in bytes of its array
    int64_t bytes = 0;
    int64_t at = 0;  // offset in the message
  };
  struct Message {
    int peer = 0;  // rank of the transfers
    std::vector<Segment> segments;
    std::vector<std::byte> bytes;
  };
  // What one operand of a pull or slice lies in: a message, by index, or this rank's own array.
  struct Operand {
    int message = -1;
    int64_t at = 0;
  };
  struct Arrival {
    size_t part = 0;
    const Pull* pull = nullptr;  // nullptr: a slice
    int64_t begin = 0;           // of the slice, in elements
    int64_t count = 0;
    std::vector<Operand> operands;       // in the order of the sources
    std::vector<std::byte> own;          // this rank's operand of a pull, packed
    std::vector<const std::byte*> from;  // filled in for each run
  };

  const Transfer& TransferOf(size_t part, int rank) const {
    return (*parts_[part].transfers)[static_cast<size_t>(rank)];
  }
  static Message& MessageOf(std::vector<Message>& messages, int peer);
  static int64_t Append(std::vector<Message>& messages, int peer, Segment segment);
  void PlanSends(size_t part);
  void PlanArrivals(size_t part);
  void PlanSlices(size_t part);
  void Pack(Message& message);
  Result<void> Exchange(std::vector<Message>& sends, std::vector<Message>& receives);
  void Unpack(Arrival& arrival);

  std::vector<TransferPart> parts_;
  const std::vector<int> ranks_;
  const int rank_;
  Messenger& messenger_;
  std::vector<Message> sends_, receives_;              // first round
  std::vector<Message> slice_sends_, slice_receives_;  // second round
  std::vector<Arrival> arrivals_;
  std::vector<Messenger::Request> requests_;
};

}  // namespace metadist
