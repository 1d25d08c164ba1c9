// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace metadist {

// The message of a node over an edge: out[q] = min over p of added[p] + costs[p * columns + q].
// Returns the least of them. costs: added.size() rows. added and columns must not be empty. out:
// `columns` numbers that do not overlap the inputs. No NaN. The same bits on every machine.
double MinPlus(const std::vector<double>& added, const double* costs, size_t columns, double* out);

}  // namespace metadist
