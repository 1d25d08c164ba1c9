// SPDX-License-Identifier: Apache-2.0
// The bytes of activations that a layer of a transformer keeps for its backward pass, against the
// published formulas.
//
// Source: Korthikanti et al. 2022, "Reducing activation recomputation in large transformer models"
// (arXiv 2205.05198), section 4, with s tokens in a sequence, b sequences, width h, a heads, t
// ranks, 16-bit elements. Per layer: 34 sbh + 5 a s^2 b; with tensor parallelism the terms inside
// attention and perceptron are divided by t, and what lies between them, 10 sbh, is not; with
// sequence parallelism all are; fully recomputed, 2 sbh. Exported models have no dropout. Without
// it the masks of the two outputs (1 sbh each) and that of attention (a s^2 b) are not there, and
// the softmax is its own dropped result (2 a s^2 b): 32 sbh + 2 a s^2 b, and 8 sbh undivided.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "metair/passes/passes.h"
#include "metair/training/recompute.h"
#include "planner/planner.h"
#include "tests/planner/gpt_model.h"
#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

const OpTable& Ops() { return OpTable::BuiltIn(); }

constexpr int kRanks = 4;
const GptSize kSize{.batch = 2,
                    .sequence = 512,
                    .width = 1024,
                    .heads = 16,
                    .head = 64,
                    .vocabulary = 512,
                    .element = "f16"};

class ActivationBytes : public testing::Test {
 protected:
  // Of one rank, at the peak. leanest: of the plan with the least peak, else of the fastest.
  double Activations(int layers, const char* plan_template, int64_t recomputed, bool leanest) {
    GptSize size = kSize;
    size.layers = layers;
    const Graph made = GptTrainingStep(size).graph;
    const Graph step = Recomputed(RunPasses(made, PassOptions{}, Ops()).value().graph, recomputed);
    PlanRequest request;
    request.graph = &step;
    request.ops = &Ops();
    request.rules = &rules_;
    request.mesh = Mesh{{{"model", kRanks}}};
    request.cluster = TestCluster(kRanks);
    request.alternatives = false;
    request.plan_template = ParseTemplate(plan_template).value();
    LeastMemory least;
    if (leanest) {
      request.memory_limit_bytes = 1;
      request.least = &least;
      EXPECT_FALSE(MakePlan(request).ok());
      request.memory_limit_bytes = least.bytes;
    }
    return static_cast<double>(MakePlan(request).value().plan.prediction.memory.activations);
  }

  // Of a layer: what more layers add.
  double OfLayer(const char* plan_template, int64_t recomputed = 0, bool leanest = false) {
    const int few = leanest ? 3 : 6, many = few + 2;
    return (Activations(many, plan_template, recomputed, leanest) -
            Activations(few, plan_template, recomputed, leanest)) /
           (many - few);
  }

  static constexpr double kTolerance = 0.05;
  const double s_ = kSize.sequence, b_ = kSize.batch, h_ = kSize.width, a_ = kSize.heads;
  const double sbh_ = s_ * b_ * h_;
  const double scores_ = a_ * s_ * s_ * b_;
  RuleBook rules_{Ops()};
};

TEST_F(ActivationBytes, OfALayer) {
  const double expected = 32 * sbh_ + 2 * scores_;
  EXPECT_NEAR(OfLayer("replicate") / expected, 1, kTolerance);
}

TEST_F(ActivationBytes, OfTensorParallelism) {
  const double expected = sbh_ * (8 + 24.0 / kRanks) + 2 * scores_ / kRanks;
  EXPECT_NEAR(OfLayer("megatron") / expected, 1, kTolerance);
}

TEST_F(ActivationBytes, OfSequenceParallelism) {
  const double expected = (32 * sbh_ + 2 * scores_) / kRanks;
  EXPECT_NEAR(OfLayer("megatron+sp", 0, /*leanest=*/true) / expected, 1, kTolerance);
}

TEST_F(ActivationBytes, OfFullRecomputation) {
  EXPECT_NEAR(OfLayer("replicate", kAllBlocks) / (2 * sbh_), 1, kTolerance);
  EXPECT_NEAR(OfLayer("megatron", kAllBlocks) / (2 * sbh_), 1, kTolerance);
  EXPECT_NEAR(
      OfLayer("megatron+sp", kAllBlocks, /*leanest=*/true) / (2 * sbh_ / kRanks), 1, kTolerance);
}

}  // namespace
}  // namespace metadist
