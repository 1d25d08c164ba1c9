// SPDX-License-Identifier: Apache-2.0
// After the first steps a rank allocates nothing: every call of malloc in its thread is counted.
// Only oneDNN allocates, for the list of arguments of each primitive: a few nodes of a hash table
// for every primitive that runs. Sanitizers replace malloc, so nothing can be counted with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "executor/comm/threads.h"
#include "executor/cpu/kernel.h"
#include "executor/device/cpu_device.h"
#include "executor/host/bind_data.h"
#include "executor/run/rank_program.h"
#include "executor/run/rank_run.h"
#include "metair/ir/sanitizers.h"
#include "tests/executor/model.h"

#if defined(__GLIBC__) && !defined(METADIST_SANITIZED)

namespace {

thread_local bool counting = false;
std::atomic<int> allocations = 0;

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the C library's names.
extern "C" void* __libc_malloc(size_t size);
extern "C" void* __libc_memalign(size_t alignment, size_t size);
// NOLINTEND(bugprone-reserved-identifier)
extern "C" void* malloc(size_t size) {
  if (counting) ++allocations;
  return __libc_malloc(size);
}
extern "C" void* aligned_alloc(size_t alignment, size_t size) {
  if (counting) ++allocations;
  return __libc_memalign(alignment, size);
}

namespace metadist {
namespace {

constexpr int kOfALibraryCall = 10;

// Allocations of one step of the graph after two steps, in excess of those of the library's calls.
int AllocationsOfAStep(const Graph& graph) {
  const Program program = SingleDevice(graph);
  RunOptions options;
  options.random_weights = options.random_inputs = true;
  const SharedPlan plan = PlanRun(program, OpTable::BuiltIn()).value();
  const WholeData data = WholeData::Bind(program, {}, {}, options).value();
  const auto world = MakeThreadGroup(1);
  cpu::UseOneThread();
  const auto device = MakeCpuDevice();
  auto made = RankProgram::Make(plan, *world[0], *device, SharedData(program, data));
  EXPECT_TRUE(made.ok());
  RankProgram& rank = *made.value();
  int found = 0;
  for (int step = 0; step < 3; ++step) {
    found = 0;
    for (size_t i = 0; i < rank.calls().size(); ++i) {
      const std::string& kernel = rank.calls()[i].kernel;
      allocations = 0;
      counting = true;
      const bool ran = rank.RunCall(i).ok();
      counting = false;
      EXPECT_TRUE(ran);
      const int calls = kernel.ends_with("/onednn") ? 1 + 2 * kernel.starts_with("Conv") : 0;
      found += std::max(allocations - calls * kOfALibraryCall, 0);
    }
  }
  return found;
}

TEST(Allocation, IsCounted) {
  counting = true;
  const std::vector<int> some(100);
  counting = false;
  EXPECT_GT(allocations.exchange(0), 0);
}

TEST(Allocation, NoneInAStepOfATransformer) {
  Model model;
  const ValueId x = model.Input({2, 16, 64});
  const ValueId y = model.Call("LayerNormalization", {x, model.Weight({64}), model.Weight({64})});
  const ValueId h = model.Call("MatMul", {y, model.Weight({64, 64})});
  const ValueId t = model.Call("Transpose", {h}, With("perm", {0, 2, 1}));
  const ValueId s = model.Call("Softmax", {model.Call("MatMul", {h, t})});
  const ValueId u = model.Call("Add", {x, model.Call("MatMul", {s, h})});
  const ValueId v = model.Call("Transpose", {u}, With("perm", {1, 0, 2}));
  model.graph().outputs = {model.Call("Gelu", {model.Call("ReduceMean", {v})})};
  EXPECT_EQ(AllocationsOfAStep(model.graph()), 0);
}

TEST(Allocation, NoneInAStepOfAConvolutionalNetwork) {
  Model model;
  const ValueId x = model.Input({2, 3, 32, 32});
  ValueId y = model.Call("Relu", {model.Convolution(x, {24, 3, 3, 3})});
  y = model.Call("MaxPool", {y}, With("kernel_shape", {2, 2}));
  y = model.Call("Add", {y, model.Convolution(y, {24, 24, 3, 3})});
  model.graph().outputs = {model.Call("Softmax", {model.Call("GlobalAveragePool", {y})}),
                           model.Call("Sigmoid", {model.Convolution(x, {8, 3, 5, 5})})};
  EXPECT_EQ(AllocationsOfAStep(model.graph()), 0);
}

}  // namespace
}  // namespace metadist

#endif
