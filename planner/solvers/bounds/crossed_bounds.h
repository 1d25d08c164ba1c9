// SPDX-License-Identifier: Apache-2.0
#pragma once

class CbcModel;
class OsiCuts;

namespace metadist {

// Replaces bounds of `cuts` that no value satisfies by a row that no value satisfies. Call before
// CBC applies the cuts to the linear program of `model`.
void ReplaceCrossedBounds(const CbcModel& model, OsiCuts& cuts);

}  // namespace metadist
