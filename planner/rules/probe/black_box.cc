// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/probe/black_box.h"

#include <algorithm>

namespace metadist {
namespace {

// An input with more elements than this is not a literal but fixed.
constexpr int64_t kMostLiterals = 64;

bool IsRunTime(const std::vector<TensorType>& types) {
  for (const TensorType& type : types)
    if (!IsKnown(type.shape)) return true;
  return false;
}

}  // namespace

BlackBox::BlackBox(const OpCall& call) {
  const size_t count = call.inputs.size();
  roles_.assign(count, Role::kAbsent);
  types_.resize(count);
  first_dim_.assign(count, -1);
  constants_.resize(count);
  wide_.resize(count);
  if (call.attributes != nullptr) attributes_ = *call.attributes;
  std::vector<InputDomain> domains;
  if (call.op->domain_of != nullptr) domains = call.op->domain_of(call);
  domains.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (!call.has(i)) continue;
    const OpCall::Input& in = call.inputs[i];
    types_[i] = in.type;
    roles_[i] = Role::kTensor;
    if (in.constant == nullptr || !in.constant->has_data()) continue;
    const bool integer = ClassOf(in.type.element) == ElementClass::kInt;
    const bool needed = NeedsElements(call, i);
    const bool is_index = domains[i].kind == InputDomain::Kind::kIndex;
    if (integer && (needed || (in.constant->size() <= 1 && !is_index)))
      roles_[i] = in.constant->size() <= kMostLiterals ? Role::kLiteral : Role::kFixed;
    else if (needed)
      roles_[i] = Role::kFixed;
  }
  call_.op = call.op;
  call_.attributes = &attributes_;
  call_.num_outputs = call.num_outputs;
  call_.inputs.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (roles_[i] == Role::kAbsent) continue;
    call_.inputs[i] = {true, types_[i], nullptr};
    if (roles_[i] == Role::kTensor) {
      first_dim_[i] = static_cast<int>(slots_.size());
      for (size_t k = 0; k < types_[i].shape.size(); ++k)
        AddSlot({true, static_cast<int>(i), "", static_cast<int>(k)}, types_[i].shape[k]);
      continue;
    }
    constants_[i] = call.inputs[i].constant->Clone();
    wide_[i] = constants_[i].Cast(ComputeType(types_[i].element));
    call_.inputs[i].constant = &constants_[i];
  }
  for (size_t i = 0; i < count; ++i) {
    if (roles_[i] != Role::kLiteral) continue;
    int entry = 0;
    for (const int64_t element : constants_[i].ToInts())
      AddSlot({false, static_cast<int>(i), "", entry++}, element);
  }
  AddAttributeSlots();
  current_ = values_;
}

bool BlackBox::NeedsElements(const OpCall& call, size_t input) const {
  OpCall without = call;
  without.attributes = &attributes_;
  without.inputs[input].constant = nullptr;
  return !Inferred(without).ok();
}

void BlackBox::Note(const Error& error) const {
  const bool crash = error.code == ErrorCode::kDevice && !trying_;
  if ((crash || error.code == ErrorCode::kTimeLimit) && fault_.empty()) fault_ = error.message;
}

Result<std::vector<TensorType>> BlackBox::Inferred(const OpCall& call) const {
  if (!fault_.empty()) return BadInput("", fault_);
  // As in importers: a call with more elements than can be counted is rejected.
  for (const OpCall::Input& input : call.inputs)
    if (input.present) TRY(CheckedElements(input.type.shape, input.type.element));
  auto types = call.op->infer(call);
  if (!types.ok()) Note(types.error());
  return types;
}

void BlackBox::AddSlot(Slot slot, int64_t value) {
  slots_.push_back(std::move(slot));
  values_.push_back(value);
}

void BlackBox::AddAttributeSlots() {
  for (const auto& [name, value] : attributes_.all()) {
    if (const int64_t* single = std::get_if<int64_t>(&value))
      AddSlot({false, -1, name, 0}, *single);
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
      int entry = 0;
      for (const int64_t element : *list) AddSlot({false, -1, name, entry++}, element);
    }
  }
}

std::set<int64_t> BlackBox::LiteralsUpTo(int64_t most, std::span<const int64_t> values) const {
  std::set<int64_t> literals;
  for (const int64_t value : values.subspan(first_literal()))
    if (value > 1 && value <= most) literals.insert(value);
  return literals;
}

int64_t BlackBox::InputElements(std::span<const int64_t> values) const {
  int64_t elements = 0;
  for (size_t i = 0; i < num_inputs(); ++i)
    if (is_tensor(i)) elements += NumElements(ShapeOf(i, values));
  return elements;
}

Shape BlackBox::ShapeOf(size_t input, std::span<const int64_t> values) const {
  if (roles_[input] != Role::kTensor) return types_[input].shape;
  const auto first = values.begin() + first_dim_[input];
  return Shape(first, first + static_cast<int64_t>(types_[input].shape.size()));
}

size_t BlackBox::first_literal() const {
  size_t slot = 0;
  while (slot < slots_.size() && slots_[slot].is_dim) ++slot;
  return slot;
}

bool BlackBox::scalable(int slot) const { return value(slot) >= 2 && value(slot) <= kLargestSize; }

