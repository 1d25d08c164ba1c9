// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string_view>

#include "executor/cpu/after_copies.h"
#include "executor/cpu/binary.h"
#include "executor/cpu/kernel.h"
#include "executor/cpu/makers.h"
#include "executor/cpu/recurrent.h"
#include "executor/cpu/reduction.h"
#include "executor/cpu/unary.h"
#include "executor/cpu/via_f32.h"
#include "metair/ops/held_call.h"

namespace metadist::cpu {
namespace {

constexpr KernelTraits kReadsLayout{.reads_strides = true};
constexpr KernelTraits kKeepsLayout{.reads_strides = true, .writes_strides = true};
constexpr KernelTraits kReadsLayoutMakesF32{.reads_strides = true, .makes_f32 = true};
constexpr KernelTraits kOnImages{.on_images = true};
constexpr KernelTraits kReadsLayoutOnImages{.on_images = true, .reads_strides = true};
constexpr KernelTraits kKeepsLayoutByNumber{
    .by_number = true, .reads_strides = true, .writes_strides = true};
constexpr KernelTraits kStartsLayout{
    .reads_strides = true, .writes_strides = true, .starts_layout = true};

constexpr KernelRow kRows[] = {
#define KERNEL(op, ...) {#op, __VA_ARGS__},
#include "executor/cpu/kernels.def"
#undef KERNEL
};

// The bytes that a reference call converts to and from compute types.
int64_t WideBytes(const KernelSite& site) {
  int64_t bytes = 0;
  const auto add = [&](const TensorType& type) {
    if (ComputeType(type.element) != type.element)
      bytes += NumElements(type.shape) * ByteSize(ComputeType(type.element));
  };
  for (const OpCall::Input& input : site.call->inputs)
    if (input.present) add(input.type);
  for (const TensorType& type : site.outputs) add(type);
  return bytes;
}

// Rows are of ONNX's operators and of metadist's own; custom operators may have the same names.
bool IsFor(const KernelRow& row, const OpDef& op) {
  return (op.domain.empty() || op.domain == "metadist") && op.name == row.op;
}

}  // namespace

Prepared Decline(std::string why) { return {{}, 0, "", std::move(why)}; }

Prepared Accept(std::string kernel, Runner run, int64_t scratch_bytes) {
  return {std::move(run), scratch_bytes, std::move(kernel), ""};
}

Prepared Accept(std::string kernel, RangeKernel range) {
  Prepared prepared =
      Accept(std::move(kernel),
             [run = range.run, count = range.count](const KernelArgs& args) -> Result<void> {
               run(args, 0, count);
               return {};
             });
  if (range.count > 0) prepared.range = std::move(range);
  return prepared;
}

std::span<const KernelRow> KernelTable() { return kRows; }

const KernelRow* RowOf(const OpDef& op) {
  for (const KernelRow& row : kRows)
    if (IsFor(row, op)) return &row;
  return nullptr;
}

Prepared PrepareReference(const KernelSite& site) {
  const OpCall call = *site.call;
  const std::vector<TensorType> types(site.outputs.begin(), site.outputs.end());
  Prepared prepared = Accept("reference", [call, types](const KernelArgs& args) -> Result<void> {
    std::vector<Tensor> inputs(call.inputs.size());
    const std::shared_ptr<const void> borrowed;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (call.has(i)) inputs[i] = Tensor::Mapped(call.inputs[i].type, borrowed, args.inputs[i]);
    const std::vector<Tensor> outputs = TRY(Evaluate(call, inputs));
    for (size_t i = 0; i < outputs.size() && i < args.outputs.size(); ++i) {
      if (args.outputs[i] == nullptr || outputs[i].type().bytes() == 0) continue;
      if (outputs[i].type() != types[i])
        return Internal("output " + std::to_string(i) + " is " + TypeText(outputs[i].type()) +
                        ", planned was " + TypeText(types[i]));
      std::memcpy(
          args.outputs[i], outputs[i].bytes(), static_cast<size_t>(outputs[i].type().bytes()));
    }
    return {};
  });
  // The call allocates this on the heap; counted as scratch so that the memory report is right.
  prepared.scratch_bytes = WideBytes(site);
  return prepared;
}

bool KernelSite::strided() const {
  return std::any_of(strides.begin(), strides.end(), [](const auto& s) { return !s.empty(); });
}

std::vector<int64_t> KernelSite::StridesOf(size_t input) const {
  return strided(input) ? strides[input] : Strides(shape(input));
}

Prepared PrepareStrided(const KernelSite& site) {
  std::string why;
  const OpDef& op = *site.call->op;
  for (const KernelRow& row : kRows) {
    if (!IsFor(row, op)) continue;
    if (site.strided() && !row.traits.reads_strides) continue;
    if (!site.out_strides.empty() && !row.traits.writes_strides) continue;
    const bool rows = !site.strided() && site.out_strides.empty();
    const HeldOperands held = HeldOf(site.attributes());
    const bool direct = !held.any() || (row.traits.makes_f32 && held.inputs.empty());
    Prepared prepared = direct ? row.make(site) : Decline("operands are held in f32");
    if (!prepared.ok() && rows) prepared = ViaF32(site, row.make);
    if (prepared.ok()) return prepared;
    why += (why.empty() ? "" : "; ") + prepared.why;
  }
  return Decline(why.empty() ? "no other kernel" : why);
}

Prepared Prepare(const KernelSite& site) {
  Prepared prepared = PrepareStrided(site);
  if (prepared.ok()) return prepared;
  if (site.strided()) return AfterCopies(site);
  Prepared reference = PrepareReference(site);
  reference.why = std::move(prepared.why);
  return reference;
}

}  // namespace metadist::cpu
