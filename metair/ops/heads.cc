// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/heads.h"

#include "metair/ops/call_check.h"

namespace metadist {

Result<Heads> HeadsOf(const Shape& shape, int64_t heads, const std::string& name) {
  CHECK(shape.size() == 3 || shape.size() == 4, "heads come in 3 or 4 dims");
  if (shape.size() == 4) {
    if (heads != 0 && heads != shape[1])
      return BadCall("{} must be {}, got {}", name, shape[1], heads);
    return Heads{false, shape[0], shape[1], shape[2], shape[3]};
  }
  if (heads < 1) return BadCall("{} must be at least 1, got {}", name, heads);
  if (shape[2] % heads != 0)
    return BadCall("{} elements do not split in {} heads", shape[2], heads);
  return Heads{true, shape[0], heads, shape[1], shape[2] / heads};
}

}  // namespace metadist
