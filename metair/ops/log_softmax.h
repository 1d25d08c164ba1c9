// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ops/composer.h"

namespace metadist {

// The logarithms of the softmax of x along the axis.
ValueId ComposeLogSoftmax(Composer& compose, ValueId x, int64_t axis);

}  // namespace metadist
