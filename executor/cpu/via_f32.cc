// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/via_f32.h"

#include <array>
#include <memory>

#include "executor/cpu/half_floats.h"

namespace metadist::cpu {
namespace {

constexpr size_t kMaxOperands = 16;
constexpr int64_t kAlignment = 64;

// An operand that lies in scratch memory while the kernel runs.
struct Moved {
  size_t index;
  ElementType type;
  int64_t count;
  int64_t offset;
};

struct Wrapped {
  Runner run;
  std::vector<Moved> inputs;
  std::vector<Moved> outputs;
  int64_t used = 0;  // scratch before that of the kernel itself

  Moved Place(size_t index, TensorType& type) {
    const Moved moved{index, type.element, NumElements(type.shape), used};
    type.element = ElementType::kF32;
    used += (type.bytes() + kAlignment - 1) / kAlignment * kAlignment;
    return moved;
  }

  Result<void> Run(const KernelArgs& args) const {
    std::array<const std::byte*, kMaxOperands> in{};
    std::array<std::byte*, kMaxOperands> out{};
    std::copy(args.inputs.begin(), args.inputs.end(), in.begin());
    std::copy(args.outputs.begin(), args.outputs.end(), out.begin());
    for (const Moved& moved : inputs) {
      if (in[moved.index] == nullptr) continue;
      WidenHalves(moved.type,
                  in[moved.index],
                  reinterpret_cast<float*>(args.scratch + moved.offset),
                  moved.count);
      in[moved.index] = args.scratch + moved.offset;
    }
    for (const Moved& moved : outputs)
      if (out[moved.index] != nullptr) out[moved.index] = args.scratch + moved.offset;
    TRY(run({std::span(in).first(args.inputs.size()),
             std::span(out).first(args.outputs.size()),
             args.scratch + used}));
    for (const Moved& moved : outputs)
      if (args.outputs[moved.index] != nullptr)
        NarrowToHalves(moved.type,
                       reinterpret_cast<const float*>(out[moved.index]),
                       args.outputs[moved.index],
                       moved.count);
    return {};
  }
};

}  // namespace

Prepared ViaF32(const KernelSite& site, Maker make) {
  OpCall call = *site.call;
  std::vector<TensorType> types(site.outputs.begin(), site.outputs.end());
  if (call.inputs.size() > kMaxOperands || types.size() > kMaxOperands)
    return Decline("too many operands");
  auto wrapped = std::make_shared<Wrapped>();
  for (size_t i = 0; i < call.inputs.size(); ++i)
    if (call.has(i) && IsHalf(call.inputs[i].type.element)) {
      wrapped->inputs.push_back(wrapped->Place(i, call.inputs[i].type));
      call.inputs[i].constant = nullptr;  // its elements have another type
    }
  for (size_t i = 0; i < types.size(); ++i)
    if (IsHalf(types[i].element)) wrapped->outputs.push_back(wrapped->Place(i, types[i]));
  if (wrapped->used == 0) return Decline("no loop for these element types");
  Prepared inner = make({&call, types, 0});
  if (!inner.ok()) return inner;
  wrapped->run = std::move(inner.run);
  return Accept(
      inner.kernel + " via f32",
      [wrapped](const KernelArgs& args) { return wrapped->Run(args); },
      wrapped->used + inner.scratch_bytes);
}

}  // namespace metadist::cpu
