// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "metair/ir/attribute.h"
#include "metair/ir/graph.h"
#include "metair/ir/result.h"
#include "metair/ir/tensor.h"

namespace metadist {

struct OpDef;
class GradientCall;

// One concrete use of an operator, as far as it is known before running: the input of shape
// inference, cost and domains of legal inputs. An omitted input has present == false.
struct OpCall {
  struct Input {
    bool present = false;
    TensorType type;
    const Tensor* constant = nullptr;  // its elements if they are known at compile time
  };

  const OpDef* op = nullptr;
  const Attributes* attributes = nullptr;
  std::vector<Input> inputs;
  int num_outputs = 1;
  // Bodies of a control-flow operator, or nullptr. The values that they capture are the last
  // inputs, body by body.
  const std::vector<Region>* regions = nullptr;

  // Position of the first capture of a body among the inputs. For body regions->size(): the end of
  // all captures.
  size_t first_capture(size_t region) const;
  // Number of inputs that are not captures.
  size_t num_own_inputs() const { return first_capture(0); }
  bool has(size_t input) const { return input < inputs.size() && inputs[input].present; }
  const TensorType& type(size_t input) const { return inputs[input].type; }
  const Shape& shape(size_t input) const { return inputs[input].type.shape; }
  int64_t rank(size_t input) const { return static_cast<int64_t>(shape(input).size()); }
  // Elements of a constant integer input. Errors: kBadInput if they are not known.
  Result<std::vector<int64_t>> Ints(size_t input) const;
  // Elements of a constant input of any type. Errors: kBadInput if they are not known.
  Result<std::vector<double>> Doubles(size_t input) const;
};

// The device-independent cost of one call. A multiply-add is two flops, any other elementary
// function one. bytes: all data read and written, once each.
struct Work {
  int64_t flops = 0;
  int64_t bytes = 0;
  // Set if the call is a (batch of) matrix product [m,k] x [k,n]; otherwise batch = 0.
  int64_t batch = 0;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
};

// Legal values of an input. Discovery, random tests and `run` without inputs draw from it.
struct InputDomain {
  enum class Kind : uint8_t {
    kAny,
    kPositive,  // > 0: a variance, the argument of a logarithm
    kIndex,     // integers, each an index into a dim of another input
    kRange,     // [low, high]
  };
  // A dim of another input that bounds an index.
  struct Bound {
    int input = 0;
    int dim = 0;
  };

  Kind kind = Kind::kAny;
  double low = 0;
  double high = 0;
  // kRange of floats: narrower ranges for each element of the last dim, if they give more typical
  // values (the corners of a region, which is usually inside the image).
  std::vector<std::pair<double, double>> columns = {};
  // kIndex: one bound for all elements, or one for each element of the last dim (GatherND rows).
  std::vector<Bound> bounds = {};
  // kRange of integers: both limits increase by `step` with each row. A row is an index of the
  // first `leading` dims of the input, counted row-major.
  int leading = 0;
  int64_t step = 0;
  bool negative_ok = false;  // kIndex: [-size, size) rather than [0, size)
  bool distinct = false;     // kIndex: no element occurs twice

  // The increase of the range for an element of an input of this shape.
  int64_t Raised(const Shape& shape, int64_t element) const {
    if (step == 0) return 0;
    return element / NumElements({shape.begin() + leading, shape.end()}) * step;
  }
};

// Input types, constants and attributes of one legal call, for tests and documentation.
struct OpExample {
  struct Input {
    TensorType type = {};
    bool present = true;
    // Elements of a constant input, converted to its type; empty = not constant.
    std::vector<int64_t> constant = {};
  };
  std::vector<Input> inputs = {};
  Attributes attributes = {};
  int num_outputs = 1;
};

// A call with everything written out that a model may omit or write in several ways.
struct Spelling {
  Attributes attributes;                 // all attributes of the call
  std::map<size_t, Tensor> inputs = {};  // constant inputs to add or replace, by position
  int num_outputs = 1;                   // at least as many as the call requests

  // The call unchanged.
  static Spelling Of(const OpCall& call) { return {*call.attributes, {}, call.num_outputs}; }
};

// Everything metadist knows about an operator. The rest is found by running `reference`.
struct OpDef {
  std::string domain = {};  // "" = ONNX
  std::string name = {};
  // The opset whose semantics the functions implement; ONNX specifies them at
  // https://onnx.ai/onnx/operators/onnx__<name>.html.
  int since_version = 1;

