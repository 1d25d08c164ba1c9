// SPDX-License-Identifier: Apache-2.0
#pragma once

// METADIST_SANITIZED: compiled for the address or the thread sanitizer, as g++ or as clang++ says
// it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define METADIST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define METADIST_SANITIZED
#endif
#endif
