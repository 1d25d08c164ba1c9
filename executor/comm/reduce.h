// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "metair/ir/element_type.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// out[i] = op over j of in[j][i], in ascending order of j, for `count` elements. in: at least one
// array of `type`. `to` is the type of out: the same type, or both are among f32, f16 and bf16. f16
// and bf16 accumulate in f32 and round once; integers wrap; kAnd and kOr operate on truth values,
// bitwise for integers. out may be one of in, but must not overlap them otherwise.
void Reduce(std::span<const void* const> in,
            void* out,
            int64_t count,
            ElementType type,
            ElementType to,
            ReduceOp op);

// Fills with the identity of `op`: 0 for a sum, the lowest value for a maximum, ...
void FillIdentity(void* out, int64_t count, ElementType type, ReduceOp op);

}  // namespace metadist
