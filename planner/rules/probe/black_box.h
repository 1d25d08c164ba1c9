// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "metair/ops/op_def.h"
#include "planner/rules/probe/found_domain.h"

namespace metadist {

// A call with a larger size is not divided.
constexpr int64_t kLargestSize = int64_t{1} << 40;
// Larger integers stand for infinity.
constexpr int64_t kSentinel = int64_t{1} << 30;

// A number inside a call that may be a size: a dim of a tensor input, or an integer literal (an
// element of a constant input, an integer attribute, an element of an integer-list attribute).
struct Slot {
  bool is_dim = false;
  int input = -1;         // of a dim or a constant input; -1: attribute
  std::string attribute;  // if input is -1
  int entry = 0;          // the dim, or the element

  bool is_literal() const { return !is_dim; }
};

// An operator's call as discovery sees it: only a function of slot values and input arrays. An
// input is a tensor (drawn, divisible), a literal (an integer constant that shape inference needs,
// or one with at most one element that is not an index) or fixed (another constant that inference
// needs). Not thread-safe.
class BlackBox {
 public:
  enum class Role : uint8_t { kAbsent, kTensor, kLiteral, kFixed };
  // A literal that depends on a dim (both are slots): it keeps its distance to the dim, or is
  // `times` the dim. An output changes with every `step` of both.
  struct Following {
    int literal = 0;
    int dim = 0;
    int64_t times = 0;  // 0: at a fixed distance
    int64_t step = 1;
  };
  // Larger arrays are never created.
  static constexpr int64_t kMostElements = 1 << 21;

  // Copies all it needs from the call.
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
  const Slot& slot(int index) const { return slots_[static_cast<size_t>(index)]; }
  // The first slot that is not a dim; it and all later ones are literals.
  size_t first_literal() const;
  // Slot values of the call, or of the smaller call that replaces it.
  const std::vector<int64_t>& values() const { return values_; }
  int64_t value(int slot) const { return values_[static_cast<size_t>(slot)]; }
  void set_values(std::vector<int64_t> values) { values_ = std::move(values); }
  // Literals that are assumed to depend on dims; empty if nothing is assumed. Other calls of the
  // form keep the distances and the ratios, and count from the same end of the dim as this call.
  const std::vector<Following>& following() const { return following_; }
  void set_following(std::vector<Following> following);
  const OpDef& op() const { return *call_.op; }
  // With the current literal values.
  const Attributes& attributes() const { return attributes_; }
  const Tensor& constant(size_t input) const { return constants_[input]; }
  int num_outputs() const { return call_.num_outputs; }
  // Slot of a tensor's dim.
  int dim_slot(size_t input, size_t dim) const { return first_dim_[input] + static_cast<int>(dim); }
  int dim_slot(int input, int dim) const { return first_dim_[static_cast<size_t>(input)] + dim; }
  Shape ShapeOf(size_t input, std::span<const int64_t> values) const;
  // The literals among these slot values from 2 to `most`, ascending.
  std::set<int64_t> LiteralsUpTo(int64_t most, std::span<const int64_t> values) const;
  // Number of elements of all tensor inputs.
  int64_t InputElements(std::span<const int64_t> values) const;
  // Whether the slot may be a size: at least 2, and no sentinel such as INT64_MAX.
  bool scalable(int slot) const;

  // Output shapes for these slot values. False: the call is rejected.
  bool Infer(std::span<const int64_t> values, std::vector<Shape>& outputs);
  // The same, with the reason for a rejection.
  Result<std::vector<TensorType>> InferOutputs(std::span<const int64_t> values);
  // Whether Infer has outputs for these slot values.
  bool Accepts(std::span<const int64_t> values);
  // The call at these slot values; valid until the next call of a member.
  const OpCall& CallAt(std::span<const int64_t> values);
  // Legal input values for these sizes, one domain per input.
  std::vector<InputDomain> DomainsOf(std::span<const int64_t> values);
  // Sets the legal values of an input for which the operator states none.
  void AddDomain(FoundDomain found) { found_domains_.push_back(std::move(found)); }
  // Runs the kernel on tensors of compute types (one per input; only those of role kTensor are
  // read) with the literals of `values`. False: rejected; error() has the reason.
  bool Run(std::span<const int64_t> values,
           std::span<const Tensor> tensors,
           std::vector<Tensor>& outputs);

  // The same for inputs that may be illegal: a crash of the kernel counts as a rejection.
  bool Try(std::span<const int64_t> values,
           std::span<const Tensor> tensors,
           std::vector<Tensor>& outputs);

  int64_t kernel_runs() const { return kernel_runs_; }
  // How the operator's code misbehaved, if it did: it crashed, did not finish, or wrote to its
  // inputs (an error of code kDevice or kTimeLimit). It is not called again after that.
  const std::string& fault() const { return fault_; }
  const std::string& error() const { return error_; }

 private:
  bool NeedsElements(const OpCall& call, size_t input) const;
  Result<std::vector<TensorType>> Inferred(const OpCall& call) const;
  void Note(const Error& error) const;
  bool LiteralIndicesFit() const;
  bool FollowersKeepSides(std::span<const int64_t> values) const;
  void AddSlot(Slot slot, int64_t value);
  void AddAttributeSlots();
  void SetLiterals(std::span<const int64_t> values);

  std::vector<Role> roles_;
  std::vector<TensorType> types_;
  std::vector<int> first_dim_;
  std::vector<Slot> slots_;
  std::vector<int64_t> values_;
  std::vector<Following> following_;
  std::vector<bool> from_end_;    // by following: the literal is negative
  std::vector<int64_t> current_;  // literals currently set in call_
  Attributes attributes_;
  std::vector<Tensor> constants_;  // literal and fixed inputs, in their own types
  std::vector<Tensor> wide_;       // the same in compute types
  OpCall call_;
  std::optional<std::vector<TensorType>> made_;  // inferred for call_ as it is; nullopt: not yet
                                                 // inferred
  std::vector<FoundDomain> found_domains_;
  int64_t kernel_runs_ = 0;
  std::string error_;
  bool trying_ = false;
  mutable std::string fault_;
};

}  // namespace metadist
