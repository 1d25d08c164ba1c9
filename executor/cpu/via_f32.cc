// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/via_f32.h"

#include <algorithm>
#include <array>
#include <memory>

#include "executor/cpu/half_floats.h"
#include "metair/ops/held_call.h"

namespace metadist::cpu {
namespace {

constexpr size_t kMaxOperands = 16;
constexpr int64_t kAlignment = 64;

int64_t Aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// An operand that is in scratch memory while the kernel runs.
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
  int64_t used = 0;  // scratch bytes before those of the kernel itself

  Moved Place(size_t index, TensorType& type) {
    const Moved moved{index, type.element, NumElements(type.shape), used};
    type.element = ElementType::kF32;
    used += Aligned(type.bytes());
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

// A call that can run on ranges of its elements, block by block: `along` operands are converted on
// the stack, and only operands that every block reads whole need scratch memory.
struct Blocks {
  static constexpr int64_t kBlock = 1024;

  RangeKernel inner;
  std::vector<ElementType> inputs;  // before the conversion
  ElementType output;

  // Operands that are not `along` are f32 already.
  void Run(const KernelArgs& args, int64_t begin, int64_t end) const {
    alignas(kAlignment) float in[kMaxRangeInputs][kBlock];
    alignas(kAlignment) float out[kBlock];
    std::array<const std::byte*, kMaxRangeInputs> from{};
    for (int64_t first = begin; first < end; first += kBlock) {
      const int64_t count = std::min(kBlock, end - first);
      for (size_t i = 0; i < inputs.size(); ++i) {
        from[i] = args.inputs[i];
        if (!inner.along[i] || from[i] == nullptr) continue;
        from[i] += (first - begin) * ByteSize(inputs[i]);
        if (!IsHalf(inputs[i])) continue;
        WidenHalves(inputs[i], from[i], in[i], count);
        from[i] = reinterpret_cast<const std::byte*>(in[i]);
      }
      std::byte* const result = args.outputs[0] + (first - begin) * ByteSize(output);
      std::byte* to[] = {IsHalf(output) ? reinterpret_cast<std::byte*>(out) : result};
      inner.run({std::span(from).first(inputs.size()), to}, first, first + count);
      if (IsHalf(output)) NarrowToHalves(output, out, result, count);
    }
  }
};

// `wrapped` contains the conversions of whole operands.
Prepared InBlocks(const KernelSite& site, Prepared inner, const std::shared_ptr<Wrapped>& wrapped) {
  auto blocks = std::make_shared<Blocks>();
  blocks->inner = std::move(inner.range);
  blocks->output = site.out().element;
  for (const OpCall::Input& input : site.call->inputs) blocks->inputs.push_back(input.type.element);
  const RangeKernel& range = blocks->inner;
  std::erase_if(wrapped->inputs, [&](const Moved& moved) { return range.along[moved.index]; });
  wrapped->outputs.clear();
  wrapped->used = 0;
  for (Moved& moved : wrapped->inputs) {
    moved.offset = wrapped->used;
    wrapped->used += Aligned(moved.count * ByteSize(ElementType::kF32));
  }
  std::string name = inner.kernel + " via f32";
  if (wrapped->inputs.empty())
    return Accept(std::move(name),
                  RangeKernel{[blocks](const KernelArgs& args, int64_t begin, int64_t end) {
                                blocks->Run(args, begin, end);
                              },
                              range.along,
                              range.count});
  wrapped->run = [blocks](const KernelArgs& args) -> Result<void> {
    blocks->Run(args, 0, blocks->inner.count);
    return {};
  };
  return Accept(
      std::move(name),
      [wrapped](const KernelArgs& args) { return wrapped->Run(args); },
      wrapped->used);
}

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
  const bool held = HoldsF32(site.attributes());
  if (wrapped->used == 0 && !held) return Decline("no loop for these element types");
  Attributes own;
  if (held) {
    own = site.attributes();
    SetHeld({}, own);
    call.attributes = &own;
  }
  Prepared inner = make({&call, types, 0});
  if (!inner.ok() || wrapped->used == 0) return inner;
  if (inner.range.run && call.inputs.size() <= kMaxRangeInputs && types.size() == 1)
    return InBlocks(site, std::move(inner), wrapped);
  wrapped->run = std::move(inner.run);
  return Accept(
      inner.kernel + " via f32",
      [wrapped](const KernelArgs& args) { return wrapped->Run(args); },
      wrapped->used + inner.scratch_bytes);
}

}  // namespace metadist::cpu
