/* SPDX-License-Identifier: Apache-2.0 */
/* ScaledResidual(x [n, k], w [k, m], r [n, m]; scale) = scale * x w + r: an operator that no
 * standard has, for docs/custom-operators.md. Build:
 *   cc -shared -fPIC -O2 -I . -o scaled_residual.so models/custom-operator/scaled_residual.c
 */
#include <stdio.h>
#include <string.h>

#include "metair/ops/metadist_op.h"

static double scale_of(const metadist_call* call) {
  for (size_t i = 0; i < call->num_attributes; ++i)
    if (strcmp(call->attributes[i].name, "scale") == 0 && call->attributes[i].floats != NULL)
      return call->attributes[i].floats[0];
  return 1;
}

static int shapes(const metadist_call* call, metadist_result* results, metadist_refusal* why) {
  const metadist_array *x, *w, *r;
  if (call->num_inputs != 3 || call->inputs[0].rank != 2 || call->inputs[1].rank != 2 ||
      call->inputs[2].rank != 2) {
    snprintf(why->text, why->size, "expected three matrices");
    return 1;
  }
  x = &call->inputs[0], w = &call->inputs[1], r = &call->inputs[2];
  if (x->shape[1] != w->shape[0] || r->shape[0] != x->shape[0] || r->shape[1] != w->shape[1]) {
    snprintf(why->text, why->size, "expected [n,k], [k,m] and [n,m]");
    return 1;
  }
  results[0].like = 0;
  results[0].rank = 2;
  results[0].shape[0] = x->shape[0];
  results[0].shape[1] = w->shape[1];
  return 0;
}

static int kernel(const metadist_call* call, void* const* results, metadist_refusal* why) {
  const double *x = call->inputs[0].data, *w = call->inputs[1].data, *r = call->inputs[2].data;
  const int64_t n = call->inputs[0].shape[0], k = call->inputs[0].shape[1];
  const int64_t m = call->inputs[1].shape[1];
  const double scale = scale_of(call);
  double* y = results[0];
  (void)why;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += x[i * k + l] * w[l * m + j];
      y[i * m + j] = scale * sum + r[i * m + j];
    }
  return 0;
}

static double flops(const metadist_call* call) {
  const metadist_array* x = &call->inputs[0];
  return 2.0 * (double)(x->shape[0] * x->shape[1]) * (double)call->inputs[1].shape[1];
}

const metadist_operator* metadist_operators(int version, size_t* count) {
  static const metadist_operator all[] = {{.domain = "com.example",
                                           .name = "ScaledResidual",
                                           .opset = 1,
                                           .shapes = shapes,
                                           .kernel = kernel,
                                           .flops = flops}};
  if (version != METADIST_OP_VERSION) return NULL;
  *count = sizeof all / sizeof all[0];
  return all;
}
