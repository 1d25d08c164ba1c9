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

// Elements of a block: a few operands of that many lie in the first cache together.
inline constexpr int64_t kChainBlock = 2048;

// Where the values of a rank lie.
struct ChainSite {
  const Graph& graph;
  const BufferPlan& plan;
  const Arrangement& arrangement;
  const std::vector<std::byte*>& buffers;  // by value id
};

// How nodes that take turns on blocks use the buffer of a value.
struct Touch {
  enum class Access : uint8_t {
    kHead,   // its first block, for every block
    kWalk,   // block by block
    kWhole,  // read all over for every block
  };
  ValueId root = kNone;  // the value whose buffer it is
  Access access = Access::kWalk;
  const std::byte* begin = nullptr;
  int64_t bytes = 0;
  int64_t element_bytes = 0;
  bool written = false;
};

class ChainBuffers {
 public:
  // What the site refers to must outlive it.
  explicit ChainBuffers(const ChainSite& site);

  // For every value that the steps read or write, if they are to take turns. nullopt: that would
  // change results, or none reads what another writes. All steps run on ranges, of one length.
  std::optional<std::vector<Touch>> Use(std::span<const CpuStep> steps) const;
  // That of the buffer in which a value is read or written.
  const Touch& Of(ValueId value, const std::vector<Touch>& touches) const;

 private:
  struct Place {
    ValueId root;
    bool folded;  // read by strides, in place of its producer's result
  };
  Place PlaceOf(ValueId value) const;
  Touch TouchOf(ValueId root, Touch::Access access) const;
  bool AddInputs(const CpuStep& step, std::vector<Touch>& touches, bool& linked) const;
  bool ReadOutside(ValueId root, std::span<const CpuStep> steps) const;

  const ChainSite site_;
  const std::vector<std::vector<metadist::Use>> uses_;
  std::vector<std::vector<ValueId>> views_;  // by root: the values that lie in its buffer
};

}  // namespace metadist
