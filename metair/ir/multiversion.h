// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks a function of plain loops to be compiled for several instruction sets; the program loader
// picks one. Contraction is off everywhere, so all versions compute the same bits. Off under
// sanitizers, whose run-time is not up yet when the loader asks.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define METADIST_MULTIVERSION __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define METADIST_MULTIVERSION
#endif

// Small functions called from those loops must become part of each version.
#define METADIST_INLINE inline __attribute__((always_inline))
