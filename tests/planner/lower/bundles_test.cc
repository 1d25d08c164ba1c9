// SPDX-License-Identifier: Apache-2.0
#include "planner/lower/bundles.h"

#include <gtest/gtest.h>

#include "planner/redistribute/step_price.h"
#include "profiles/cluster.h"

namespace metadist {
namespace {

// x sharded along both axes, and a program on copies of it.
class Bundles : public testing::Test {
 protected:
  Bundles() {
    stage_.mesh = ParseMesh("a=2,b=2").value();
    x_ = Value("x", ValueKind::kInput, "[a]");
  }

  ValueId Value(const std::string& name, ValueKind kind, const char* sharding) {
    stage_.shardings.push_back(ParseSharding(sharding, {64}, stage_.mesh).value());
    return stage_.graph.AddValue({name, {ElementType::kF32, {64}}, kind, {}, kNone});
  }

  ValueId Apply(const char* op, ValueId input, const char* sharding) {
    const std::string name = "v" + std::to_string(stage_.graph.values.size());
    const ValueId out = Value(name, ValueKind::kResult, sharding);
    stage_.graph.AddNode({"n" + name, "", op, {}, {input}, {out}, {}});
    return out;
  }

  ValueId Collective(CollectiveKind kind, ValueId input, const char* axis, const char* sharding) {
    const ValueId out = Apply(std::string(Name(kind)).c_str(), input, sharding);
    Node& node = stage_.graph.nodes.back();
    node.domain = kCollectiveDomain;
    node.attributes.set("axes", std::vector<std::string>{axis});
    return out;
  }
  ValueId Gather(ValueId input) { return Collective(CollectiveKind::kAllGather, input, "a", "[]"); }

  // The bundle of every collective in program order.
  std::vector<int> Made() {
    const Cluster cluster = MakeCluster("4xh100", BuiltinProfile("h100").value(), 1, 4);
    StepPricer pricer(stage_.mesh, cluster);
    std::vector<Redistribution> all;
    for (size_t n = 0; n < stage_.graph.nodes.size(); ++n)
      if (CollectiveOf(stage_.graph.nodes[n])) {
        all.emplace_back();
        all.back().steps.push_back(StepOf(stage_, static_cast<NodeId>(n)));
      }
    MakeBundles(stage_, pricer, all);
    std::vector<int> out;
    for (const Redistribution& one : all) out.push_back(one.bundles.at(0));
    return out;
  }

  Result<void> Join(const std::vector<NodeId>& nodes) {
    for (NodeId id : nodes) stage_.graph.node(id).attributes.set(kBundleAttribute, int64_t{0});
    return JoinBundles(stage_);
  }

  std::string Order() const {
    std::string out;
    for (const Node& node : stage_.graph.nodes) out += node.name + " ";
    return out;
  }

  Stage stage_;
  ValueId x_ = kNone;
};

// A halo that an operator produces is dropped by its route, not by the operator.
TEST_F(Bundles, DroppingAHaloIsAStepOfItsRoute) {
  const ValueId made = Apply("Compute", x_, "[a~1,1]");
  Collective(CollectiveKind::kSlice, made, "a", "[a]");
  EXPECT_EQ(Made(), (std::vector<int>{-1}));
}

TEST_F(Bundles, CollectivesThatNobodyReadsYetTravelTogether) {
  const ValueId p = Apply("Compute", x_, "[a]");
  const ValueId q = Gather(p);
  const ValueId r = Gather(Apply("Compute", x_, "[a]"));
  Apply("Use", q, "[]");
  Apply("Use", r, "[]");
  EXPECT_EQ(Made(), (std::vector<int>{0, 0}));
}

TEST_F(Bundles, WhatIsReadInBetweenDoesNotWait) {
  const ValueId q = Gather(x_);
  Apply("Use", q, "[]");
  Gather(Apply("Compute", x_, "[a]"));
  EXPECT_EQ(Made(), (std::vector<int>{-1, -1}));
}

TEST_F(Bundles, AResultIsNoMemberOfItsOwnBundle) {
  const ValueId q = Gather(x_);
  Gather(Collective(CollectiveKind::kSlice, q, "a", "[a]"));
  EXPECT_EQ(Made(), (std::vector<int>{-1, -1, -1}));
}

TEST_F(Bundles, OtherKindsAndAxesStayApart) {
  Gather(x_);
  Collective(CollectiveKind::kAllGather, Apply("Compute", x_, "[b]"), "b", "[]");
  Collective(CollectiveKind::kAllReduce, Apply("Compute", x_, "[] partial{sum: a}"), "a", "[]");
  EXPECT_EQ(Made(), (std::vector<int>{-1, -1, -1}));
}

TEST_F(Bundles, MembersMoveToTheLast) {
  Gather(x_);                               // v1
  const ValueId c = Apply("C", x_, "[a]");  // v2
  Gather(c);                                // v3
  Apply("Use", c, "[a]");                   // v4
  ASSERT_TRUE(Join({0, 2}).ok());
  EXPECT_EQ(Order(), "nv2 nv1 nv3 nv4 ");
  const Graph& graph = stage_.graph;
  for (const metadist::Value& value : graph.values)
    if (value.producer != kNone) {
      EXPECT_EQ(graph.node(value.producer).name, "n" + value.name);
    }
}

TEST_F(Bundles, AMemberThatIsReadTooEarlyIsRefused) {
  Apply("Use", Gather(x_), "[]");
  Gather(x_);
  EXPECT_EQ(Join({0, 2}).error().message, "'nv2' reads what the bundle makes");
}

TEST_F(Bundles, MembersThatDifferAreRefused) {
  Gather(x_);
  Collective(CollectiveKind::kAllReduce, Apply("C", x_, "[] partial{sum: a}"), "a", "[]");
  EXPECT_EQ(Join({0, 2}).error().message, "'nv1' and 'nv3' are not alike");
}

}  // namespace
}  // namespace metadist
