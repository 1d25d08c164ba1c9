// SPDX-License-Identifier: Apache-2.0
#pragma once

// METADIST_SANITIZED: compiled with the address or thread sanitizer, as reported by g++ or clang++.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define METADIST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define METADIST_SANITIZED
#endif
#endif
