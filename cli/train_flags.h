// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cli/model_flags.h"
#include "metair/training/training.h"

namespace metadist::cli {

// nullopt: inference. Errors: kUsage for values out of range, and flags of training without
// --train; all problems joined.
Result<std::optional<TrainingOptions>> ParseTraining(const TrainFlags& flags);

}  // namespace metadist::cli
