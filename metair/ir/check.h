// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace metadist {

// Prints the violated invariant and its location, and aborts.
[[noreturn]] void CheckFailed(const char* file,
                              int line,
                              const char* condition,
                              const char* message);

}  // namespace metadist

// For invariants of our own code only; errors that a user can cause are returned as a Result.
#define CHECK(condition, message)                                                       \
  do {                                                                                  \
    if (!(condition)) ::metadist::CheckFailed(__FILE__, __LINE__, #condition, message); \
  } while (false)
