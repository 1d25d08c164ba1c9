// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "metair/ir/attribute.h"
#include "metair/ops/op_def.h"

// Ranks may hold the partial sums of an f16 or bf16 value in f32. A call on them is one of the
// narrow type all the same; only where some operands are stored differs. Its attributes say so:
// `held_inputs` and `held_outputs`, one entry per operand, the operand's own element type where it
// is held in f32, "" elsewhere. No operator looks at them.
namespace metadist {

// The own element types of a call's operands that are held in f32; nullopt: as the call says.
struct HeldOperands {
  std::vector<std::optional<ElementType>> inputs;
  std::vector<std::optional<ElementType>> outputs;

  bool any() const;
};

// Of a call without such attributes: nothing held.
HeldOperands HeldOf(const Attributes& attributes);
// Replaces what the attributes say; nothing held leaves none.
void SetHeld(const HeldOperands& held, Attributes& attributes);
bool HoldsF32(const Attributes& attributes);

}  // namespace metadist
