// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace metadist::cpu {

enum class CellKind : uint8_t { kRNN, kGRU, kLSTM };

// The most common activations of cells; only the reference kernel supports others.
enum class CellFunction : uint8_t { kSigmoid, kTanh, kRelu };
// By its name in the attribute `activations`, case-insensitive.
std::optional<CellFunction> CellFunctionOf(std::string name);

// One step of a cell for one row of the batch, after the products.
struct CellRow {
  int64_t hidden = 0;
  std::array<CellFunction, 3> functions{};
  float clip = 0;                    // 0: none
  const float* peepholes = nullptr;  // [3 * hidden], nullptr: none
  bool couples = false;              // the forget gate is 1 - the input gate
  float* gates = nullptr;            // [gates * hidden]: sums, overwritten
  float* h = nullptr;                // [hidden]: the state, replaced
  float* c = nullptr;                // the second state
};

void StepRnn(const CellRow& row);
void StepLstm(const CellRow& row);
// Replaces the sums of gates z and r by the gates' values.
void OpenGates(const CellRow& row);
// The rest of a GRU step: h = (1 - z) n + z h, with n the function of the third sum.
void StepGru(const CellRow& row);

}  // namespace metadist::cpu
