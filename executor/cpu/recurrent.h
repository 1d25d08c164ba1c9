// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"
#include "executor/cpu/recurrent_cells.h"

namespace metadist::cpu {

// A layer of cells over sequences, f32, with the activations of CellFunction.
Prepared PrepareRecurrent(const KernelSite& site, CellKind kind);

template <CellKind kKind>
Prepared Recurrent(const KernelSite& site) {
  return PrepareRecurrent(site, kKind);
}

}  // namespace metadist::cpu
