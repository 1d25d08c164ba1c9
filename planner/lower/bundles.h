// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "metair/spmd/program.h"
#include "planner/redistribute/step_price.h"
#include "planner/space/redistribution.h"

namespace metadist {

// Combines steps of redistributions into bundles, each run as one collective
// (Redistribution::bundles), if that is faster by the prices. stage: lowered from the
// redistributions without bundles. Returns whether there are any bundles.
bool MakeBundles(const Stage& stage,
                 StepPricer& pricer,
                 std::vector<Redistribution>& redistributions);

// Moves the nodes of each bundle (attribute `bundle`) to the position of its last member. Errors:
// kBadInput for a bundle of different collectives, or if a member is read before the last one.
Result<void> JoinBundles(Stage& stage);

// Prices of a stage's bundles, each run as one collective.
class BundlePrices {
 public:
  BundlePrices(const Stage& stage, StepPricer& pricer);
  // Seconds of the node's bundle divided by those of its members one after the other; 1 for other
  // nodes.
  double ShareOf(NodeId node) const;

 private:
  std::map<NodeId, double> shares_;
};

}  // namespace metadist
