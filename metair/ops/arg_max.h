// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ops/composer.h"

namespace metadist {

// The index, along the call's `axis`, of the extreme element that `reduction` computes.
Result<Graph> ComposeArgExtreme(const OpCall& call, const std::string& reduction);

}  // namespace metadist
