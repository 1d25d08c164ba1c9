// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "executor/device/arrangement.h"
#include "executor/device/cpu_step.h"
#include "metair/ir/graph.h"
#include "metair/spmd/buffer_plan.h"

namespace metadist {

// Elements of a block: a few operands of this size fit the L1 cache together.
inline constexpr int64_t kChainBlock = 2048;

// The memory layout of a rank's values.
struct ChainSite {
  const Graph& graph;
  const BufferPlan& plan;
  const Arrangement& arrangement;
  const std::vector<std::byte*>& buffers;  // by value id
};

// How the nodes of a chain, which alternate block by block, use the buffer of a value.
struct BufferUse {
  enum class Access : uint8_t {
    kHead,   // its first block, reused for every block
    kWalk,   // block by block
    kWhole,  // read as a whole for every block
  };
  ValueId root = kNone;  // the value that owns the buffer
  Access access = Access::kWalk;
  const std::byte* begin = nullptr;
  int64_t bytes = 0;
  int64_t element_bytes = 0;
  bool written = false;
};

class ChainBuffers {
 public:
  // Everything the site refers to must outlive it.
  explicit ChainBuffers(const ChainSite& site);

  // How the steps use the buffers of all values that they read or write, if they form a chain.
  // nullopt: a chain would change results, or no step reads what another one writes. All steps must
  // run on ranges of the same length.
  std::optional<std::vector<BufferUse>> Use(std::span<const CpuStep> steps) const;
  // The entry for the buffer in which a value is read or written.
  const BufferUse& Of(ValueId value, const std::vector<BufferUse>& uses) const;

 private:
  struct Place {
    ValueId root;
    bool folded;  // read by strides from the operand of its folded producer
  };
  Place PlaceOf(ValueId value) const;
  BufferUse UseOf(ValueId root, BufferUse::Access access) const;
  bool AddInputs(const CpuStep& step, std::vector<BufferUse>& uses, bool& linked) const;
  bool ReadOutside(ValueId root, std::span<const CpuStep> steps) const;

  const ChainSite site_;
  const std::vector<std::vector<metadist::Use>> uses_;
  std::vector<std::vector<ValueId>> views_;  // by root: the values in its buffer
};

}  // namespace metadist
