// SPDX-License-Identifier: Apache-2.0
// How a core runs a group of fused nodes (metair/spmd/fusion.h). Tensor compilers generate one loop
// for such a group. Here the kernels are unchanged and alternate on blocks that fit the cache (like
// the vector-at-a-time execution of column stores: Boncz, Zukowski and Nes 2005, "MonetDB/X100:
// Hyper-Pipelining Query Execution"). That needs no compiler at run time and gives the same bits.
// Which buffers allow this is described in chain_buffers.cc.
#include "executor/device/chain.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace metadist {
namespace {

constexpr size_t kMostLinks = 32;  // the cost of finding chains grows with its cube

struct Link {
  cpu::RangeKernel::Run run;
  size_t inputs = 0;
  std::array<const std::byte*, cpu::kMaxRangeInputs> from{};
  std::array<int64_t, cpu::kMaxRangeInputs> from_step{};  // bytes per element; 0: does not walk
  std::byte* to = nullptr;
  int64_t to_step = 0;
};

void RunLinks(const std::vector<Link>& links, int64_t count) {
  for (int64_t begin = 0; begin < count; begin += kChainBlock) {
    const int64_t end = std::min(begin + kChainBlock, count);
    for (const Link& link : links) {
      std::array<const std::byte*, cpu::kMaxRangeInputs> from = link.from;
      for (size_t i = 0; i < link.inputs; ++i)
        if (link.from_step[i] != 0) from[i] += begin * link.from_step[i];
      std::byte* const to[] = {link.to + begin * link.to_step};
      link.run({std::span(from).first(link.inputs), to, nullptr}, begin, end);
    }
  }
}

// The number of leading steps that belong to one group and run on ranges of the same length.
size_t LengthInOneGroup(std::span<const CpuStep> steps, const std::vector<int>& group_of) {
  const auto group = [&](const CpuStep& step) { return group_of[static_cast<size_t>(step.node)]; };
  if (group(steps[0]) < 0) return 0;
  size_t count = 0;
  for (const CpuStep& step : steps.first(std::min(steps.size(), kMostLinks))) {
    if (group(step) != group(steps[0]) || !step.range.run ||
        step.range.count != steps[0].range.count || step.inputs.size() > cpu::kMaxRangeInputs ||
        step.outputs[0] == nullptr)
      break;
    ++count;
  }
  return count;
}

Link LinkOf(CpuStep& step,
            const Node& node,
            const ChainBuffers& buffers,
            const std::vector<BufferUse>& uses) {
  const auto bytes_of_a_step = [&](ValueId value) {
    const BufferUse& use = buffers.Of(value, uses);
    return use.access == BufferUse::Access::kHead ? 0 : use.element_bytes;
  };
  Link link;
  link.inputs = step.inputs.size();
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    link.from[i] = step.inputs[i];
    if (step.inputs[i] != nullptr && step.range.along[i])
      link.from_step[i] = bytes_of_a_step(node.inputs[i]);
  }
  link.to = step.outputs[0];
  link.to_step = bytes_of_a_step(node.outputs[0]);
  link.run = std::move(step.range.run);
  return link;
}

CpuStep Join(std::span<const CpuStep> steps, std::vector<Link> links) {
  CpuStep chain;
  chain.node = steps[0].node;
  chain.kernel = steps[0].kernel;
  for (const CpuStep& step : steps.subspan(1)) {
    chain.others.push_back(step.node);
    chain.kernel += "+" + step.kernel;
  }
  chain.run = [links = std::move(links),
               count = steps[0].range.count](const cpu::KernelArgs&) -> Result<void> {
    RunLinks(links, count);
    return {};
  };
  return chain;
}

}  // namespace

std::vector<CpuStep> RunInChains(std::vector<CpuStep> steps,
                                 const Graph& graph,
                                 const std::vector<int>& group_of,
                                 const ChainBuffers& buffers) {
  std::vector<CpuStep> joined;
  for (std::span<CpuStep> rest = steps; !rest.empty();) {
    size_t length = LengthInOneGroup(rest, group_of);
    std::optional<std::vector<BufferUse>> uses;
    while (length > 1 && !(uses = buffers.Use(rest.first(length)))) --length;
    length = std::max<size_t>(length, 1);
    if (uses) {
      std::vector<Link> links;
      for (CpuStep& step : rest.first(length))
        links.push_back(LinkOf(step, graph.node(step.node), buffers, *uses));
      joined.push_back(Join(rest.first(length), std::move(links)));
    } else {
      joined.push_back(std::move(rest[0]));
    }
    rest = rest.subspan(length);
  }
  return joined;
}

}  // namespace metadist
