// SPDX-License-Identifier: Apache-2.0
//
// Sequences and optional values are lists of tensors that are not needed when a model runs:
// exporters use them for the pieces of a split, for values collected by a loop, and for arguments
// that may be absent. Here nodes are rewritten in order, and for every value that is not a tensor
// the names of its tensors are recorded. Operators that create or change a sequence disappear;
// those that read one become Identity, Concat, Split or a constant; a SequenceMap, a Loop that
// carries a sequence and an If that depends on one are expanded.
//
// For that, the number of pieces of a split, positions, conditions and numbers of iterations must
// be known: they are found by typing and folding what is written so far (Prefix), like shapes.
// Alternative: a sequence as a type of MetaIR. Every pass, rule, kernel and collective would have
// to handle it, for values whose length a plan must know anyway. Source: ONNX operator
// specification, Sequence*, SplitToSequence, ConcatFromSequence, Optional*.
#include "importers/onnx/adapt_sequences.h"

#include <fmt/format.h>
#include <onnx/defs/attr_proto_util.h>
#include <onnx/defs/tensor_proto_util.h>

#include <utility>

#include "importers/onnx/adapt.h"
#include "importers/onnx/adapt_expand.h"

namespace metadist {
namespace sequences {
namespace {

constexpr int64_t kMostCopied = 20'000'000;  // names of tensors, over all sequences

}  // namespace

Expander::Handler Expander::HandlerOf(const NodeProto& node) {
  static const std::map<std::string, Handler> handlers = {
      {"ConcatFromSequence", &Expander::ConcatFromSequence},
      {"Optional", &Expander::Optional},
      {"OptionalGetElement", &Expander::OptionalGetElement},
      {"OptionalHasElement", &Expander::OptionalHasElement},
      {"SequenceAt", &Expander::SequenceAt},
      {"SequenceConstruct", &Expander::SequenceConstruct},
      {"SequenceEmpty", &Expander::SequenceEmpty},
      {"SequenceErase", &Expander::SequenceErase},
      {"SequenceInsert", &Expander::SequenceInsert},
      {"SequenceLength", &Expander::SequenceLength},
      {"SequenceMap", &Expander::SequenceMap},
      {"SplitToSequence", &Expander::SplitToSequence},
  };
  if (!node.domain().empty()) return nullptr;
  const auto found = handlers.find(node.op_type());
  return found != handlers.end() ? found->second : nullptr;
}

Result<Held> Expander::Sequence(const NodeProto& node, At at) {
  const Held* held = node.input_size() > 0 ? at.scope->Find(node.input(0)) : nullptr;
  if (held == nullptr || !held->sequence)
    return BadInput("", fmt::format("input '{}' is not a sequence", node.input(0)));
  return *held;
}

Result<size_t> Expander::Position(
    const NodeProto& node, int input, int64_t size, int64_t most, At at) {
  if (!Has(node, input)) return static_cast<size_t>(most);
  const int64_t given = TRY(Integer(node.input(input), "the position", at.scope));
  if (given < -size || given > most)
    return BadInput("",
                    fmt::format("the position must be in [{}, {}], got {}", -size, most, given));
  return static_cast<size_t>(given < 0 ? given + size : given);
}

Result<void> Expander::Hold(const NodeProto& node, Held held, At at) {
  copied_ += static_cast<int64_t>(held.tensors.size());
  full_ = full_ || copied_ > kMostCopied;
  if (node.output(0).empty()) return {};
  at.scope->held[node.output(0)] = std::move(held);
  return {};
}

Result<void> Expander::CheckTensors(const NodeProto& node, int first, At at) {
  for (int i = first; i < node.input_size(); ++i)
    if (at.scope->Find(node.input(i)) != nullptr)
      return BadInput("", fmt::format("input '{}' must be a tensor", node.input(i)));
  return {};
}

Result<void> Expander::SequenceConstruct(const NodeProto& node, At at) {
  TRY(CheckTensors(node, 0, at));
  return Hold(node, {{node.input().begin(), node.input().end()}}, at);
}

Result<void> Expander::SequenceEmpty(const NodeProto& node, At at) { return Hold(node, {}, at); }

Result<void> Expander::SequenceInsert(const NodeProto& node, At at) {
  Held held = TRY(Sequence(node, at));
  TRY(CheckTensors(node, 1, at));
  const auto size = static_cast<int64_t>(held.tensors.size());
  const size_t position = TRY(Position(node, 2, size, size, at));
  held.tensors.insert(held.tensors.begin() + static_cast<std::ptrdiff_t>(position), node.input(1));
  return Hold(node, std::move(held), at);
}

Result<void> Expander::SequenceErase(const NodeProto& node, At at) {
  Held held = TRY(Sequence(node, at));
  const auto size = static_cast<int64_t>(held.tensors.size());
  if (size == 0) return BadInput("", "the sequence is empty");
  const size_t position = TRY(Position(node, 1, size, size - 1, at));
  held.tensors.erase(held.tensors.begin() + static_cast<std::ptrdiff_t>(position));
  return Hold(node, std::move(held), at);
}

Result<void> Expander::SequenceAt(const NodeProto& node, At at) {
  const Held held = TRY(Sequence(node, at));
  const auto size = static_cast<int64_t>(held.tensors.size());
  if (size == 0) return BadInput("", "the sequence is empty");
  const size_t position = TRY(Position(node, 1, size, size - 1, at));
  return Bind(held.tensors[position], node.output(0), node, at);
}

Result<void> Expander::SequenceLength(const NodeProto& node, At at) {
  const Held held = TRY(Sequence(node, at));
  const auto length = static_cast<int64_t>(held.tensors.size());
  Constant(at.scope, onnx::ToTensor(length), node.output(0));
  return {};
}

Result<void> Expander::ConcatFromSequence(const NodeProto& node, At at) {
  const Held held = TRY(Sequence(node, at));
  if (held.tensors.empty()) return BadInput("", "the sequence is empty");
  const int64_t axis = IntOf(node, "axis", 0);
  std::vector<std::string> pieces = held.tensors;
  if (IntOf(node, "new_axis", 0) != 0) pieces = Unsqueezed(pieces, axis, node, at);
  *Emit(at.scope, "Concat", pieces, node.output(0), node.name())->add_attribute() =
      onnx::MakeAttribute("axis", axis);
  return {};
}

std::vector<std::string> Expander::Unsqueezed(const std::vector<std::string>& tensors,
                                              int64_t axis,
                                              const NodeProto& node,
                                              At at) {
  const std::string& base = node.output(0);
  const std::string axes = Constant(at.scope, ListOf({axis}), base + "/axes");
  std::vector<std::string> pieces;
  for (size_t i = 0; i < tensors.size(); ++i) {
    pieces.push_back(fmt::format("{}/{}", base, i));
    Emit(at.scope, "Unsqueeze", {tensors[i], axes}, pieces.back(), pieces.back());
  }
  return pieces;
}

Result<std::vector<int64_t>> Expander::Pieces(const NodeProto& node, int64_t size, At at) {
  int64_t piece = 1;
  if (Has(node, 1)) {
    const Tensor split = TRY(Known(node.input(1), at.scope));
    if (split.rank() == 1) {
      if (!split.has_data()) TRY(Integer(node.input(1), "the sizes of the pieces", at.scope));
      return split.ToInts();
    }
    piece = TRY(Integer(node.input(1), "the size of the pieces", at.scope));
  }
  if (piece < 1) return BadInput("", fmt::format("pieces must be at least 1, got {}", piece));
  if (size / piece > kMostWritten)
    return BadInput("", fmt::format("it makes more than {} pieces", kMostWritten));
  std::vector<int64_t> sizes(static_cast<size_t>(size / piece), piece);
  if (size % piece > 0) sizes.push_back(size % piece);
  return sizes;
}

Result<void> Expander::SplitToSequence(const NodeProto& node, At at) {
  TRY(CheckTensors(node, 0, at));
  const Tensor whole = TRY(Known(node.input(0), at.scope));
  const int64_t axis = TRY(NormalizeAxis(IntOf(node, "axis", 0), whole.rank()));
  if (whole.dim(axis) == kRunTimeSize)
    return BadInput("", fmt::format("size {} of the input is not known", axis));
  const std::vector<int64_t> sizes = TRY(Pieces(node, whole.dim(axis), at));
  Count(static_cast<int64_t>(sizes.size()));
  if (sizes.empty()) return Hold(node, {}, at);
  const std::string& base = node.output(0);
  const std::string given = Constant(at.scope, ListOf(sizes), base + "/sizes");
  Held held;
  for (size_t i = 0; i < sizes.size(); ++i) held.tensors.push_back(fmt::format("{}/{}", base, i));
  NodeProto* split = Emit(at.scope, "Split", {node.input(0), given}, held.tensors[0], node.name());
  for (size_t i = 1; i < sizes.size(); ++i) split->add_output(held.tensors[i]);
  *split->add_attribute() = onnx::MakeAttribute("axis", axis);
  if (Has(node, 1) || IntOf(node, "keepdims", 1) != 0) return Hold(node, std::move(held), at);
  const std::string axes = Constant(at.scope, ListOf({axis}), base + "/axes");
  for (std::string& piece : held.tensors) {
    const std::string squeezed = piece + "/squeezed";
    Emit(at.scope, "Squeeze", {piece, axes}, squeezed, squeezed);
    piece = squeezed;
  }
  return Hold(node, std::move(held), at);
}

Result<void> Expander::Optional(const NodeProto& node, At at) {
  if (!Has(node, 0)) return Hold(node, {{}, /*sequence=*/false}, at);
  const Held* held = at.scope->Find(node.input(0));
  return Hold(node, held != nullptr ? *held : Held{{node.input(0)}, /*sequence=*/false}, at);
}

Result<void> Expander::OptionalHasElement(const NodeProto& node, At at) {
  const Held* held = Has(node, 0) ? at.scope->Find(node.input(0)) : nullptr;
  const bool absent =
      !Has(node, 0) || (held != nullptr && !held->sequence && held->tensors.empty());
  Constant(at.scope, onnx::ToTensor(!absent), node.output(0));
  return {};
}

Result<void> Expander::OptionalGetElement(const NodeProto& node, At at) {
  if (!Has(node, 0)) return BadInput("", "its input is missing");
  const Held* held = at.scope->Find(node.input(0));
  if (held == nullptr || held->sequence) return Bind(node.input(0), node.output(0), node, at);
  if (held->tensors.empty()) return BadInput("", "the optional value is empty");
  return Bind(held->tensors[0], node.output(0), node, at);
}

}  // namespace sequences

Result<void> ExpandSequences(OnnxModel* model, ExternalData* external, const OpTable& ops) {
  return sequences::Expander(model, external, ops).Run();
}

}  // namespace metadist
