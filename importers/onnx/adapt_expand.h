// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "importers/onnx/model.h"
#include "importers/onnx/prefix.h"

// How sequences and optional values are written out (adapt_sequences.h), by one class: its
// walk over a model, what operators for sequences become, what becomes of bodies.
namespace metadist::sequences {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::NodeProto;

// What a value that is no tensor holds.
struct Held {
  std::vector<std::string> tensors;
  bool sequence = true;  // else an optional value: of one tensor, or of none
};

// A graph that is being written.
struct Scope {
  GraphProto* graph;
  Scope* outer = nullptr;
  std::map<std::string, Held> held = {};
  std::map<std::string, Tensor> constants = {};  // of bodies: what is known in them

  const Held* Find(const std::string& name) const {
    const auto found = held.find(name);
    if (found != held.end()) return &found->second;
    return outer != nullptr ? outer->Find(name) : nullptr;
  }
};

// New names of what a graph defines. A body that is written out has a prefix; what it captures has
// the names that it has outside.
struct Names {
  std::string prefix = "";
  const Names* outer = nullptr;
  std::map<std::string, std::string> renamed = {};

  std::string Of(const std::string& name) const {
    const auto found = renamed.find(name);
    if (found != renamed.end()) return found->second;
    return outer != nullptr ? outer->Of(name) : name;
  }
};

const AttributeProto* AttributeOf(const NodeProto& node, const char* name);
int64_t IntOf(const NodeProto& node, const char* name, int64_t otherwise);
// nullptr: the node has none of that name.
const GraphProto* BodyOf(const NodeProto& node, const char* name);
// Whether the node has the input; it may leave it out.
bool Has(const NodeProto& node, int input);

inline constexpr int64_t kMostWritten = 200'000;  // nodes and pieces that expansion adds

class Expander {
 public:
  Expander(OnnxModel* model, ExternalData* external, const OpTable& ops)
      : model_(model), external_(external), ops_(ops) {}

  // As ExpandSequences().
  Result<void> Run();

 private:
  // Where a node is written, and what the names in it mean there.
  struct At {
    Scope* scope;
    Names* names;
  };
  using Handler = Result<void> (Expander::*)(const NodeProto&, At);

  // nullptr: the operator is none for sequences or optional values.
  static Handler HandlerOf(const NodeProto& node);

  // The walk: adapt_expand.cc.

  // Types that the file states for values that are gone.
  void DropTypes();
  // Nodes in order; a node with a problem makes its results bad, and what reads them is left out.
  void WriteAll(const GraphProto& read, At at);
  void Write(const NodeProto& read, int position, At at);
  Result<void> WriteNode(const NodeProto& node, At at);
  // The problems of a body belong to its node.
  Result<void> WriteBody(const GraphProto& read, At at);
  // A node that is not written out: it reads tensors.
  Result<void> Keep(NodeProto node, At at);
  // Its outputs must be tensors.
  Result<void> KeepBody(GraphProto* body, At at);
  // Writes a body at the place of its node. Returns what its outputs are called there.
  Result<std::vector<std::string>> Inline(const GraphProto& body,
                                          const std::vector<std::string>& inputs,
                                          const std::string& prefix,
                                          At at);
  // An output of the model: of a sequence one for each tensor.
  void WriteOutput(const onnx::ValueInfoProto& output, Scope* scope);
  // The new name of what a graph defines.
  std::string Define(const std::string& name, Names* names);
  // Nothing more is written once there is too much.
  void Count(int64_t written);
  NodeProto* Add(Scope* scope, NodeProto node);
  // A node of ours.
  NodeProto* Emit(Scope* scope,
                  const char* op,
                  const std::vector<std::string>& inputs,
                  const std::string& output,
                  const std::string& name);
  static void SetInt(NodeProto* node, const char* name, int64_t value);
  // A constant of integers: a scalar, or a list.
  std::string Constant(Scope* scope,
                       const std::vector<int64_t>& values,
                       bool scalar,
                       const std::string& name);
  // A constant of one bool.
  std::string Truth(Scope* scope, bool truth, const std::string& name);
  // Remembers the elements of a Constant.
  void Note(const NodeProto& constant, Scope* scope);
  // The type of a tensor and, if they are known, its elements. Errors: kBadInput where nothing
  // that stands before tells.
  Result<Tensor> Known(const std::string& name, const Scope* scope);
  // what: "the position", for messages.
  Result<int64_t> Integer(const std::string& name, const char* what, const Scope* scope);
  // `to` is another name of `from`, which may be a sequence.
  Result<void> Bind(const std::string& from, const std::string& to, const NodeProto& node, At at);
  // Whether a graph makes or reads what is no tensor; its captures are those of the scope.
  static bool Touches(const GraphProto& graph, const Scope* scope, const Names* names);
  static bool Touches(const GraphProto& graph);

  // Operators: adapt_sequences.cc.

  // What the first input holds. Errors: kBadInput where it is no sequence.
  Result<Held> Sequence(const NodeProto& node, At at);
  // A position in a sequence, counted from its end if negative; `most` if the input is left out.
  Result<size_t> Position(const NodeProto& node, int input, int64_t size, int64_t most, At at);
  // The node's first output is no tensor.
  Result<void> Hold(const NodeProto& node, Held held, At at);
  // Errors: kBadInput where an input from `first` on is no tensor.
  Result<void> CheckTensors(const NodeProto& node, int first, At at);
  Result<void> SequenceConstruct(const NodeProto& node, At at);
  Result<void> SequenceEmpty(const NodeProto& node, At at);
  Result<void> SequenceInsert(const NodeProto& node, At at);
  Result<void> SequenceErase(const NodeProto& node, At at);
  Result<void> SequenceAt(const NodeProto& node, At at);
  Result<void> SequenceLength(const NodeProto& node, At at);
  Result<void> ConcatFromSequence(const NodeProto& node, At at);
  // Each tensor with a dim of 1 more.
  std::vector<std::string> Unsqueezed(const std::vector<std::string>& tensors,
                                      int64_t axis,
                                      const NodeProto& node,
                                      At at);
  // Sizes of the pieces of a split along a dim of `size`.
  Result<std::vector<int64_t>> Pieces(const NodeProto& node, int64_t size, At at);
  Result<void> SplitToSequence(const NodeProto& node, At at);
  Result<void> Optional(const NodeProto& node, At at);
  Result<void> OptionalHasElement(const NodeProto& node, At at);
  Result<void> OptionalGetElement(const NodeProto& node, At at);

  // Operators with bodies: adapt_bodies.cc.

  Result<void> SequenceMap(const NodeProto& node, At at);
  // No other value has its name.
  static std::string PrefixOf(const NodeProto& node);
  // The node's outputs are other names of these.
  Result<void> BindAll(const NodeProto& node, const std::vector<std::string>& made, At at);
  Result<void> If(const NodeProto& node, At at);
  Result<void> Loop(const NodeProto& node, At at);
  // What a loop collects: one piece of each iteration along a new first dim.
  Result<void> Stack(const std::vector<std::string>& pieces, const std::string& to, At at);

  OnnxModel* model_;
  ExternalData* external_;
  const OpTable& ops_;
  Prefix* prefix_ = nullptr;
  std::vector<Error> problems_;
  std::set<std::string> bad_;  // values that a problem makes meaningless
  int64_t written_ = 0;
  int64_t copied_ = 0;
  bool full_ = false;
};

}  // namespace metadist::sequences
