// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/check.h"

#include <cstdio>
#include <cstdlib>

namespace metadist {

void CheckFailed(const char* file, int line, const char* condition, const char* message) {
  std::fprintf(stderr, "metadist: internal error: %s:%d: %s: %s\n", file, line, condition, message);
  std::abort();
}

}  // namespace metadist
