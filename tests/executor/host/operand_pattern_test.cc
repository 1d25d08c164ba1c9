// SPDX-License-Identifier: Apache-2.0
#include "executor/host/operand_pattern.h"

#include <gtest/gtest.h>

#include <set>

namespace metadist {
namespace {

Sharding On(const Mesh& mesh, const Shape& shape, const std::string& text) {
  return ParseSharding(text, shape, mesh).value();
}

TEST(OperandPattern, AllElementsOfAllOperandsDiffer) {
  const Mesh mesh = ParseMesh("x=2,y=3").value();
  const TensorType type{ElementType::kF32, {6, 4}};
  const Sharding source = On(mesh, type.shape, "[x][] partial{sum: y}");
  std::set<int64_t> seen;
  for (const Tensor& tensor : OperandPattern(type, mesh, source.partial).Locals(source))
    for (int64_t value : tensor.ToInts()) seen.insert(value);
  EXPECT_EQ(seen.size(), 6U * 4 * 3);
}

// Compares with the reduction of the operands, computed element by element.
void CheckReduction(const std::string& op,
                    ElementType element,
                    int64_t start,
                    int64_t (*combine)(int64_t, int64_t)) {
  SCOPED_TRACE(op);
  const Mesh mesh = ParseMesh("x=2,y=3").value();
  const TensorType type{element, {7}};
  const Sharding source = On(mesh, type.shape, "[] partial{" + op + ": x,y}");
  const Sharding half = On(mesh, type.shape, "[] partial{" + op + ": x}");
  const OperandPattern pattern(type, mesh, source.partial);
  const std::vector<Tensor> operands = pattern.Locals(source);
  for (int64_t rank = 0; rank < 6; ++rank) {
    std::vector<int64_t> all(7, start);
    std::vector<int64_t> own(7, start);
    for (size_t r = 0; r < 6; ++r)
      for (size_t i = 0; i < 7; ++i) {
        const int64_t next = operands[r].ToInts()[i];
        all[i] = combine(all[i], next);
        if (static_cast<int64_t>(r) / 3 == rank / 3) own[i] = combine(own[i], next);
      }
    EXPECT_EQ(pattern.Local(Sharding::Replicated(1), rank).ToInts(), all);
    EXPECT_EQ(pattern.Local(half, rank).ToInts(), own);
  }
}

TEST(OperandPattern, KnowsWhatItsOperandsReduceTo) {
  CheckReduction("sum", ElementType::kF16, 0, [](int64_t a, int64_t b) { return a + b; });
  CheckReduction("prod", ElementType::kF32, 1, [](int64_t a, int64_t b) { return a * b; });
  CheckReduction("max", ElementType::kI32, -1, [](int64_t a, int64_t b) { return a > b ? a : b; });
  CheckReduction("min", ElementType::kU8, 999, [](int64_t a, int64_t b) { return a < b ? a : b; });
  CheckReduction("and", ElementType::kBool, 1, [](int64_t a, int64_t b) { return a & b; });
  CheckReduction("or", ElementType::kI64, 0, [](int64_t a, int64_t b) { return a | b; });
}

TEST(OperandPattern, PaddingLeavesResultsAlone) {
  const Mesh mesh = ParseMesh("x=2").value();
  const TensorType padded{ElementType::kF32, {2, 4}};
  const Sharding cut = On(mesh, padded.shape, "[][x]");
  const OperandPattern plain(padded, mesh, {}, {2, 3});
  EXPECT_EQ(plain.Local(cut, 0).ToInts(), (std::vector<int64_t>{1, 2, 4, 5}));
  EXPECT_EQ(plain.Local(cut, 1).ToInts(), (std::vector<int64_t>{3, 0, 6, 0}));
  const Sharding product = On(mesh, padded.shape, "[][] partial{prod: x}");
  EXPECT_EQ(OperandPattern(padded, mesh, product.partial, {2, 3}).Local(product, 0).ToInts()[3], 1);
}

TEST(OperandPattern, Scalars) {
  const Mesh mesh = ParseMesh("x=2").value();
  EXPECT_EQ(OperandPattern({ElementType::kF32, {}}, mesh, {{0, ReduceOp::kSum}})
                .Local(Sharding::Replicated(0), 1)
                .ToInts(),
            (std::vector<int64_t>{3}));
}

}  // namespace
}  // namespace metadist
