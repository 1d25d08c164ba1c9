// SPDX-License-Identifier: Apache-2.0
#include "executor/device/cpu_device.h"

#include <cstring>
#include <new>

#include "executor/device/cpu_graph.h"
#include "executor/device/memory.h"

namespace metadist {
namespace {

class CpuDevice : public Device {
 public:
  explicit CpuDevice(const CpuDeviceOptions& options) : options_(options) {}

  Result<std::byte*> Allocate(int64_t bytes, int64_t* count) override {
    try {
      return allocator_.Allocate(bytes, count);
    } catch (const std::bad_alloc&) {
      return OutOfMemory();
    }
  }

  Result<void> Write(const std::byte* host, std::byte* to, int64_t bytes) override {
    return Copy(host, to, bytes);
  }
  Result<void> Read(const std::byte* from, std::byte* host, int64_t bytes) override {
    return Copy(from, host, bytes);
  }
  Result<void> Copy(const std::byte* from, std::byte* to, int64_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, static_cast<size_t>(bytes));
    return {};
  }

  Result<void> Clear(std::byte* at, int64_t bytes) override {
    if (bytes > 0) std::memset(at, 0, static_cast<size_t>(bytes));
    return {};
  }

  std::unique_ptr<DeviceGraph> Arrange(const Graph& graph,
                                       std::span<const FusedNodes> fused,
                                       const OpTable& ops,
                                       BufferPlan& plan,
                                       RankBuffers& buffers) override {
    return std::make_unique<CpuGraph>(CpuGraph::Site{graph, ops, plan, buffers, allocator_},
                                      options_.fuse ? fused : std::span<const FusedNodes>());
  }

  Result<void> Mark(size_t number) override {
    if (marks_.size() <= number) marks_.resize(number + 1);
    marks_[number] = Clock::now();
    return {};
  }
  Result<std::span<const Clock::time_point>> Marks() override {
    return std::span<const Clock::time_point>(marks_);
  }

 private:
  const CpuDeviceOptions options_;
  CountingAllocator allocator_;
  std::vector<Clock::time_point> marks_;
};

}  // namespace

RankMemory& RankMemory::operator+=(const RankMemory& other) {
  parameter_bytes += other.parameter_bytes;
  input_bytes += other.input_bytes;
  arena_bytes += other.arena_bytes;
  scratch_bytes += other.scratch_bytes;
  return *this;
}

std::unique_ptr<Device> MakeCpuDevice(const CpuDeviceOptions& options) {
  return std::make_unique<CpuDevice>(options);
}

}  // namespace metadist
