// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace metadist {

// Prints the broken invariant with its place and aborts.
[[noreturn]] void CheckFailed(const char* file,
                              int line,
                              const char* condition,
                              const char* message);

}  // namespace metadist

// For invariants of our own code only; what a user can cause returns a Result.
#define CHECK(condition, message)                                                       \
  do {                                                                                  \
    if (!(condition)) ::metadist::CheckFailed(__FILE__, __LINE__, #condition, message); \
  } while (false)