void BlackBox::SetLiterals(std::span<const int64_t> values) {
  for (size_t s = 0; s < slots_.size(); ++s) {
    const Slot& slot = slots_[s];
    if (slot.is_dim || values[s] == current_[s]) continue;
    current_[s] = values[s];
    made_.reset();
    const size_t entry = static_cast<size_t>(slot.entry);
    if (slot.input < 0) {
      Attribute& attribute = attributes_.all()[slot.attribute];
      if (int64_t* single = std::get_if<int64_t>(&attribute))
        *single = values[s];
      else
        std::get<std::vector<int64_t>>(attribute)[entry] = values[s];
      continue;
    }
    const size_t input = static_cast<size_t>(slot.input);
    // Copies of a tensor share their bytes, and kernels may have kept one: make a new tensor.
    std::vector<int64_t> elements = wide_[input].ToInts();
    elements[entry] = values[s];
    wide_[input] = Tensor::Of<int64_t>(wide_[input].shape(), elements);
    constants_[input] = wide_[input].Cast(types_[input].element);
  }
}

Result<std::vector<TensorType>> BlackBox::InferOutputs(std::span<const int64_t> values) {
  return Inferred(CallAt(values));
}

const OpCall& BlackBox::CallAt(std::span<const int64_t> values) {
  SetLiterals(values);
  for (size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i] != Role::kTensor) continue;
    Shape& shape = call_.inputs[i].type.shape;
    const auto first = values.begin() + first_dim_[i];
    if (std::equal(shape.begin(), shape.end(), first)) continue;
    std::copy_n(first, shape.size(), shape.begin());
    made_.reset();
  }
  return call_;
}

void BlackBox::set_following(std::vector<Following> following) {
  following_ = std::move(following);
  from_end_.clear();
  for (const Following& one : following_) from_end_.push_back(value(one.literal) < 0);
}

// An integer that depends on a dim counts from the other end of the dim if its sign changes, which
// is another kind of call.
bool BlackBox::FollowersKeepSides(std::span<const int64_t> values) const {
  for (size_t i = 0; i < following_.size(); ++i)
    if ((values[static_cast<size_t>(following_[i].literal)] < 0) != from_end_[i]) return false;
  return true;
}

bool BlackBox::Infer(std::span<const int64_t> values, std::vector<Shape>& outputs) {
  if (!FollowersKeepSides(values)) return false;
  auto types = InferOutputs(values);
  if (!types.ok() || IsRunTime(types.value())) return false;
  outputs.clear();
  for (TensorType& type : types.value()) outputs.push_back(std::move(type.shape));
  return LiteralIndicesFit();
}

bool BlackBox::Accepts(std::span<const int64_t> values) {
  std::vector<Shape> outputs;
  return Infer(values, outputs);
}

// Checks that indices that are literals are legal, which inference does not check.
bool BlackBox::LiteralIndicesFit() const {
  if (call_.op->domain_of == nullptr) return true;
  if (std::ranges::find(roles_, Role::kLiteral) == roles_.end()) return true;
  const std::vector<InputDomain> domains = call_.op->domain_of(call_);
  for (size_t i = 0; i < roles_.size() && i < domains.size(); ++i) {
    if (roles_[i] != Role::kLiteral || domains[i].kind != InputDomain::Kind::kIndex) continue;
    for (const int64_t index : wide_[i].ToInts())
      for (const InputDomain::Bound& bound : domains[i].bounds) {
        const int64_t size =
            call_.shape(static_cast<size_t>(bound.input))[static_cast<size_t>(bound.dim)];
        if (index >= size || index < -size) return false;
      }
  }
  return true;
}

std::vector<InputDomain> BlackBox::DomainsOf(std::span<const int64_t> values) {
  std::vector<InputDomain> domains;
  if (call_.op->domain_of != nullptr) domains = call_.op->domain_of(CallAt(values));
  domains.resize(roles_.size());
  for (const FoundDomain& found : found_domains_)
    domains[static_cast<size_t>(found.input)] = found.At(values);
  return domains;
}

bool BlackBox::Try(std::span<const int64_t> values,
                   std::span<const Tensor> tensors,
                   std::vector<Tensor>& outputs) {
  trying_ = true;
  const bool ran = Run(values, tensors, outputs);
  trying_ = false;
  return ran;
}

bool BlackBox::Run(std::span<const int64_t> values,
                   std::span<const Tensor> tensors,
                   std::vector<Tensor>& outputs) {
  SetLiterals(values);
  for (size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i] != Role::kTensor) continue;
    Shape& shape = call_.inputs[i].type.shape;
    if (shape != tensors[i].shape()) {
      shape = tensors[i].shape();
      made_.reset();
    }
    wide_[i] = tensors[i];
  }
  ++kernel_runs_;
  if (!fault_.empty()) {
    error_ = fault_;
    return false;
  }
  if (!made_) {
    auto types = Inferred(call_);
    if (!types.ok()) {
      error_ = types.error().message;
      return false;
    }
    made_ = std::move(types).value();
  }
  outputs.clear();
  for (const TensorType& type : *made_) {
    if (!IsKnown(type.shape) || NumElements(type.shape) > kMostElements) {
      error_ = "an output has no fixed small size";
      return false;
    }
    outputs.push_back(Tensor::Zeros({ComputeType(type.element), type.shape}));
  }
  auto done = call_.op->reference(call_, wide_, outputs);
  if (done.ok()) return true;
  error_ = done.error().message;
  Note(done.error());
  return false;
}

}  // namespace metadist
