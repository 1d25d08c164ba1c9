// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/divisor.h"

#include <algorithm>

namespace metadist {

Result<void> CheckNoZero(const Tensor& divisor) {
  const int64_t* begin = divisor.data<int64_t>();
  if (std::find(begin, begin + divisor.size(), 0) != begin + divisor.size())
    return BadInput("", "an integer is divided by zero");
  return {};
}

std::vector<InputDomain> DivisorDomain(const OpCall& call) {
  if (ClassOf(call.type(1).element) == ElementClass::kInt)
    return {{}, {.kind = InputDomain::Kind::kPositive}};
  return {{}, {}};
}

}  // namespace metadist
