// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "executor/comm/transport.h"
#include "executor/host/random_data.h"
#include "executor/host/run_options.h"
#include "metair/spmd/program.h"

namespace metadist {

// The whole tensor of every input, parameter and constant of a program: taken from the caller, else
// from the graphs, else drawn at random if the options allow it. A batched input holds all
// micro-batches.
class WholeData {
 public:
  WholeData() = default;
  // The program and options.drawn_for must outlive the object. Errors: kBadInput listing every
  // value that is missing, unknown or of the wrong type.
  static Result<WholeData> Bind(const Program& program,
                                const NamedTensors& weights,
                                const NamedTensors& inputs,
                                const RunOptions& options);

  // Collective over `ranks`, which share memory. Random values are drawn during the call, a share
  // by each rank, and freed when no rank holds them: a model may be as large as the memory. Absent
  // if the value is an input that another stage sends, or no input, parameter or constant.
  Result<Tensor> Take(int stage, ValueId value, Transport& ranks) const;
  // The same on one thread.
  Tensor Take(int stage, ValueId value) const;

 private:
  // Source of a tensor's values.
  struct Entry {
    Tensor whole;                      // given; else absent
    const RandomData* data = nullptr;  // drawn
    ValueId drawn = kNone;
    bool given = false;  // an input or a parameter
  };
  // The tensor being drawn. Rank 0 allocates it before the ranks meet, and drops it after they have
  // met again.
  struct Drawing {
    Tensor whole;
    std::byte* bytes = nullptr;
  };
  class Binder;

  const Entry& At(int stage, ValueId value) const {
    return entries_[static_cast<size_t>(stage)][static_cast<size_t>(value)];
  }
  Tensor PerturbedAs(int stage, ValueId value, Tensor whole) const;

  uint64_t perturbation_ = 0;                         // see RunOptions
  std::vector<std::vector<Entry>> entries_;           // by stage and value
  std::vector<std::shared_ptr<const Graph>> graphs_;  // graphs whose inputs hold several
                                                      // micro-batches
  std::vector<std::shared_ptr<const RandomData>> random_;
  mutable std::vector<Drawing> drawing_;  // by stage
};

// The type of an input with all micro-batches of the program, if it is batched.
TensorType GivenType(const Program& program, const Value& input);

}  // namespace metadist
