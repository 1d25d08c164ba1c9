// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ops/op_def.h"

namespace metadist {

// A call in one line, equal for calls that take the same time: operator, attributes in name order,
// input types, and the elements of integer constants of at most kShownElements elements (except the
// key of random numbers).
//   Conv {kernel_shape=[3,3], pads=[1,1,1,1]} f32[8,16,32,32], f32[16,16,3,3]
std::string CallText(const OpCall& call);

inline constexpr int64_t kShownElements = 16;

}  // namespace metadist
