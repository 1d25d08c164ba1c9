// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "metair/ops/op_table.h"
#include "metair/ops/term.h"

namespace metadist {

// One call whose gradient is written (OpDef::gradient). With L the value that is differentiated:
// reads x(i), y(o) and dy(o) = dL/dy(o), writes dL/dx(i) with Give. Nodes go into the graph that
// also holds the call.
class GradientCall {
 public:
  // Where the gradients of a node's inputs go.
  struct Sink {
    std::vector<bool> wanted;  // by input; others are 0, or nobody asks for them
    std::function<void(size_t input, ValueId gradient)> give;
  };

  // output_gradients: kNone = 0. The call and the node must outlive this.
  GradientCall(GraphBuilder& b,
               const OpTable& ops,
               const OpCall& call,
               const Node& node,
               std::vector<ValueId> output_gradients,
               Sink sink);

  GraphBuilder& b() { return b_; }
  const OpCall& call() const { return call_; }
  const Attributes& attributes() const { return *call_.attributes; }
  bool has(size_t input) const { return call_.has(input); }

  // Whether the gradient of an input is needed.
  bool wants(size_t input) const { return has(input) && sink_.wanted[input]; }

  // An input, which must be present.
  Term x(size_t input = 0) const { return {b_, node_.inputs[input]}; }
  // An output. One that the node does not request is computed by another node.
  Term y(size_t output = 0);
  // The gradient of an output; 0 unless has_dy.
  Term dy(size_t output = 0);
  bool has_dy(size_t output = 0) const { return output_gradients_[output] != kNone; }

  // Adds to the gradient of an input. It is summed over the dims by which the input was broadcast,
  // and converted to the input's type. Ignored for inputs whose gradient is not needed.
  void Give(size_t input, const Term& gradient);
  // Output 0 of the same operator on another first input.
  Term Again(const Term& first) const;
  // Errors: kBadInput if the gradient of this input is needed: it is not known.
  Result<void> Refuse(size_t input) const;

  // Differentiates `graph`, which computes the same as the call: its inputs are the present inputs
  // of the call, its outputs those of the call. Its nodes are added to the graph.
  Result<void> Through(const Graph& graph);

 private:
  GraphBuilder& b_;
  const OpTable& ops_;
  const OpCall& call_;
  const Node& node_;
  std::vector<ValueId> output_gradients_;
  Sink sink_;
  std::vector<ValueId> again_;  // all outputs of a second node, once one is needed
};

// OpDef::gradient of operators that are constant almost everywhere: rounding, signs.
Result<void> NoGradient(GradientCall& g);

// OpDef::gradient of operators that only change the shape of input 0.
Result<void> ReshapeGradient(GradientCall& g);

// OpDef::gradient of elementwise operators of one float. Slope returns dy/dx at x; it is computed
// in f32 for narrower types.
template <Term (*Slope)(GradientCall& g, const Term& x)>
Result<void> UnaryGradient(GradientCall& g) {
  g.Give(0, g.dy().Wide() * Slope(g, g.x().Wide()));
  return {};
}

// Gradients of values of a graph, by reverse-mode differentiation: nodes are visited last to first,
// and each turns the gradients of its outputs into contributions to those of its inputs. A node of
// an operator without a gradient of its own is differentiated through its decomposition, which is
// computed again for it: the forward pass keeps the node, and no more than its inputs.
//
// of: the values that are differentiated, and their gradients (ones, for the gradient of a scalar).
// by: the values whose gradients are wanted. Nodes are appended to the graph. Returns one value for
// each of `by`, of its type; kNone if nothing in `of` depends on it, or only through steps and
// integers. Errors: kBadInput with the nodes that cannot be differentiated; what comes before them
// is not looked at. Source: Griewank, Walther 2008, "Evaluating Derivatives", section 3.2.
Result<std::vector<ValueId>> AddGradients(GraphBuilder& b,
                                          const OpTable& ops,
                                          const std::vector<std::pair<ValueId, ValueId>>& of,
                                          const std::vector<ValueId>& by);

}  // namespace metadist
