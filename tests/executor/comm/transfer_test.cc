// SPDX-License-Identifier: Apache-2.0
// Every pair of shardings of an array, executed on plain buffers, compared with slices of the whole
// array.
#include "executor/comm/transfer.h"

#include <gtest/gtest.h>

#include <numeric>

#include "metair/spmd/program.h"

namespace metadist {
namespace {

// Distinct integers, small enough to be exact in `element`.
Tensor Distinct(const TensorType& type) {
  std::vector<int64_t> values(static_cast<size_t>(NumElements(type.shape)));
  std::iota(values.begin(), values.end(), 1);
  return Tensor::Of<int64_t>(type.shape, values).Cast(type.element);
}

// The data of rank `rank` for `whole`: its part; under partial sums, the share of its coordinate
// (whole x (c + 1) for a sum, the part on one coordinate for other operations).
Tensor Hold(const Tensor& whole, const Sharding& sharding, const Mesh& mesh, int64_t rank) {
  const Tensor part = SliceLocal(whole, sharding, mesh, rank);
  int64_t factor = 1;
  const std::vector<int64_t> coordinate = mesh.CoordinateOf(rank);
  for (const Partial& partial : sharding.partial)
    factor *= coordinate[static_cast<size_t>(partial.axis)] + 1;
  std::vector<int64_t> values = part.ToInts();
  for (int64_t& value : values) value *= factor;
  return Tensor::Of<int64_t>(part.shape(), values).Cast(HeldType(whole.type(), sharding).element);
}

// The reduction of the shares along the given axes, as a multiple of the whole.
int64_t Combined(const std::vector<Partial>& partials, const Mesh& mesh) {
  int64_t factor = 1;
  for (const Partial& partial : partials) {
    int64_t sum = 0;
    for (int64_t c = 0; c < mesh.size(partial.axis); ++c) sum += c + 1;
    factor *= partial.op == ReduceOp::kMax   ? mesh.size(partial.axis)
              : partial.op == ReduceOp::kMin ? 1
                                             : sum;
  }
  return factor;
}

// Runs the step on all ranks sequentially, in the phases that meetings separate.
std::vector<Tensor> Execute(const CollectiveStep& step,
                            const Mesh& mesh,
                            const TensorType& type,
                            const std::vector<Tensor>& held) {
  const auto transfers = PlanTransfers(step, type, mesh);
  EXPECT_TRUE(transfers.ok());
  std::vector<Tensor> out;
  std::vector<void*> from;
  std::vector<void*> to;
  for (size_t r = 0; r < held.size(); ++r) {
    out.push_back(Tensor::Zeros({HeldType(type, step.to).element,
                                 LocalShape(type.shape, step.to, mesh, static_cast<int64_t>(r))}));
    from.push_back(const_cast<std::byte*>(held[r].bytes()));
  }
  for (Tensor& tensor : out) to.push_back(tensor.mutable_bytes());
  for (size_t r = 0; r < held.size(); ++r)
    RunTransfer(transfers.value()[r], static_cast<int64_t>(r), from, to[r]);
  for (size_t r = 0; r < held.size(); ++r)
    GatherSlices(transfers.value()[r], static_cast<int64_t>(r), to);
  for (size_t r = 0; r < held.size(); ++r)
    for (const Pull& pull : transfers.value()[r].pulls)
      for (int64_t source : pull.sources) {
        const auto& group = transfers.value()[r].group;
        EXPECT_NE(std::find(group.begin(), group.end(), source), group.end());
      }
  return out;
}

void Check(const Mesh& mesh,
           const TensorType& type,
           const std::string& from_text,
           const std::string& to_text,
           CollectiveKind kind = CollectiveKind::kExchange) {
  SCOPED_TRACE(MeshText(mesh) + " " + TypeText(type) + ": " + from_text + " -> " + to_text);
  CollectiveStep step;
  step.kind = kind;
  const auto from = ParseSharding(from_text, type.shape, mesh);
  const auto to = ParseSharding(to_text, type.shape, mesh);
  ASSERT_TRUE(from.ok()) << from.error().text();
  ASSERT_TRUE(to.ok()) << to.error().text();
  step.from = from.value();
  step.to = to.value();
  const Tensor whole = Distinct(type);
  std::vector<Tensor> held;
  for (int64_t r = 0; r < mesh.ranks(); ++r) held.push_back(Hold(whole, step.from, mesh, r));
  std::vector<Partial> reduced;
  for (const Partial& partial : step.from.partial)
    if (std::find(step.to.partial.begin(), step.to.partial.end(), partial) == step.to.partial.end())
      reduced.push_back(partial);
  const std::vector<Tensor> out = Execute(step, mesh, type, held);
  std::vector<int64_t> values = whole.ToInts();
  for (int64_t& value : values) value *= Combined(reduced, mesh);
  const Tensor result = Tensor::Of<int64_t>(type.shape, values).Cast(type.element);
  for (int64_t r = 0; r < mesh.ranks(); ++r)
    EXPECT_TRUE(Identical(out[static_cast<size_t>(r)], Hold(result, step.to, mesh, r)))
        << "rank " << r;
}

void CheckAllPairs(const std::string& mesh_text,
                   const Shape& shape,
                   const std::vector<std::string>& from,
                   const std::vector<std::string>& to) {
  const Mesh mesh = ParseMesh(mesh_text).value();
  for (const std::string& a : from)
    for (const std::string& b : to) Check(mesh, {ElementType::kF32, shape}, a, b);
}

TEST(Transfer, OneAxisEvenAndUneven) {
  for (const char* mesh : {"x=2", "x=3", "x=4"}) {
    const std::vector<std::string> to = {"[][]", "[x][]", "[][x]"};
    std::vector<std::string> from = to;
    from.insert(from.end(),
                {"[][] partial{sum: x}", "[][] partial{max: x}", "[][] partial{min: x}"});
    CheckAllPairs(mesh, {12, 24}, from, to);
    CheckAllPairs(mesh, {7, 5}, from, to);
  }
}

TEST(Transfer, TwoAxes) {
  const std::vector<std::string> cuts = {"[][]",
                                         "[x][]",
                                         "[y][]",
                                         "[][x]",
                                         "[][y]",
                                         "[x][y]",
                                         "[y][x]",
                                         "[x,y][]",
                                         "[y,x][]",
                                         "[][x,y]",
                                         "[][y,x]"};
  std::vector<std::string> from = cuts;
  from.insert(from.end(),
              {"[][] partial{sum: x}",
               "[y][] partial{sum: x}",
               "[][x] partial{sum: y}",
               "[][] partial{sum: x,y}"});
  CheckAllPairs("x=2,y=2", {8, 12}, from, cuts);
  CheckAllPairs("x=2,y=3", {12, 6}, from, cuts);
  CheckAllPairs("x=2,y=2", {7, 6}, from, cuts);  // uneven pieces that do not nest
  CheckAllPairs("x=2,y=3", {7, 11}, from, cuts);
}

TEST(Transfer, APartialThatStays) {
  CheckAllPairs("x=2,y=2",
                {8, 4},
                {"[][] partial{sum: x,y}", "[y][] partial{sum: x}"},
                {"[y][] partial{sum: x}", "[][] partial{sum: x}", "[][y] partial{sum: x}"});
}

TEST(Transfer, PartialSumsHeldInF32) {
  const Mesh mesh = ParseMesh("x=2,y=2").value();
  for (const ElementType element : {ElementType::kF16, ElementType::kBF16})
    for (const char* to : {"[][]", "[x][]", "[y][x]", "[][] partial{sum in f32: y}"})
      Check(mesh, {element, {5, 3}}, "[][] partial{sum in f32: x,y}", to);
  // Large enough to be reduced in slices.
  Check(mesh, {ElementType::kF16, {64, 80}}, "[][] partial{sum in f32: x,y}", "[][]");
  const TensorType type{ElementType::kF16, {5, 3}};
  CollectiveStep step{CollectiveKind::kPartial, {0}, {}, {}};
  step.from = ParseSharding("[][]", type.shape, mesh).value();
  step.to = ParseSharding("[][] partial{sum in f32: x}", type.shape, mesh).value();
  const Tensor whole = Distinct(type);
  const std::vector<Tensor> out = Execute(step, mesh, type, std::vector<Tensor>(4, whole));
  EXPECT_TRUE(Identical(out[0], whole.Cast(ElementType::kF32)));
  EXPECT_TRUE(Identical(out[3], Tensor::Zeros({ElementType::kF32, {5, 3}})));
}

TEST(Transfer, SubDimsAndParts) {
  const std::vector<std::string> placements = {"[(3 8:x)][]",
                                               "[x][]",
                                               "[][x]",
                                               "[][]",
                                               "[(8:x)+(16:x)][]",
                                               "[(12 2:x)][]",
                                               "[(7:x)+(17:x)][]"};
  CheckAllPairs("x=2", {24, 3}, placements, placements);
  CheckAllPairs("x=4",
                {24, 5},
                {"[(3 8:x)][]", "[x][]", "[][]", "[(8:x)+(16:x)][]"},
                {"[(3 8:x)][]", "[x][]", "[][]", "[(8:x)+(16:x)][]"});
  CheckAllPairs("x=2,y=2",
                {24, 4},
                {"[(3 8:x)][y]", "[(3:y 8:x)][]", "[][x,y]"},
                {"[(3 8:x)][y]", "[(3:y 8:x)][]", "[][x,y]", "[y,x][]"});
}

TEST(Transfer, Halos) {
  const Mesh mesh = ParseMesh("x=3").value();
  const TensorType type{ElementType::kF32, {11, 4}};
  for (const char* to : {"[x~1,2][]",
                         "[x~0,-1][]",
                         "[(9:x)~0,2][]",
                         "[(6:x 2)~1,0][]",
                         "[x~mirror][]",
                         "[x~1,2~mirror][]",
                         "[(5:x 2)~mirror][]",
                         "[x~1,2~around][]",
                         "[x~2,-2~around][]"})
    Check(mesh, type, "[x][]", to, CollectiveKind::kHalo);
  const Mesh square = ParseMesh("x=2,y=2").value();
  const TensorType image{ElementType::kF32, {7, 9}};
  Check(square, image, "[x][y]", "[x~1,1][(7:y)~0,2]", CollectiveKind::kHalo);
  Check(square, image, "[x][y]", "[x~mirror][y~2,1~around]", CollectiveKind::kHalo);
  Check(square, image, "[x][y]", "[x~1,1~around][y]", CollectiveKind::kHalo);
  Check(square, image, "[][x,y]", "[][x,y~mirror]", CollectiveKind::kHalo);
}

// Elements beyond a rank's own piece may have any value: its neighbours do not read them.
TEST(Transfer, HalosAreDroppedByWhoeverHasThem) {
  const Mesh mesh = ParseMesh("x=3").value();
  const TensorType type{ElementType::kF32, {11, 4}};
  CollectiveStep step{CollectiveKind::kSlice, {0}, {}, {}};
  step.from = ParseSharding("[x~1,2][]", type.shape, mesh).value();
  step.to = step.from.WithoutHalos();
  const Tensor whole = Distinct(type);
  std::vector<Tensor> held;
  for (int64_t rank = 0; rank < 3; ++rank) {
    Tensor own = Tensor::Zeros(type);
    PlaceLocal(SliceLocal(whole, step.to, mesh, rank), step.to, mesh, rank, own);
    held.push_back(SliceLocal(own, step.from, mesh, rank));
  }
  const auto transfers = PlanTransfers(step, type, mesh).value();
  const std::vector<Tensor> out = Execute(step, mesh, type, held);
  for (int64_t rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(transfers[static_cast<size_t>(rank)].local());
    EXPECT_TRUE(Identical(out[static_cast<size_t>(rank)], SliceLocal(whole, step.to, mesh, rank)));
  }
}

TEST(Transfer, LargeAllReduceWorksInSlices) {
  const Mesh mesh = ParseMesh("x=3").value();
  const TensorType type{ElementType::kF32, {61, 83}};
  CollectiveStep step{CollectiveKind::kAllReduce,
                      {0},
                      ParseSharding("[][] partial{sum: x}", type.shape, mesh).value(),
                      Sharding::Replicated(2)};
  EXPECT_TRUE(PlanTransfers(step, type, mesh).value()[0].slices);
  Check(mesh, type, "[][] partial{sum: x}", "[][]");
  Check(ParseMesh("x=2,y=3").value(), type, "[x][] partial{sum: y}", "[x][]");
  Check(ParseMesh("x=2,y=3").value(), type, "[][] partial{sum: x,y}", "[][]");
}

TEST(Transfer, EveryElementType) {
  const Mesh mesh = ParseMesh("x=2,y=2").value();
  for (ElementType element : {ElementType::kF64,
                              ElementType::kF16,
                              ElementType::kBF16,
                              ElementType::kI8,
                              ElementType::kI32,
                              ElementType::kI64,
                              ElementType::kU16}) {
    Check(mesh, {element, {5, 3}}, "[x][] partial{sum: y}", "[][y]");
    Check(mesh, {element, {5, 3}}, "[y,x][]", "[][x]");
  }
}

TEST(Transfer, Scalars) {
  const Mesh mesh = ParseMesh("x=3").value();
  Check(mesh, {ElementType::kF32, {}}, "scalar partial{sum: x}", "scalar");
}

std::vector<double> SpreadOn(const std::string& reduction, int64_t rank) {
  const Mesh mesh = ParseMesh("x=3").value();
  const TensorType type{ElementType::kF32, {2}};
  const std::string to = "[] partial{" + reduction + ": x}";
  CollectiveStep step{CollectiveKind::kPartial,
                      {0},
                      Sharding::Replicated(1),
                      ParseSharding(to, type.shape, mesh).value()};
  const Tensor whole = Distinct(type);
  return Execute(step, mesh, type, {whole, whole, whole})[static_cast<size_t>(rank)].ToDoubles();
}

TEST(Transfer, AWholeBecomesOperands) {
  using V = std::vector<double>;
  EXPECT_EQ(SpreadOn("sum", 0), (V{1, 2}));
  EXPECT_EQ(SpreadOn("sum", 2), (V{0, 0}));
  EXPECT_EQ(SpreadOn("prod", 1), (V{1, 1}));
  // An infinity would be outside the domain of operators through which a maximum passes.
  EXPECT_EQ(SpreadOn("max", 1), (V{1, 2}));
  EXPECT_EQ(SpreadOn("min", 2), (V{1, 2}));
}

TEST(Transfer, TakesFromTheNearestHolder) {
  const Mesh mesh = ParseMesh("x=2,y=2").value();
  const TensorType type{ElementType::kF32, {4}};
  CollectiveStep step{CollectiveKind::kAllGather,
                      {0},
                      ParseSharding("[x]", type.shape, mesh).value(),
                      Sharding::Replicated(1)};
  const auto transfers = PlanTransfers(step, type, mesh).value();
  EXPECT_EQ(transfers[3].group, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(transfers[0].group, (std::vector<int64_t>{0, 2}));
}

TEST(Transfer, APermuteReadsOneWholeBlockEach) {
  const Mesh mesh = ParseMesh("x=2,y=2,z=2").value();
  const TensorType type{ElementType::kF32, {8, 6}};
  constexpr CollectiveKind kPermute = CollectiveKind::kPermute;
  Check(mesh, type, "[x][y]", "[y][x]", kPermute);
  Check(mesh, type, "[x,y][]", "[z,x][]", kPermute);
  Check(mesh, type, "[x][] partial{sum: z}", "[y][] partial{sum: z}", kPermute);
  const CollectiveStep step{kPermute,
                            {0, 1},
                            ParseSharding("[x][]", type.shape, mesh).value(),
                            ParseSharding("[y][]", type.shape, mesh).value()};
  const auto transfers = PlanTransfers(step, type, mesh).value();
  std::vector<int> readers(8, 0);
  for (const Transfer& transfer : transfers) {
    ASSERT_EQ(transfer.pulls.size(), 1U);
    ASSERT_EQ(transfer.pulls[0].sources.size(), 1U);
    EXPECT_EQ(transfer.pulls[0].elements(), 24);
    ++readers[static_cast<size_t>(transfer.pulls[0].sources[0])];
  }
  EXPECT_EQ(readers, std::vector<int>(8, 1));
  EXPECT_EQ(transfers[2].group, (std::vector<int64_t>{0, 2, 4, 6}));
}

TEST(Transfer, RefusesTwoReductionsAtOnce) {
  const Mesh mesh = ParseMesh("x=2,y=2").value();
  const TensorType type{ElementType::kF32, {4}};
  CollectiveStep step{CollectiveKind::kAllReduce,
                      {0, 1},
                      ParseSharding("[] partial{sum: x; max: y}", type.shape, mesh).value(),
                      Sharding::Replicated(1)};
  EXPECT_EQ(PlanTransfers(step, type, mesh).error().message,
            "a step cannot reduce by two operations");
}

}  // namespace
}  // namespace metadist
