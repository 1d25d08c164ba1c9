// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/recurrent_cells.h"

#include <cctype>

#include "executor/cpu/vector_math.h"
#include "metair/ir/multiversion.h"

namespace metadist::cpu {
namespace {

// x = f(x), after clamping x to [-clip, clip].
METADIST_MULTIVERSION
void Activate(CellFunction function, float clip, float* x, int64_t count) {
  if (clip > 0)
    for (int64_t i = 0; i < count; ++i) {
      const float low = x[i] < -clip ? -clip : x[i];
      x[i] = low > clip ? clip : low;
    }
  switch (function) {
    case CellFunction::kSigmoid:
      for (int64_t i = 0; i < count; ++i) x[i] = Logistic(x[i]);
      break;
    case CellFunction::kTanh:
      for (int64_t i = 0; i < count; ++i) x[i] = HyperbolicTangent(x[i]);
      break;
    case CellFunction::kRelu:
      for (int64_t i = 0; i < count; ++i) x[i] = x[i] > 0.0f ? x[i] : 0.0f;
      break;
  }
}

void AddProduct(const float* a, const float* b, float* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] += a[i] * b[i];
}

}  // namespace

std::optional<CellFunction> CellFunctionOf(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name == "sigmoid") return CellFunction::kSigmoid;
  if (name == "tanh") return CellFunction::kTanh;
  if (name == "relu") return CellFunction::kRelu;
  return std::nullopt;
}

void StepRnn(const CellRow& row) {
  Activate(row.functions[0], row.clip, row.gates, row.hidden);
  for (int64_t i = 0; i < row.hidden; ++i) row.h[i] = row.gates[i];
}

// Gates in the order input, output, forget, content; peepholes for the first three.
void StepLstm(const CellRow& row) {
  const int64_t n = row.hidden;
  float* const input = row.gates;
  float* const output = input + n;
  float* const forget = output + n;
  float* const content = forget + n;
  if (row.peepholes != nullptr) {
    AddProduct(row.peepholes, row.c, input, n);
    AddProduct(row.peepholes + 2 * n, row.c, forget, n);
  }
  Activate(row.functions[0], row.clip, input, n);
  Activate(row.functions[0], row.clip, forget, n);
  if (row.couples)
    for (int64_t i = 0; i < n; ++i) forget[i] = 1.0f - input[i];
  Activate(row.functions[1], row.clip, content, n);
  for (int64_t i = 0; i < n; ++i)
    content[i] = row.c[i] = forget[i] * row.c[i] + input[i] * content[i];
  if (row.peepholes != nullptr) AddProduct(row.peepholes + n, row.c, output, n);
  Activate(row.functions[0], row.clip, output, n);
  Activate(row.functions[2], /*clip=*/0, content, n);
  for (int64_t i = 0; i < n; ++i) row.h[i] = output[i] * content[i];
}

void OpenGates(const CellRow& row) {
  Activate(row.functions[0], row.clip, row.gates, 2 * row.hidden);
}

void StepGru(const CellRow& row) {
  const float* const update = row.gates;
  float* const content = row.gates + 2 * row.hidden;
  Activate(row.functions[1], row.clip, content, row.hidden);
  for (int64_t i = 0; i < row.hidden; ++i)
    row.h[i] = (1.0f - update[i]) * content[i] + update[i] * row.h[i];
}

}  // namespace metadist::cpu
