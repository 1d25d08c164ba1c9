// SPDX-License-Identifier: Apache-2.0
#pragma once

// METADIST_HIGHEST_SET, the newest instruction set that kernels may use: 0 only the compiler's
// default, 1 AVX2, 2 AVX-512. With a value below 2, tests run the kernels of older machines.
#include <metadist_highest_set.h>

#include "metair/ir/sanitizers.h"

namespace metadist {

#if defined(__x86_64__)
inline bool HasAvx512() {
  return METADIST_HIGHEST_SET >= 2 && __builtin_cpu_supports("avx512f") != 0;
}
inline bool HasAvx2() {
  return METADIST_HIGHEST_SET >= 1 && __builtin_cpu_supports("avx2") != 0 &&
         __builtin_cpu_supports("fma") != 0;
}
#endif

}  // namespace metadist

// Marks a function of plain loops to be compiled for several instruction sets; the program loader
// selects one. Contraction is off everywhere, so all versions compute the same bits. Off under
// sanitizers, whose run-time is not initialised yet when the loader makes the selection.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(METADIST_SANITIZED) && METADIST_HIGHEST_SET > 0
#if METADIST_HIGHEST_SET > 1
#define METADIST_MULTIVERSION __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define METADIST_MULTIVERSION __attribute__((target_clones("avx2", "default")))
#endif
#else
#define METADIST_MULTIVERSION
#endif

// Small functions called from those loops must be inlined into each version.
#define METADIST_INLINE inline __attribute__((always_inline))
