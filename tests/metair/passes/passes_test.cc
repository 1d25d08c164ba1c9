// SPDX-License-Identifier: Apache-2.0
#include "metair/passes/passes.h"

#include <gtest/gtest.h>

#include "metair/ir/text.h"
#include "metair/passes/infer_types.h"

namespace metadist {
namespace {

Graph Read(const std::string& body) {
  auto graph = ParseGraph("graph g opset 26 {\n" + body + "}\n");
  EXPECT_TRUE(graph.ok()) << graph.error().text();
  return std::move(graph).value();
}

// The body of the graph after one pass, or the error.
std::string After(const std::string& pass, const std::string& body) {
  PassOptions options = OnlyPasses({pass});
  options.verify = true;
  const auto done = RunPasses(Read(body), options, OpTable::BuiltIn());
  if (!done.ok()) return done.error().text();
  const std::string text = GraphText(done.value().graph);
  const size_t start = text.find('\n') + 1;
  return text.substr(start, text.size() - start - 2);
}

TEST(FoldConstants, EvaluatesShapeArithmetic) {
  EXPECT_EQ(After("fold_constants",
                  "  input %x: f32[2,3,4]\n"
                  "  constant %two: i64[1] = [2]\n"
                  "  %s: i64[3] = Shape(%x) @s\n"
                  "  %d: i64[1] = Gather(%s, %two) @d\n"
                  "  %m: i64[1] = Add(%d, %two) @m\n"
                  "  %y: f32[?] = Expand(%x, %s) @y\n"
                  "  output %y\n"
                  "  output %m\n"),
            "  input %x: f32[2,3,4]\n"
            "  constant %two: i64[1] = [2]\n"
            "  constant %s: i64[3] = [2, 3, 4]\n"
            "  constant %d: i64[1] = [4]\n"
            "  constant %m: i64[1] = [6]\n"
            "  %y: f32[2,3,4] = Expand(%x, %s) @y\n"
            "  output %y\n"
            "  output %m\n");
}

TEST(FoldConstants, LeavesParametersAndLargeResults) {
  const std::string body =
      "  parameter %w: f32[2] = ...\n"
      "  constant %big: i64[2] = [100000, 1000]\n"
      "  constant %one: f32[] = [1.0]\n"
      "  %a: f32[2] = Add(%w, %w) @a\n"
      "  %b: f32[100000,1000] = Expand(%one, %big) @b\n"
      "  output %a\n"
      "  output %b\n";
  EXPECT_EQ(After("fold_constants", body), body);
}

TEST(FoldConstants, ReportsAllNodesThatAreWrong) {
  EXPECT_EQ(InferTypesAndFold(Read("  input %x: f32[2]\n"
                                   "  input %y: f32[3]\n"
                                   "  %a: f32[] = Add(%x, %y) @a\n"
                                   "  %b: f32[] = Add(%a, %y) @b\n"
                                   "  %c: f32[] = Add(%y, %x) @c\n"
                                   "  output %c\n"),
                              OpTable::BuiltIn())
                .error()
                .also.size(),
            1u);
}

TEST(RemoveNoOps, DropsNodesThatChangeNothing) {
  EXPECT_EQ(After("remove_no_ops",
                  "  input %x: f32[2,3]\n"
                  "  constant %s: i64[2] = [2, 3]\n"
                  "  %a: f32[2,3] = Reshape(%x, %s) @a\n"
                  "  %b: f32[2,3] = Cast(%a) {to = 1} @b\n"
                  "  %c: f32[2,3] = Expand(%b, %s) @c\n"
                  "  %d: f32[2,3] = Transpose(%c) {perm = [0, 1]} @d\n"
                  "  %e: f32[2,3] = Concat(%d) {axis = 0} @e\n"
                  "  %f: f32[2,3] = Add(%e, %x) @f\n"
                  "  %y: f32[2,3] = Identity(%f) @y\n"
                  "  output %y\n"),
            "  input %x: f32[2,3]\n"
            "  %y: f32[2,3] = Add(%x, %x) @f\n"
            "  output %y\n");
}

TEST(RemoveNoOps, KeepsNodesThatChangeSomethingOrNameAnOutput) {
  const std::string body =
      "  input %x: f32[3,3]\n"
      "  constant %start: i64[1] = [2]\n"
      "  constant %end: i64[1] = [-9]\n"
      "  constant %axis: i64[1] = [0]\n"
      "  constant %step: i64[1] = [-1]\n"
      "  %a: f32[3,3] = Transpose(%x) {perm = [1, 0]} @a\n"
      "  %b: f32[3,3] = Slice(%a, %start, %end, %axis, %step) @b\n"
      "  %c: f32[3,3] = Transpose(%x) @c\n"
      "  %d: f32[3,3] = Add(%b, %c) @d\n"
      "  %y: f32[3,3] = Identity(%x) @y\n"
      "  output %d\n"
      "  output %y\n";
  EXPECT_EQ(After("remove_no_ops", body), body);
}

TEST(MergeEqualNodes, ComputesEqualExpressionsOnce) {
  EXPECT_EQ(After("merge_equal_nodes",
                  "  input %x: f32[2]\n"
                  "  constant %one: f32[] = [1.0]\n"
                  "  constant %uno: f32[] = [1.0]\n"
                  "  %a: f32[2] = Add(%x, %one) @a\n"
                  "  %b: f32[2] = Add(%x, %uno) @b\n"
                  "  %c: f32[2] = Mul(%a, %b) @c\n"
                  "  %d: f32[2] = Mul(%b, %a) @d\n"
                  "  output %c\n"
                  "  output %d\n"),
            "  input %x: f32[2]\n"
            "  constant %one: f32[] = [1.0]\n"
            "  %a: f32[2] = Add(%x, %one) @a\n"
            "  %c: f32[2] = Mul(%a, %a) @c\n"
            "  %d: f32[2] = Mul(%a, %a) @d\n"
            "  output %c\n"
            "  output %d\n");
}

TEST(MergeEqualNodes, AttributesMustBeEqual) {
  const std::string body =
      "  input %x: f32[2,2]\n"
      "  %a: f32[2,2] = Softmax(%x) {axis = 0} @a\n"
      "  %b: f32[2,2] = Softmax(%x) {axis = 1} @b\n"
      "  output %a\n"
      "  output %b\n";
  EXPECT_EQ(After("merge_equal_nodes", body), body);
}

TEST(RunPasses, UnknownNamesAreErrors) {
  PassOptions options;
  options.off = {"fold_constant"};
  const auto done = RunPasses(Graph(), options, OpTable::BuiltIn());
  EXPECT_EQ(done.error().text(),
            "unknown pass 'fold_constant'\n  hint: did you mean 'fold_constants'?");
  EXPECT_EQ(done.error().code, ErrorCode::kUsage);
}

TEST(RunPasses, FoldsUpToTheBytesThatOptionsName) {
  const Graph graph = Read(
      "  constant %a: f32[4] = [1.0, 2.0, 3.0, 4.0]\n"
      "  %b: f32[4] = Neg(%a) @b\n"
      "  output %b\n");
  PassOptions options = OnlyPasses({"fold_constants"});
  EXPECT_EQ(RunPasses(graph, options, OpTable::BuiltIn()).value().graph.nodes.size(), 0u);
  options.infer.fold_bytes = 15;
  EXPECT_EQ(RunPasses(graph, options, OpTable::BuiltIn()).value().graph.nodes.size(), 1u);
}

TEST(VerifyTypes, FindsTypesThatAreNotInferred) {
  const Graph graph = Read(
      "  input %x: f32[2]\n"
      "  %a: f32[3] = Neg(%x) @a\n"
      "  output %a\n");
  EXPECT_EQ(VerifyTypes(graph, OpTable::BuiltIn()).error().text(),
            "node 'a': Neg: 'a' must be f32[2], got f32[3]");
}

}  // namespace
}  // namespace metadist
