// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/comm/messenger.h"

namespace metadist {

// A collective step as messages. Every rank packs what each reader pulls from it, sends one message
// to each reader, and unpacks or reduces what it receives, in the order of the sources, so the
// result is bit-identical to that of ranks that share memory. A sliced reduction takes two rounds:
// each rank gathers and reduces one slice, then sends it to the others.
class MessageStep {
 public:
  // ranks: ranks of the messenger, by rank of the transfers; `rank` is this one's among the latter.
  // The transfers must outlive the step.
  MessageStep(std::vector<TransferPart> parts,
              const std::vector<int>& ranks,
              int rank,
              Messenger& messenger);

  // Allocates nothing, unless the messenger does.
  Result<void> Run();

 private:
  // A segment of a message: of a pull, or a slice of consecutive elements.
  struct Segment {
    size_t part = 0;
    const Pull* pull = nullptr;
    int64_t begin = 0;  // of a slice: byte offset in its array
    int64_t bytes = 0;
    int64_t at = 0;  // offset in the message
  };
  struct Message {
    int peer = 0;  // rank in the transfers
    std::vector<Segment> segments;
    std::vector<std::byte> bytes;
  };
  // Where an operand of a pull or slice is: in a message, by index, or in this rank's own array.
  struct Operand {
    int message = -1;
    int64_t at = 0;
  };
  struct Arrival {
    size_t part = 0;
    const Pull* pull = nullptr;  // nullptr: a slice
    int64_t begin = 0;           // of the slice: first element
    int64_t count = 0;
    std::vector<Operand> operands;       // in the order of the sources
    std::vector<std::byte> own;          // this rank's own operand of a pull, packed
    std::vector<const std::byte*> from;  // set on each run
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
