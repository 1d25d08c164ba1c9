// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace metadist {

// What a node says over an edge: out[q] = min over p of added[p] + costs[p * columns + q]. Returns
// the least of them. costs: added.size() rows. added, columns: not empty. out: `columns` numbers
// apart from the others. No NaN. The same bits on every machine.
double MinPlus(const std::vector<double>& added, const double* costs, size_t columns, double* out);

}  // namespace metadist
