// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/text.h"

namespace metadist::testing {

// A graph of one operator with a decomposition, at sizes that discovery does not use.
struct CompositeCase {
  const char* name;
  const char* inputs;  // lines of the graph's text
  const char* node;
  const char* outputs;
};

inline std::vector<CompositeCase> FoldingCases() {
  return {
      {"softmax", "input %x: f64[6,24,33]", "%y: f64[6,24,33] = Softmax(%x) {axis = -1} @n", "%y"},
      {"log_softmax", "input %x: f64[9,26]", "%y: f64[9,26] = LogSoftmax(%x) {axis = 1} @n", "%y"},
      {"log_sum_exp",
       "input %x: f64[9,26]\n  constant %a: i64[1] = [1]",
       "%y: f64[9] = ReduceLogSumExp(%x, %a) {keepdims = 0} @n",
       "%y"},
      {"mean",
       "input %x: f64[9,26]\n  constant %a: i64[1] = [1]",
       "%y: f64[9,1] = ReduceMean(%x, %a) {} @n",
       "%y"},
      {"mean_of_all", "input %x: f64[9,26]", "%y: f64[] = ReduceMean(%x) {keepdims = 0} @n", "%y"},
      {"l2",
       "input %x: f64[9,26]\n  constant %a: i64[1] = [1]",
       "%y: f64[9,1] = ReduceL2(%x, %a) {} @n",
       "%y"},
      {"log_sum",
       "input %x0: f64[9,26]\n  constant %a: i64[1] = [1]",
       "%x: f64[9,26] = Abs(%x0) {} @abs\n  %y: f64[9,1] = ReduceLogSum(%x, %a) {} @n",
       "%y"},
      {"layer_norm",
       "input %x: f64[10,25]\n  input %w: f64[25]\n  input %b: f64[25]",
       "%y: f64[10,25] = LayerNormalization(%x, %w, %b) {} @n",
       "%y"},
      {"layer_norm_2",
       "input %x: f64[10,9,14]\n  input %w: f64[9,14]\n  input %b: f64[9,14]",
       "%y: f64[10,9,14] = LayerNormalization(%x, %w, %b) {axis = 1} @n",
       "%y"},
      {"rms_norm",
       "input %x: f64[10,25]\n  input %w: f64[25]",
       "%y: f64[10,25] = RMSNormalization(%x, %w) {} @n",
       "%y"},
      {"group_norm",
       "input %x: f64[3,24,9,4]\n  input %w: f64[24]\n  input %b: f64[24]",
       "%y: f64[3,24,9,4] = GroupNormalization(%x, %w, %b) {num_groups = 3} @n",
       "%y"},
      {"instance_norm",
       "input %x: f64[3,4,9,10]\n  input %w: f64[4]\n  input %b: f64[4]",
       "%y: f64[3,4,9,10] = InstanceNormalization(%x, %w, %b) {} @n",
       "%y"},
      {"batch_norm",
       "input %x: f64[9,4,11,3]\n  input %w: f64[4]\n  input %b: f64[4]\n  input %m: f64[4]\n"
       "  input %v: f64[4]",
       "%y: f64[9,4,11,3], %p: f64[4], %q: f64[4] = BatchNormalization(%x, %w, %b, %m, %v) "
       "{training_mode = 1} @n",
       "%y\n  output %p\n  output %q"},
      {"mean_variance",
       "input %x: f64[9,4,11,3]",
       "%y: f64[9,4,11,3] = MeanVarianceNormalization(%x) {} @n",
       "%y"},
      {"lp_norm", "input %x: f64[9,26]", "%y: f64[9,26] = LpNormalization(%x) {} @n", "%y"},
      {"lp_norm_1", "input %x: f64[9,26]", "%y: f64[9,26] = LpNormalization(%x) {p = 1} @n", "%y"},
      {"global_mean",
       "input %x: f64[3,4,9,10]",
       "%y: f64[3,4,1,1] = GlobalAveragePool(%x) {} @n",
       "%y"},
      {"global_norm", "input %x: f64[3,4,9,10]", "%y: f64[3,4,1,1] = GlobalLpPool(%x) {} @n", "%y"},
      {"arg_max", "input %x: f64[9,26]", "%y: i64[9,1] = ArgMax(%x) {axis = 1} @n", "%y"},
      {"arg_min_last",
       "input %x: f64[26,9]",
       "%y: i64[9] = ArgMin(%x) {axis = 0, keepdims = 0, select_last_index = 1} @n",
       "%y"},
  };
}

inline std::vector<CompositeCase> LossAndAttentionCases() {
  return {
      {"cross_entropy",
       "input %x: f64[9,26]\n  input %t: i64[9]",
       "%y: f64[], %p: f64[9,26] = SoftmaxCrossEntropyLoss(%x, %t) {} @n",
       "%y\n  output %p"},
      {"cross_entropy_2",
       "input %x: f64[9,26,10]\n  input %t: i64[9,10]\n  input %w0: f64[26]",
       "%w: f64[26] = Abs(%w0) {} @abs\n  %y: f64[] = SoftmaxCrossEntropyLoss(%x, %t, %w) "
       "{ignore_index = 1} @n",
       "%y"},
      {"nll",
       "input %x: f64[9,26]\n  input %t: i64[9]\n  input %w0: f64[26]",
       "%w: f64[26] = Abs(%w0) {} @abs\n  %y: f64[] = NegativeLogLikelihoodLoss(%x, %t, %w) {} @n",
       "%y"},
      {"attention",
       "input %q: f64[2,8,9,5]\n  input %k: f64[2,8,14,5]\n  input %v: f64[2,8,14,6]\n"
       "  input %m: f64[9,14]",
       "%y: f64[2,8,9,6] = Attention(%q, %k, %v, %m) {} @n",
       "%y"},
      {"attention_causal",
       "input %q: f64[2,9,32]\n  input %k: f64[2,14,16]\n  input %v: f64[2,14,24]",
       "%y: f64[2,9,48] = Attention(%q, %k, %v) {q_num_heads = 8, kv_num_heads = 4, is_causal = "
       "1} @n",
       "%y"},
  };
}

// Without a decomposition: joined by the operator itself.
inline std::vector<CompositeCase> JoinedCases() {
  return {
      {"top_k",
       "input %x: f64[6,27]\n  constant %k: i64[1] = [3]",
       "%y: f64[6,3], %i: i64[6,3] = TopK(%x, %k) {axis = 1} @n",
       "%y\n  output %i"},
      {"least_of_integers",
       "input %x: i64[25,2,3]\n  constant %k: i64[1] = [2]",
       "%y: i64[2,2,3], %i: i64[2,2,3] = TopK(%x, %k) {axis = 0, largest = 0} @n",
       "%y\n  output %i"},
      {"best",
       "input %x: f64[6,26]\n  constant %k: i64[1] = [1]",
       "%y: f64[6,1], %i: i64[6,1] = TopK(%x, %k) {axis = -1} @n",
       "%i"},
      {"cum_sum",
       "input %x: f64[6,27]\n  constant %a: i64[1] = [1]",
       "%y: f64[6,27] = CumSum(%x, %a) {} @n",
       "%y"},
      {"cum_sum_exclusive",
       "input %x: f64[25,3]\n  constant %a: i64[1] = [0]",
       "%y: f64[25,3] = CumSum(%x, %a) {exclusive = 1} @n",
       "%y"},
      {"cum_sum_reversed",
       "input %x: f64[2,25,3]\n  constant %a: i64[1] = [1]",
       "%y: f64[2,25,3] = CumSum(%x, %a) {reverse = 1} @n",
       "%y"},
      {"cum_sum_exclusive_reversed",
       "input %x: f64[2,25,3]\n  constant %a: i64[1] = [1]",
       "%y: f64[2,25,3] = CumSum(%x, %a) {reverse = 1, exclusive = 1} @n",
       "%y"},
      {"cum_prod",
       "input %x: i64[6,27]\n  constant %a: i64[1] = [1]",
       "%y: i64[6,27] = CumProd(%x, %a) {} @n",
       "%y"},
      {"causal_conv_with_state",
       "input %x: f64[2,4,25]\n  input %w: f64[4,1,3]\n  input %b: f64[4]\n  input %s: f64[2,4,2]",
       "%y: f64[2,4,25], %t: f64[2,4,2] = CausalConvWithState(%x, %w, %b, %s) {} @n",
       "%y\n  output %t"},
      {"rnn",
       "input %x: f64[25,2,4]\n  input %w: f64[1,5,4]\n  input %r: f64[1,5,5]\n"
       "  input %h: f64[1,2,5]",
       "%y: f64[25,1,2,5], %z: f64[1,2,5] = RNN(%x, %w, %r, _, _, %h) {hidden_size = 5} @n",
       "%y\n  output %z"},
      {"lstm_reversed",
       "input %x: f64[17,2,4]\n  input %w: f64[1,20,4]\n  input %r: f64[1,20,5]\n"
       "  input %h: f64[1,2,5]\n  input %c: f64[1,2,5]",
       "%y: f64[17,1,2,5], %p: f64[1,2,5], %q: f64[1,2,5] = LSTM(%x, %w, %r, _, _, %h, %c) "
       "{hidden_size = 5, direction = \"reverse\"} @n",
       "%y\n  output %p\n  output %q"},
      {"linear_attention",
       "input %q: f64[2,17,6]\n  input %k: f64[2,17,6]\n  input %v: f64[2,17,10]\n"
       "  input %s: f64[2,2,3,5]",
       "%y: f64[2,17,10], %t: f64[2,2,3,5] = LinearAttention(%q, %k, %v, %s) {q_num_heads = 2, "
       "kv_num_heads = 2, update_rule = \"linear\"} @n",
       "%y\n  output %t"},
  };
}

// Results that are the indices of elements.
inline std::vector<CompositeCase> PlaceCases() {
  return {
      {"hardmax", "input %x: f64[9,26]", "%y: f64[9,26] = Hardmax(%x) {axis = -1} @n", "%y"},
      {"max_pool_index",
       "input %x: f64[9,10,6,5]",
       "%y: f64[9,10,3,2], %i: i64[9,10,3,2] = MaxPool(%x) {kernel_shape = [2, 2], strides = [2, "
       "2]} @n",
       "%y\n  output %i"},
      {"diagonal",
       "input %x: f64[26,26]",
       "%y: f64[26] = Einsum(%x) {equation = \"ii->i\"} @n",
       "%y"},
      {"trace",
       "input %x: f64[9,26,26]",
       "%y: f64[9] = Einsum(%x) {equation = \"bii->b\"} @n",
       "%y"},
      {"diagonal_product",
       "input %x: f64[26,26]\n  input %w: f64[26,9]",
       "%y: f64[9] = Einsum(%x, %w) {equation = \"ii,ij->j\"} @n",
       "%y"},
  };
}

// Layers over one element of a sequence.
inline std::vector<CompositeCase> RecurrentCases() {
  return {
      {"rnn_cell",
       "input %x: f64[1,10,9]\n  input %w: f64[1,14,9]\n  input %r: f64[1,14,14]\n"
       "  input %b: f64[1,28]\n  input %h: f64[1,10,14]",
       "%y: f64[1,1,10,14], %z: f64[1,10,14] = RNN(%x, %w, %r, %b, _, %h) {hidden_size = 14} @n",
       "%y\n  output %z"},
      {"lstm_cell",
       "input %x: f64[10,1,9]\n  input %w: f64[2,56,9]\n  input %r: f64[2,56,14]\n"
       "  input %b: f64[2,112]\n  input %h: f64[10,2,14]\n  input %c: f64[10,2,14]\n"
       "  input %p: f64[2,42]",
       "%y: f64[10,1,2,14], %z: f64[10,2,14], %v: f64[10,2,14] = LSTM(%x, %w, %r, %b, _, %h, %c, "
       "%p) {hidden_size = 14, direction = \"bidirectional\", layout = 1} @n",
       "%y\n  output %z\n  output %v"},
      {"lstm_first_cell",
       "input %x: f64[1,10,9]\n  input %w: f64[1,56,9]\n  input %r: f64[1,56,14]\n"
       "  input %b: f64[1,112]",
       "%y: f64[1,1,10,14] = LSTM(%x, %w, %r, %b) {clip = 0.5, input_forget = 1} @n",
       "%y"},
      {"gru_cell",
       "input %x: f64[1,10,9]\n  input %w: f64[1,42,9]\n  input %r: f64[1,42,14]\n"
       "  input %b: f64[1,84]\n  input %h: f64[1,10,14]",
       "%y: f64[1,1,10,14], %z: f64[1,10,14] = GRU(%x, %w, %r, %b, _, %h) {activations = "
       "[\"HardSigmoid\", \"Softsign\"]} @n",
       "%y\n  output %z"},
      {"gru_linear_cell",
       "input %x: f64[1,10,9]\n  input %w: f64[1,42,9]\n  input %r: f64[1,42,14]\n"
       "  input %b: f64[1,84]\n  input %h: f64[1,10,14]",
       "%y: f64[1,1,10,14], %z: f64[1,10,14] = GRU(%x, %w, %r, %b, _, %h) {linear_before_reset = "
       "1} @n",
       "%y\n  output %z"},
  };
}

inline const std::vector<CompositeCase>& CompositeCases() {
  static const std::vector<CompositeCase> cases = [] {
    std::vector<CompositeCase> all = FoldingCases();
    for (const auto& more :
         {LossAndAttentionCases(), JoinedCases(), PlaceCases(), RecurrentCases()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return cases;
}

inline Graph GraphOf(const CompositeCase& one) {
  const std::string text = std::string("graph g opset 26 {\n  ") + one.inputs + "\n  " + one.node +
                           "\n  output " + one.outputs + "\n}\n";
  auto graph = ParseGraph(text);
  CHECK(graph.ok(), graph.ok() ? "" : (graph.error().text() + text).c_str());
  return std::move(graph).value();
}

}  // namespace metadist::testing
