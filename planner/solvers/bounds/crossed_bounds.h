// SPDX-License-Identifier: Apache-2.0
#pragma once

class CbcModel;
class OsiCuts;

namespace metadist {

// Turns bounds of `cuts` that no value meets into a row that none meets. To be called before CBC
// applies the cuts to the linear program of `model`.
void ReplaceCrossedBounds(const CbcModel& model, OsiCuts& cuts);

}  // namespace metadist
