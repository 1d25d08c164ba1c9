// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ir/element_type.h"
#include "profiles/priced.h"
#include "profiles/profile.h"

namespace metadist {

// C[batch, m, n] = A[batch, m, k] B[batch, k, n], all at least 1; A and B of type dtype.
struct Contraction {
  ElementType dtype = ElementType::kF32;
  int64_t batch = 1;
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
};

// Seconds of the contraction without launch (data sources and their order: contraction_cost.cc).
Priced ContractionSeconds(const Profile& profile, const Contraction& work);

// FLOPs per second of contractions according to the data sheet, 0 if it has none. A type without a
// rate uses that of its nearest relative.
double PeakFlops(const Profile& profile, ElementType dtype);

// Least seconds according to the data sheet: the larger of FLOPs over the peak rate and bytes over
// the memory rate. A type without a peak uses that of its nearest relative.
double RooflineSeconds(const Profile& profile, const Contraction& work);

}  // namespace metadist
