// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "metair/ir/attribute.h"
#include "metair/ops/op_def.h"

// Ranks may hold the partial sums of an f16 or bf16 value in f32. A call on them still has the
// narrow type; only the storage of some operands differs. Its attributes `held_inputs` and
// `held_outputs` record this: one entry per operand, the operand's own element type if it is held
// in f32, else "". Operators do not read them.
namespace metadist {

// The own element types of a call's operands that are held in f32; nullopt: stored in its own type.
struct HeldOperands {
  std::vector<std::optional<ElementType>> inputs;
  std::vector<std::optional<ElementType>> outputs;

  bool any() const;
};

// Without such attributes: nothing held.
HeldOperands HeldOf(const Attributes& attributes);
// Replaces these attributes; removes them if nothing is held.
void SetHeld(const HeldOperands& held, Attributes& attributes);
bool HoldsF32(const Attributes& attributes);

}  // namespace metadist