  // Types of all outputs that the call requests. Input sizes are known. Errors: kBadInput with the
  // problems of the call.
  Result<std::vector<TensorType>> (*infer)(const OpCall& call) = nullptr;

  // The reference kernel, and the only definition of what the operator computes. Inputs and outputs
  // are in compute types (f64, i64, bool; see ComputeType). Outputs are passed in zero-filled with
  // their inferred shapes; an output with run-time sizes is passed empty, and the kernel assigns
  // it. Bounds are checked: an illegal value (an index out of range) is kBadInput, never undefined
  // behaviour.
  Result<void> (*reference)(const OpCall& call,
                            std::span<const Tensor> inputs,
                            std::span<Tensor> outputs) = nullptr;

  // Converts a call that `infer` accepts to the canonical form of all its equivalent spellings:
  // defaults filled in, known sizes instead of -1 and 0, positions counted from the front, all
  // possible outputs. nullptr: there is only one spelling. Errors: kBadInput if required
  // information is not known; the call is then left unchanged.
  Result<Spelling> (*spell)(const OpCall& call) = nullptr;

  // Control flow only: the types of a body's inputs, without captures. `infer` and `reference` may
  // then rely on bodies whose values are typed. Errors: kBadInput.
  Result<std::vector<TensorType>> (*body_inputs)(const OpCall& call, size_t region) = nullptr;

  // The same mathematics as a graph of other operators, as exact in f32 as the kernel (shifted
  // exponentials, variances in two passes). Its inputs are the present inputs of the call, in
  // order; its outputs are those that the call requests. Counts of folded elements and positions of
  // elements are constants of the graph. Its form depends on the form of the call, never on its
  // sizes. nullptr: the operator is elementary. Errors: kBadInput for calls that are not covered.
  Result<Graph> (*decompose)(const OpCall& call) = nullptr;

  // Writes the gradients of the inputs, given those of the outputs; see gradient.h. An input that
  // is given none has gradient 0. nullptr: the decomposition is differentiated, if there is one.
  // Errors: kBadInput for calls that cannot be differentiated.
  Result<void> (*gradient)(GradientCall& call) = nullptr;

  // nullptr: one flop per output element, every tensor moved once.
  Work (*work)(const OpCall& call, std::span<const TensorType> outputs) = nullptr;
  // One per input; nullptr: kAny for all.
  std::vector<InputDomain> (*domain_of)(const OpCall& call) = nullptr;
  std::vector<OpExample> (*examples)() = nullptr;

  bool view = false;  // output 0 has the unchanged bytes of input 0
  // One output, whose elements depend on one element of each input at most: the one in the same
  // position, under broadcasting.
  bool elementwise = false;
  bool only_types = false;  // the outputs depend only on the types of the inputs
  // Inputs (bit i: input i) whose buffers may hold an output of the same type: the kernels read
  // each element of all inputs before they write the outputs' elements in that position.
  uint32_t overwrites = 0;
  // Inputs (bit i: input i) that never hold weights, but statistics, limits, tables: training
  // leaves them alone unless it is told otherwise.
  uint32_t untrained = 0;
  bool deterministic = true;      // false: draws random numbers
  const void* context = nullptr;  // for operators added at run time; reached through OpCall::op
};

// The inferred output types of a call, call.num_outputs of them; errors name the operator. Errors:
// those of OpDef::infer; kBadInput if an input has sizes known only at run time.
Result<std::vector<TensorType>> InferTypes(const OpCall& call);
// Work of a call with its inferred output types; none if a size is known only at run time.
Work WorkOf(const OpCall& call, std::span<const TensorType> outputs);

// Runs the reference kernel on tensors of the model's own types: converts to compute types, runs,
// converts back. Every input counts as constant. Elements may be absent if OpDef::only_types.
Result<std::vector<Tensor>> Evaluate(OpCall call, std::span<const Tensor> inputs);

// The call of a node in its graph: types of its inputs (including captures), and the elements of
// constant inputs. It points into the node.
OpCall CallOf(const OpDef& op, const Graph& graph, const Node& node);

}  // namespace metadist
