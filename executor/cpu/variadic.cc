// SPDX-License-Identifier: Apache-2.0
// Functions of any number of operands, as repeated functions of two, with the intermediate result
// on the left.
#include <array>
#include <memory>

#include "executor/cpu/binary.h"
#include "executor/cpu/copying.h"
#include "executor/cpu/loop_nest.h"

namespace metadist::cpu {
namespace {

using F = BinaryFunction;

// y = f(a, b) for operands of these types.
Prepared Step(const KernelSite& site, F function, const TensorType& a, const TensorType& b) {
  OpCall call = *site.call;
  call.inputs = {{true, a}, {true, b}};
  return PrepareBinary({&call, site.outputs}, function);
}

}  // namespace

Prepared PrepareVariadic(const KernelSite& site, BinaryFunction function) {
  const size_t count = site.call->inputs.size();
  for (size_t i = 1; i < count; ++i)
    if (site.element(i) != site.element(0)) return Decline("operands of two element types");
  if (count == 1)
    return Copying(site, site.out().shape, {StretchedStrides(site.shape(0), site.out().shape)});
  auto steps = std::make_shared<std::vector<Runner>>();
  for (size_t i = 1; i < count; ++i) {
    Prepared step =
        Step(site, function, i == 1 ? site.call->type(0) : site.out(), site.call->type(i));
    if (!step.ok()) return step;
    steps->push_back(std::move(step.run));
  }
  return Accept("loops", [steps](const KernelArgs& args) -> Result<void> {
    for (size_t i = 0; i < steps->size(); ++i) {
      const std::array<const std::byte*, 2> from{i == 0 ? args.inputs[0] : args.outputs[0],
                                                 args.inputs[i + 1]};
      TRY((*steps)[i]({from, args.outputs, args.scratch}));
    }
    return {};
  });
}

Prepared Mean(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  Prepared sum = PrepareVariadic(site, F::kAdd);
  if (!sum.ok()) return sum;
  const int64_t count = NumElements(site.out().shape);
  const auto parts = static_cast<float>(site.call->inputs.size());
  sum.run = [run = std::move(sum.run), count, parts](const KernelArgs& args) -> Result<void> {
    TRY(run(args));
    auto* y = args.out();
    for (int64_t i = 0; i < count; ++i) y[i] /= parts;
    return {};
  };
  return sum;
}

}  // namespace metadist::cpu
