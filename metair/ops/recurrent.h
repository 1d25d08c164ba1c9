// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "metair/ops/op_def.h"

// Shared by recurrent layers: a cell computes the next state from an element of a sequence and a
// state; it runs forward, in reverse, or both.
namespace metadist {

// Inputs of a recurrent layer; only some cells have the last two.
enum RecurrentInput : size_t { kX, kW, kR, kB, kLengths, kInitialH, kInitialC, kPeepholes };

// The form of a layer's cell.
struct CellForm {
  int64_t gates = 1;                          // their weights are stacked in W, R and B
  bool has_cell = false;                      // a second state, with inputs 6 and 7 and output 2
  std::vector<std::string> activations = {};  // defaults for one direction
};

// Sizes of a layer, and the directions in which it runs.
struct Recurrence {
  bool batch_first = false;  // layout = 1
  int64_t sequence = 0;
  int64_t batch = 0;
  int64_t input = 0;
  int64_t hidden = 0;
  int64_t directions = 1;
  bool reverse = false;  // if there is only one direction
  int64_t gates = 1;

  // The position of the first element of a row: in X, in Y, and in the states.
  int64_t AtX(int64_t t, int64_t b) const;
  int64_t AtY(int64_t t, int64_t direction, int64_t b) const;
  int64_t AtState(int64_t direction, int64_t b) const;
};

// A scalar function, by its name in attribute `activations`.
class Activation {
 public:
  // Takes the parameters that the function needs from the front of alphas and betas, or its
  // defaults if none are left. Errors: kBadInput for an unknown name.
  static Result<Activation> Make(std::string name,
                                 std::span<const double>& alphas,
                                 std::span<const double>& betas);
  double operator()(double x) const { return function_(x, alpha_, beta_); }
  const std::string& name() const { return name_; }  // in lower case
  double alpha() const { return alpha_; }
  double beta() const { return beta_; }
  bool operator==(const Activation&) const = default;

 private:
  std::string name_;
  double (*function_)(double x, double alpha, double beta) = nullptr;
  double alpha_ = 0;
  double beta_ = 0;
};

// One step of a cell for one row of the batch.
struct CellStep {
  int64_t hidden = 0;
  std::vector<double> x;              // [gates * hidden]: W x + the bias of W
  const double* r = nullptr;          // [gates * hidden, hidden]
  const double* r_bias = nullptr;     // [gates * hidden]; nullptr = zeros
  const double* peepholes = nullptr;  // [3 * hidden]; nullptr = zeros
  std::span<const Activation> activations;
  double clip = 0;        // 0 = none
  std::vector<double> h;  // the state, replaced by the step
  std::vector<double> c;  // the second state

  // Row i of a gate times a state, plus the bias of R.
  double Recur(int64_t gate, int64_t i, const std::vector<double>& state) const;
  // The argument of an activation, clipped.
  double Clipped(double value) const;
};

Result<Recurrence> RecurrenceOf(const OpCall& call, const CellForm& form);
// The activations of all directions, one after the other. Errors: kBadInput for too few or an
// unknown one.
Result<std::vector<Activation>> ActivationsOf(const Attributes& attributes,
                                              const CellForm& form,
                                              int64_t directions);
Result<std::vector<TensorType>> InferRecurrent(const OpCall& call, const CellForm& form);
// Writes out omitted initial states as zeros, and all outputs.
Result<Spelling> SpellRecurrent(const OpCall& call, const CellForm& form);
// Calls `step` for every element of every sequence of every direction.
Result<void> RunRecurrent(const OpCall& call,
                          const CellForm& form,
                          std::span<const Tensor> in,
                          std::span<Tensor> out,
                          const std::function<void(CellStep&)>& step);
// The products with W and R, and ten flops for each gate.
Work RecurrentWork(const OpCall& call, std::span<const TensorType> outputs, const CellForm& form);
// Lengths are at most the sequence length.
std::vector<InputDomain> RecurrentDomain(const OpCall& call);
// Examples over f32: forward, reverse with lengths, both directions, a single element.
std::vector<OpExample> RecurrentExamples(const CellForm& form);

}  // namespace metadist
