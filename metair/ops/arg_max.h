// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ops/composer.h"

namespace metadist {

// The position along `axis` of every element that is NaN or equal to the extreme that `reduction`
// computes of its line; `nowhere` of all others. i64, in the shape of the call's first input.
ValueId ComposeExtremePlaces(Composer& compose,
                             const OpCall& call,
                             const std::string& reduction,
                             int64_t axis,
                             int64_t nowhere);

// The index, along the call's `axis`, of the extreme element that `reduction` computes.
Result<Graph> ComposeArgExtreme(const OpCall& call, const std::string& reduction);

}  // namespace metadist
