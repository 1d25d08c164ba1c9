// SPDX-License-Identifier: Apache-2.0
#include "tests/planner/gpt_model.h"

#include <fmt/format.h>

#include <utility>

#include "metair/ir/text.h"
#include "metair/passes/passes.h"

namespace metadist {
namespace {

class GptText {
 public:
  explicit GptText(const GptSize& size) : g_(size), inner_(size.heads * size.head) {}

  std::string Write() {
    text_ = "graph gpt opset 20 {\n";
    Line("input %ids: i64[{},{}]", g_.batch, g_.sequence);
    Line("parameter %tokens: {}[{},{}] = ...", g_.element, g_.vocabulary, g_.width);
    Line("parameter %positions: {}[{},{}] = ...", g_.element, g_.sequence, g_.width);
    for (int l = 0; l < g_.layers; ++l) Parameters(l);
    Line("constant %scale: {}[] = [0.1]", g_.element);
    Line("constant %heads: i64[4] = [0, 0, {}, {}]", g_.heads, g_.head);
    Line("constant %merged: i64[3] = [0, 0, {}]", inner_);
    Line("%embedded: {} = Gather(%tokens, %ids) {{axis = 0}} @embedded", Tokens(g_.width));
    Line("%x0: {} = Add(%embedded, %positions) {{}} @x0", Tokens(g_.width));
    for (int l = 0; l < g_.layers; ++l) Layer(l);
    Line("output %x{}", g_.layers);
    return text_ + "}\n";
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  template <typename... Args>
  std::string Type(fmt::format_string<Args...> dims, Args&&... args) const {
    return fmt::format("{}[{}]", g_.element, fmt::format(dims, std::forward<Args>(args)...));
  }

  // Rows of this width, one for each token.
  std::string Tokens(int width) const { return Type("{},{},{}", g_.batch, g_.sequence, width); }

  void Parameters(int l) {
    for (const char* norm : {"n1", "n2"})
      for (const char* part : {"g", "b"})
        Line("parameter %{}.{}{}: {} = ...", norm, part, l, Type("{}", g_.width));
    for (const char* name : {"q", "k", "v"}) Linear(l, name, g_.width, inner_);
    Linear(l, "o", inner_, g_.width);
    Linear(l, "up", g_.width, 4 * g_.width);
    Linear(l, "down", 4 * g_.width, g_.width);
  }

  void Linear(int l, const char* name, int from, int to) {
    Line("parameter %{}.w{}: {} = ...", name, l, Type("{},{}", from, to));
    Line("parameter %{}.c{}: {} = ...", name, l, Type("{}", to));
  }

  void Norm(int l, const char* name, const std::string& from) {
    Line(
        "%{0}_{1}: {3} = LayerNormalization(%{2}, %{0}.g{1}, %{0}.b{1}) {{axis = -1, epsilon = "
        "1e-05, stash_type = 1}} @{0}_{1}",
        name,
        l,
        from,
        Tokens(g_.width));
  }

  void Apply(int l, const char* name, const std::string& from, int width) {
    Line("%{0}m{1}: {3} = MatMul(%{2}, %{0}.w{1}) {{}} @{0}m{1}", name, l, from, Tokens(width));
    Line("%{0}_{1}: {2} = Add(%{0}m{1}, %{0}.c{1}) {{}} @{0}_{1}", name, l, Tokens(width));
  }

  std::string InHeads(int a, int b) const { return Type("{},{},{},{}", g_.batch, g_.heads, a, b); }

  std::string Rows() const { return Type("{},{},{},{}", g_.batch, g_.sequence, g_.heads, g_.head); }

  void Heads(int l, const char* name, const char* perm, const std::string& type) {
    Line("%{0}r{1}: {2} = Reshape(%{0}_{1}, %heads) {{allowzero = 0}} @{0}r{1}", name, l, Rows());
    Line("%{0}h{1}: {2} = Transpose(%{0}r{1}) {{perm = [{3}]}} @{0}h{1}", name, l, type, perm);
  }

  void Layer(int l) {
    const std::string scores = InHeads(g_.sequence, g_.sequence);
    const std::string split = InHeads(g_.sequence, g_.head);
    Norm(l, "n1", fmt::format("x{}", l));
    for (const char* name : {"q", "k", "v"}) Apply(l, name, fmt::format("n1_{}", l), inner_);
    Heads(l, "q", "0, 2, 1, 3", split);
    Heads(l, "k", "0, 2, 3, 1", InHeads(g_.head, g_.sequence));
    Heads(l, "v", "0, 2, 1, 3", split);
    Line("%s{0}: {1} = MatMul(%qh{0}, %kh{0}) {{}} @s{0}", l, scores);
    Line("%t{0}: {1} = Mul(%s{0}, %scale) {{}} @t{0}", l, scores);
    Line("%p{0}: {1} = Softmax(%t{0}) {{axis = -1}} @p{0}", l, scores);
    Line("%a{0}: {1} = MatMul(%p{0}, %vh{0}) {{}} @a{0}", l, split);
    Line("%at{0}: {1} = Transpose(%a{0}) {{perm = [0, 2, 1, 3]}} @at{0}", l, Rows());
    Line("%am{0}: {1} = Reshape(%at{0}, %merged) {{allowzero = 0}} @am{0}", l, Tokens(inner_));
    Apply(l, "o", fmt::format("am{}", l), g_.width);
    Line("%y{0}: {1} = Add(%x{0}, %o_{0}) {{}} @y{0}", l, Tokens(g_.width));
    Norm(l, "n2", fmt::format("y{}", l));
    Apply(l, "up", fmt::format("n2_{}", l), 4 * g_.width);
    Line("%g{0}: {1} = Gelu(%up_{0}) {{approximate = \"none\"}} @g{0}", l, Tokens(4 * g_.width));
    Apply(l, "down", fmt::format("g{}", l), g_.width);
    Line("%x{1}: {2} = Add(%y{0}, %down_{0}) {{}} @x{1}", l, l + 1, Tokens(g_.width));
  }

  const GptSize g_;
  const int inner_;  // width of all heads
  std::string text_;
};

}  // namespace

Graph GptModel(const GptSize& size) {
  const OpTable& ops = OpTable::BuiltIn();
  return RunPasses(ParseGraph(GptText(size).Write()).value(), PassOptions{}, ops).value().graph;
}

TrainingStep GptTrainingStep(const GptSize& size, TrainingOptions options) {
  options.loss = fmt::format("mse:x{}", size.layers);
  return MakeTrainingStep(GptModel(size), options, OpTable::BuiltIn()).value();
}

}  // namespace metadist
