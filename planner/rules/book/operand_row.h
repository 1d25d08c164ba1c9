// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "planner/rules/factor/symbolic_rule.h"
#include "planner/rules/probe/black_box.h"

namespace metadist {

// Many tensors in a row among the inputs of a call, of one element type and rank.
struct OperandRow {
  size_t first = 0;
  size_t count = 0;
};

// The longest row of the call, if it is too long to look at every operand by itself.
std::optional<OperandRow> LongRowOf(const BlackBox& call);

// The call with `kept` operands of the row: those at its beginning and the last three.
OpCall WithRow(const OpCall& call, const OperandRow& row, size_t kept);

// What was found of a call with a short row, for one with `extra` operands more: each of them is
// like the third of the row. None: that operand stands in a relation that says nothing of others.
std::optional<SymbolicRule> Grown(const SymbolicRule& found, const OperandRow& row, size_t extra);

// Lengths of a row of which rules are found; the rule of the second must be that of the first,
// grown by one operand.
inline constexpr size_t kShortRows[] = {6, 7};

// Whether that is so; call: with the longer row.
bool GrowsAlike(const SymbolicRule& shorter,
                const SymbolicRule& longer,
                const OperandRow& row,
                const OpCall& call);

}  // namespace metadist
