// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "importers/onnx/model.h"
#include "importers/onnx/prefix.h"

// The class that expands sequences and optional values (adapt_sequences.h): its walk over a model,
// the replacement of sequence operators, and the expansion of bodies.
namespace metadist::sequences {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::NodeProto;

// The contents of a value that is not a tensor.
struct Held {
  std::vector<std::string> tensors;
  bool sequence = true;  // otherwise an optional value: one tensor or none
};

// A graph that is being written.
struct Scope {
  GraphProto* graph;
  Scope* outer = nullptr;
  std::map<std::string, Held> held = {};
  std::map<std::string, Tensor> constants = {};  // those known inside a body

  const Held* Find(const std::string& name) const {
    const auto found = held.find(name);
    if (found != held.end()) return &found->second;
    return outer != nullptr ? outer->Find(name) : nullptr;
  }
};

// New names of the values that a graph defines. Names in an expanded body get a prefix; its
// captures keep the names that they have outside.
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
// nullptr if the node has no attribute of that name.
const GraphProto* BodyOf(const NodeProto& node, const char* name);
// True if the node has the input, which may be omitted.
bool Has(const NodeProto& node, int input);

inline constexpr int64_t kMostWritten = 200'000;  // nodes and pieces added by expansion

class Expander {
 public:
  Expander(OnnxModel* model, ExternalData* external, const OpTable& ops)
      : model_(model), external_(external), ops_(ops) {}

  // See ExpandSequences().
  Result<void> Run();

 private:
  // The graph to which a node is written, and the meaning of the names in it.
  struct At {
    Scope* scope;
    Names* names;
  };
  using Handler = Result<void> (Expander::*)(const NodeProto&, At);

  // nullptr if the operator does not work on sequences or optional values.
  static Handler HandlerOf(const NodeProto& node);

  // The walk: adapt_expand.cc.

  // Removes types that the file states for values that no longer exist.
  void DropTypes();
  // Writes nodes in order. A node with a problem makes its results bad, and nodes that read bad
  // values are skipped.
  void WriteAll(const GraphProto& read, At at);
  void Write(const NodeProto& read, int position, At at);
  Result<void> WriteNode(const NodeProto& node, At at);
  // Writes a body; its problems are reported for its node.
  Result<void> WriteBody(const GraphProto& read, At at);
  // Writes a node that is not expanded: its inputs must be tensors.
  Result<void> Keep(NodeProto node, At at);
  // Writes a body that is not expanded: its outputs must be tensors.
  Result<void> KeepBody(GraphProto* body, At at);
  // Writes a body in place of its node. Returns the names of its outputs there.
  Result<std::vector<std::string>> Inline(const GraphProto& body,
                                          const std::vector<std::string>& inputs,
                                          const std::string& prefix,
                                          At at);
  // Writes an output of the model; a sequence becomes one output per tensor.
  void WriteOutput(const onnx::ValueInfoProto& output, Scope* scope);
  // Returns the new name of a value that a graph defines.
  std::string Define(const std::string& name, Names* names);
  // Counts what is written; above the limit nothing more is written.
  void Count(int64_t written);
  NodeProto* Add(Scope* scope, NodeProto node);
  // Adds a node created by the expansion.
  NodeProto* Emit(Scope* scope,
                  const char* op,
                  const std::vector<std::string>& inputs,
                  const std::string& output,
                  const std::string& name);
  // Adds a constant; returns its name.
  std::string Constant(Scope* scope, onnx::TensorProto value, const std::string& name);
  // Remembers the elements of a Constant.
  void Note(const NodeProto& constant, Scope* scope);
  // The type of a tensor and, if known, its elements. Errors: kBadInput if nothing before it
  // determines them.
  Result<Tensor> Known(const std::string& name, const Scope* scope);
  // what: "the position", for messages.
  Result<int64_t> Integer(const std::string& name, const char* what, const Scope* scope);
  // Makes `to` another name of `from`, which may be a sequence.
  Result<void> Bind(const std::string& from, const std::string& to, const NodeProto& node, At at);
  // True if a graph creates or reads a value that is not a tensor; captures are looked up in the
  // scope.
  static bool Touches(const GraphProto& graph,
                      const Scope* scope = nullptr,
                      const Names* names = nullptr);

  // Operators: adapt_sequences.cc.

  // The contents of the first input. Errors: kBadInput if it is not a sequence.
  Result<Held> Sequence(const NodeProto& node, At at);
  // A position in a sequence, counted from its end if negative; `most` if the input is left out.
  Result<size_t> Position(const NodeProto& node, int input, int64_t size, int64_t most, At at);
  // Records the contents of the node's first output, which is not a tensor.
  Result<void> Hold(const NodeProto& node, Held held, At at);
  // Errors: kBadInput if one of the inputs from `first` on is not a tensor.
  Result<void> CheckTensors(const NodeProto& node, int first, At at);
  Result<void> SequenceConstruct(const NodeProto& node, At at);
  Result<void> SequenceEmpty(const NodeProto& node, At at);
  Result<void> SequenceInsert(const NodeProto& node, At at);
  Result<void> SequenceErase(const NodeProto& node, At at);
  Result<void> SequenceAt(const NodeProto& node, At at);
  Result<void> SequenceLength(const NodeProto& node, At at);
  Result<void> ConcatFromSequence(const NodeProto& node, At at);
  // Adds a dim of 1 to each tensor.
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
  // A prefix that no other value's name has.
  static std::string PrefixOf(const NodeProto& node);
  // Makes the node's outputs other names of these values.
  Result<void> BindAll(const NodeProto& node, const std::vector<std::string>& made, At at);
  Result<void> If(const NodeProto& node, At at);
  Result<void> Loop(const NodeProto& node, At at);
  // The collected output of a loop: the pieces of all iterations along a new first dim.
  Result<void> Stack(const std::vector<std::string>& pieces, const std::string& to, At at);

  OnnxModel* model_;
  ExternalData* external_;
  const OpTable& ops_;
  Prefix* prefix_ = nullptr;
  std::vector<Error> problems_;
  std::set<std::string> bad_;  // values invalid because of a problem
  int64_t written_ = 0;
  int64_t copied_ = 0;
  bool full_ = false;
};

}  // namespace metadist::sequences
