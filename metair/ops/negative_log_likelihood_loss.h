// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/composer.h"

namespace metadist {

// The loss of an operator of metair/ops/nll.h, given scores in the form of the call.
ValueId ComposeNll(Composer& compose, const OpCall& call, ValueId scores);

}  // namespace metadist
