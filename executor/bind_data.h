// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "executor/comm/communicator.h"
#include "executor/random_data.h"
#include "executor/run.h"
#include "executor/transfer.h"

namespace metadist {

// The whole tensor of every input, parameter and constant by value id: what the caller gives, else
// what the graph holds, else random values where the options allow.
class WholeData {
 public:
  WholeData() = default;
  // The graphs must outlive the object. Errors: kBadInput with every value that is missing, unknown
  // or of another type.
  static Result<WholeData> Bind(const Graph& graph,
                                const NamedTensors& weights,
                                const NamedTensors& inputs,
                                const RunOptions& options);

  size_t size() const { return whole_.size(); }
  // Collective. Random values are drawn now, each rank a part, and gone when no rank holds them: a
  // model may be as large as the memory. Absent: neither input, parameter nor constant.
  Result<Tensor> Take(size_t value, Communicator& world) const;

 private:
  // Where the values of a tensor come from, if they are drawn.
  struct Source {
    const RandomData* data = nullptr;
    ValueId value = kNone;
  };

  Tensor ShakenAs(size_t value, Tensor whole) const;

  uint64_t shake_ = 0;       // as in RunOptions
  std::vector<bool> given_;  // inputs and parameters
  std::vector<Tensor> whole_;
  std::vector<Source> sources_;
  std::vector<std::unique_ptr<const RandomData>> random_;
  // Being drawn: rank 0 writes it between two meetings of the ranks.
  mutable Tensor drawn_;
  mutable std::byte* drawn_bytes_ = nullptr;
};

// The transfers of every collective of the program's stage, by node id and rank.
Result<std::vector<std::vector<Transfer>>> PlanAllTransfers(const Program& program);

}  // namespace metadist
