/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Custom operators in a shared library. For each, metadist needs the shapes of its results and one
 * plain kernel. How it can be split over devices is found by running that kernel.
 * docs/custom-operators.md walks through models/custom-operator/scaled_residual.c.
 *
 * A library exports one function, `metadist_operators`. Everything it returns stays valid until the
 * process ends. Functions must be pure (same call, same result, no state) and thread-safe.
 */
/* NOLINTBEGIN(readability-identifier-naming): C's habits. */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define METADIST_OP_VERSION 1

enum { METADIST_MAX_RANK = 16 };

/* The class of an array's elements. Kernels see floats of every width as double, integers of every
 * width as int64_t, bools as one byte of 0 or 1. */
enum { METADIST_FLOAT = 0, METADIST_INT = 1, METADIST_BOOL = 2 };

typedef struct {
  int32_t type; /* METADIST_FLOAT, ... */
  int32_t rank;
  const int64_t* shape;
  const void* data; /* row-major; NULL if elements are not known (shapes) or the input is absent */
  int32_t present;  /* 0: an omitted optional input */
} metadist_array;

typedef struct {
  const char* name;
  int32_t type; /* METADIST_FLOAT or METADIST_INT: values; -1: text */
  size_t count; /* of values; a single number has 1 */
  const int64_t* ints;
  const double* floats;
  const char* text;
} metadist_attribute;

typedef struct {
  size_t num_inputs, num_outputs, num_attributes;
  const metadist_array* inputs;
  const metadist_attribute* attributes; /* in name order */
} metadist_call;

/* Receives the reason why a call is rejected: at most `size` bytes including the final NUL. */
typedef struct {
  char* text;
  size_t size;
} metadist_refusal;

/* A result. `shapes` sets type, rank and shape. like: the input whose exact element type it has (an
 * f16 input gives an f16 result), or -1 for float, int64 or bool. */
typedef struct {
  int32_t type;
  int32_t like;
  int32_t rank;
  int64_t shape[METADIST_MAX_RANK];
} metadist_result;

/* Legal values of an input, for drawing test data. */
enum {
  METADIST_ANY = 0,
  METADIST_POSITIVE = 1,
  METADIST_INDEX = 2 /* an integer in [0, size of dim `dim` of input `of`) */
};
typedef struct {
  int32_t kind;
  int32_t of, dim; /* METADIST_INDEX */
} metadist_domain;

typedef struct {
  const char* domain; /* as in the model; not "" */
  const char* name;
  int32_t opset;
  /* Both return 0, or another number after filling the refusal. */
  int (*shapes)(const metadist_call* call, metadist_result* results, metadist_refusal* why);
  int (*kernel)(const metadist_call* call, void* const* results, metadist_refusal* why);
  /* May be NULL: any value for every input. domains: num_inputs entries, initially METADIST_ANY. */
  void (*domains)(const metadist_call* call, metadist_domain* domains);
  /* Floating-point operations of a call; may be NULL: one for each element of the results. */
  double (*flops)(const metadist_call* call);
} metadist_operator;

/* The operators, `*count` of them. NULL: the library does not support this version. */
const metadist_operator* metadist_operators(int version, size_t* count);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */
