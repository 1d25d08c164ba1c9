// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "planner/rules/factor/symbolic_rule.h"
#include "planner/rules/probe/black_box.h"

namespace metadist {

// Many consecutive tensor inputs of a call, of one element type and rank.
struct OperandRow {
  size_t first = 0;
  size_t count = 0;
};

// The longest row of the call, if it is too long to examine every operand by itself.
std::optional<OperandRow> LongRowOf(const BlackBox& call);

// The call with `kept` operands of the row: the first ones and the last three.
OpCall WithRow(const OpCall& call, const OperandRow& row, size_t kept);

// The rule of a call with a short row, extended to `extra` more operands that equal the third of
// the row. nullopt: that operand's role does not determine that of others.
std::optional<SymbolicRule> Grown(const SymbolicRule& found, const OperandRow& row, size_t extra);

// Lengths of the rows for which rules are discovered; the rule of the second must be that of the
// first, extended by one operand.
inline constexpr size_t kShortRows[] = {6, 7};

// Whether that holds. call: with the longer row.
bool GrowsAlike(const SymbolicRule& shorter,
                const SymbolicRule& longer,
                const OperandRow& row,
                const OpCall& call);

}  // namespace metadist
