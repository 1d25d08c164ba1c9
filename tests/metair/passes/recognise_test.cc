// SPDX-License-Identifier: Apache-2.0
// Passes that recognise operators which exporters write as several nodes.
#include <gtest/gtest.h>

#include "metair/ir/text.h"
#include "metair/passes/passes.h"

namespace metadist {
namespace {

// The nodes of the graph after one pass, one per line.
std::string NodesAfter(const std::string& pass, const std::string& body) {
  auto graph = ParseGraph("graph g opset 26 {\n" + body + "}\n");
  if (!graph.ok()) {
    ADD_FAILURE() << graph.error().text();
    return "";
  }
  PassOptions options = OnlyPasses({pass});
  options.verify = true;
  const auto done = RunPasses(graph.value(), options, OpTable::BuiltIn());
  if (!done.ok()) {
    ADD_FAILURE() << done.error().text();
    return "";
  }
  std::string text;
  for (const Node& node : done.value().graph.nodes)
    text += NodeText(done.value().graph, node) + "\n";
  return text;
}

constexpr char kConstants[] =
    "  input %x: f32[2,3]\n"
    "  constant %root: f32[] = [1.41421354]\n"
    "  constant %one: f32[1] = [1.0]\n"
    "  constant %half: f32[] = [0.5]\n"
    "  constant %two_over_pi: f32[] = [0.797884583]\n"
    "  constant %cubic: f32[] = [0.0447149985]\n"
    "  constant %three: f32[] = [3.0]\n";

std::string Gelu(const std::string& body) {
  return NodesAfter("recognise_gelu", kConstants + body);
}

constexpr char kErf[] =
    "  %d: f32[2,3] = Div(%x, %root) @d\n"
    "  %e: f32[2,3] = Erf(%d) @e\n"
    "  %s: f32[2,3] = Add(%e, %one) @s\n";
constexpr char kTanh[] =
    "  %c: f32[2,3] = Pow(%x, %three) @c\n"
    "  %k: f32[2,3] = Mul(%cubic, %c) @k\n"
    "  %i: f32[2,3] = Add(%x, %k) @i\n"
    "  %m: f32[2,3] = Mul(%i, %two_over_pi) @m\n"
    "  %t: f32[2,3] = Tanh(%m) @t\n"
    "  %s: f32[2,3] = Add(%one, %t) @s\n";

TEST(RecogniseGelu, ByErfWithTheFactorsInAnyOrder) {
  const std::string erf = kErf;
  for (const std::string products :
       {"  %p: f32[2,3] = Mul(%x, %s) @p\n  %y: f32[2,3] = Mul(%p, %half) @y\n",
        "  %p: f32[2,3] = Mul(%half, %s) @p\n  %y: f32[2,3] = Mul(%p, %x) @y\n",
        "  %p: f32[2,3] = Mul(%x, %half) @p\n  %y: f32[2,3] = Mul(%p, %s) @y\n"})
    EXPECT_EQ(Gelu(erf + products + "  output %y\n"), "%y: f32[2,3] = Gelu(%x) @y\n") << products;
}

TEST(RecogniseGelu, ByTanh) {
  EXPECT_EQ(Gelu(std::string(kTanh) + "  %p: f32[2,3] = Mul(%x, %half) @p\n"
                                      "  %y: f32[2,3] = Mul(%p, %s) @y\n"
                                      "  output %y\n"),
            "%y: f32[2,3] = Gelu(%x) {approximate = \"tanh\"} @y\n");
}

TEST(RecogniseGelu, NotWhereAFactorIsMissingOrAnother) {
  for (const std::string products :
       {"  %y: f32[2,3] = Mul(%x, %s) @y\n",                                       // no half
        "  %p: f32[2,3] = Mul(%x, %s) @p\n  %y: f32[2,3] = Mul(%p, %three) @y\n",  // 3
        "  %p: f32[2,3] = Mul(%s, %s) @p\n  %y: f32[2,3] = Mul(%p, %half) @y\n",   // squared
        "  %p: f32[2,3] = Mul(%d, %s) @p\n  %y: f32[2,3] = Mul(%p, %half) @y\n"})  // x / sqrt 2
    EXPECT_EQ(Gelu(kErf + products + "  output %y\n").find("Gelu"), std::string::npos) << products;
}

TEST(RecogniseGelu, NotWhereAPartIsReadElsewhere) {
  EXPECT_EQ(Gelu(std::string(kErf) + "  %p: f32[2,3] = Mul(%x, %s) @p\n"
                                     "  %y: f32[2,3] = Mul(%p, %half) @y\n"
                                     "  output %y\n"
                                     "  output %p\n")
                .find("Gelu"),
            std::string::npos);
}

TEST(RecogniseGelu, NotWhereAConstantIsOff) {
  std::string body = std::string(kConstants) + kErf +
                     "  %p: f32[2,3] = Mul(%x, %s) @p\n"
                     "  %y: f32[2,3] = Mul(%p, %half) @y\n"
                     "  output %y\n";
  body.replace(body.find("1.41421354"), 10, "1.41521354");
  EXPECT_EQ(NodesAfter("recognise_gelu", body).find("Gelu"), std::string::npos);
}

TEST(ResolveTypes, AConversionNamesItsType) {
  EXPECT_EQ(NodesAfter("resolve_types",
                       "  input %x: f32[2]\n"
                       "  input %like: i64[4]\n"
                       "  %y: i64[2] = CastLike(%x, %like) @y\n"
                       "  output %y\n"),
            "%y: i64[2] = Cast(%x) {to = 7} @y\n");
}

TEST(DropZeroBias, OnlyZeros) {
  const std::string body =
      "  input %x: f32[2,3]\n"
      "  parameter %w: f32[3,2] = ...\n"
      "  constant %zero: f32[2] = [0.0, 0.0]\n"
      "  constant %bias: f32[2] = [0.0, 1.0]\n"
      "  %y: f32[2,2] = Gemm(%x, %w, %zero) @y\n"
      "  %z: f32[2,2] = Gemm(%x, %w, %bias) @z\n"
      "  output %y\n"
      "  output %z\n";
  EXPECT_EQ(NodesAfter("drop_zero_bias", body),
            "%y: f32[2,2] = Gemm(%x, %w) @y\n"
            "%z: f32[2,2] = Gemm(%x, %w, %bias) @z\n");
}

}  // namespace
}  // namespace metadist
