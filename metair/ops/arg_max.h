// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ops/composer.h"

namespace metadist {

// Where along `axis` of the call the extreme lies that `reduction` finds.
Result<Graph> ComposeArgExtreme(const OpCall& call, const std::string& reduction);

}  // namespace metadist
