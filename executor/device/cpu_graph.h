// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "executor/device/arrangement.h"
#include "executor/device/chain_buffers.h"
#include "executor/device/cpu_step.h"
#include "executor/device/device.h"
#include "executor/device/memory.h"

namespace metadist {

// A rank's graph on a core: a kernel for every node, operands in the order that kernels prefer, and
// the nodes of fused groups joined to chains.
class CpuGraph : public DeviceGraph {
 public:
  struct Site {
    const Graph& graph;
    const OpTable& ops;
    BufferPlan& plan;
    RankBuffers& buffers;
    CountingAllocator& allocator;
  };
  CpuGraph(const Site& site, std::span<const FusedNodes> fused);

  Result<std::vector<Call>> Prepare(NodeId first, NodeId last) override;
  Result<void> Finish() override;

 private:
  Result<void> AddKernel(NodeId id, std::vector<CpuStep>& steps);
  void Pack(const cpu::Packing& packing, ValueId value);
  void UnpackFirst(CpuStep& step) const;
  std::byte*& buffer(ValueId value) const { return site_.buffers.of(value); }

  const Site site_;
  const Arrangement arrangement_;
  std::vector<int> group_of_;                   // by node: its fused group, or -1
  std::unique_ptr<const ChainBuffers> chains_;  // nullptr: nodes run one by one
  int64_t scratch_bytes_ = 0;  // largest scratch of a kernel that fits no gap in the arena
  std::byte* scratch_ = nullptr;
};

}  // namespace metadist
