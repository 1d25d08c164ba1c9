// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metair/ops/op_def.h"
#include "planner/rules/probe/found_domain.h"

namespace metadist {

// Larger sizes are not looked at, and no call is divided that has one.
constexpr int64_t kLargestSize = int64_t{1} << 40;
// Integers beyond this stand for infinity.
constexpr int64_t kSentinel = int64_t{1} << 30;

// A number inside a call that may be a size: a dim of a tensor input, or an integer literal (an
// element of a constant input, an integer attribute, an element of an integer-list attribute).
struct Slot {
  bool is_dim = false;
  int input = -1;         // of a dim or a constant input; -1: attribute
  std::string attribute;  // where input is -1
  int entry = 0;          // the dim, or the element

  bool is_literal() const { return !is_dim; }
};

// An operator's call as discovery sees it: a function of slot values and input arrays, nothing
// more. An input is a tensor (drawn, divisible), a literal (an integer constant that shape
// inference needs, or one with at most one element that is no index) or fixed (another constant
// that inference needs). Not thread-safe.
class BlackBox {
 public:
  enum class Role : uint8_t { kAbsent, kTensor, kLiteral, kFixed };
  // A literal that goes with a dim, by slot: at a fixed distance, or `times` the dim. An output
  // moves with every `step` of both.
  struct Following {
    int literal = 0;
    int dim = 0;
    int64_t times = 0;  // 0: at a distance
    int64_t step = 1;
  };
  // Arrays above this many elements are never made.
  static constexpr int64_t kMostElements = 1 << 21;

  // Keeps copies of all it needs of the call.
  explicit BlackBox(const OpCall& call);
  BlackBox(const BlackBox&) = delete;
  BlackBox& operator=(const BlackBox&) = delete;

  size_t num_inputs() const { return roles_.size(); }
  Role role(size_t input) const { return roles_[input]; }
  bool is_tensor(size_t input) const { return roles_[input] == Role::kTensor; }
  ElementClass element_class(size_t input) const { return ClassOf(types_[input].element); }
  ElementType element(size_t input) const { return types_[input].element; }
  size_t rank(size_t input) const { return types_[input].shape.size(); }
  const std::vector<Slot>& slots() const { return slots_; }
  // The first slot that is no dim; from there on all are literals.
  size_t first_literal() const;
  // Slot values of the call, or of the smaller one that stands for it.
  const std::vector<int64_t>& values() const { return values_; }
  void set_values(std::vector<int64_t> values) { values_ = std::move(values); }
  // Literals that are taken to follow dims; none if nothing is said. Other calls of the form keep
  // the distances and the ratios, and do not count from another end of the dim than the call does.
  const std::vector<Following>& following() const { return following_; }
  void set_following(std::vector<Following> following);
  const OpDef& op() const { return *call_.op; }
  // As they are now set.
  const Attributes& attributes() const { return attributes_; }
  const Tensor& constant(size_t input) const { return constants_[input]; }
  int num_outputs() const { return call_.num_outputs; }
  // Id of the slot of a tensor's dim.
  int dim_slot(size_t input, size_t dim) const { return first_dim_[input] + static_cast<int>(dim); }
  Shape ShapeOf(size_t input, std::span<const int64_t> values) const;
  // Of all tensor inputs together.
  int64_t InputElements(std::span<const int64_t> values) const;
  // Whether the slot may stand for a size: at least 2, and no sentinel such as INT64_MAX.
  bool scalable(int slot) const;

  // Output shapes for these slot values. False: rejected.
  bool Infer(std::span<const int64_t> values, std::vector<Shape>& outputs);
  // The same with the reason of a rejection.
  Result<std::vector<TensorType>> InferOutputs(std::span<const int64_t> values);
  // The call at these slot values; valid until the next question.
  const OpCall& CallAt(std::span<const int64_t> values);
  // Legal input values for these sizes, one per input.
  std::vector<InputDomain> DomainsOf(std::span<const int64_t> values);
  // From now on the legal values of an input of which the operator states none.
  void AddDomain(FoundDomain found) { found_domains_.push_back(std::move(found)); }
  // Runs the kernel on tensors of compute types (one per input, only those of role kTensor are
  // read) with the literals of `values`. False: rejected; error() says why.
  bool Run(std::span<const int64_t> values,
           std::span<const Tensor> tensors,
           std::vector<Tensor>& outputs);

  // The same where the inputs may be illegal: a kernel that crashes refuses them in its way.
  bool Try(std::span<const int64_t> values,
           std::span<const Tensor> tensors,
           std::vector<Tensor>& outputs);

  int64_t kernel_runs() const { return kernel_runs_; }
  // What the operator's code did that no operator may, if it did: it crashed, ran on, wrote to its
  // inputs (an error of code kDevice or kTimeLimit). It is asked nothing more.
  const std::string& fault() const { return fault_; }
  const std::string& error() const { return error_; }

 private:
  bool NeedsElements(const OpCall& call, size_t input) const;
  Result<std::vector<TensorType>> Inferred(const OpCall& call) const;
  void Note(const Error& error) const;
  bool LiteralIndicesFit() const;
  bool FollowersKeepSides(std::span<const int64_t> values) const;
  void AddLiteralSlots(size_t input);
  void AddAttributeSlots();
  void SetLiterals(std::span<const int64_t> values);
  void SetDims(std::span<const int64_t> values);

  std::vector<Role> roles_;
  std::vector<TensorType> types_;
  std::vector<int> first_dim_;
  std::vector<Slot> slots_;
  std::vector<int64_t> values_;
  std::vector<Following> following_;
  std::vector<bool> from_end_;    // by following: its literal is below 0
  std::vector<int64_t> current_;  // literals now set in call_
  Attributes attributes_;
  std::vector<Tensor> constants_;  // literal and fixed inputs, in their own types
  std::vector<Tensor> wide_;       // the same in compute types
  OpCall call_;
  std::optional<std::vector<TensorType>> made_;  // inferred of call_ as it is; none: not asked
  std::vector<FoundDomain> found_domains_;
  int64_t kernel_runs_ = 0;
  std::string error_;
  bool trying_ = false;
  mutable std::string fault_;
};

}  // namespace metadist
