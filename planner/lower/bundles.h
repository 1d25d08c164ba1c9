// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "metair/spmd/program.h"
#include "planner/redistribute/step_price.h"
#include "planner/space/redistribution.h"

namespace metadist {

// Puts steps of the redistributions that can travel together into bundles
// (Redistribution::bundles), where the prices say that this is faster. stage: lowered from the
// redistributions without bundles. Returns whether there are any.
bool MakeBundles(const Stage& stage,
                 StepPricer& pricer,
                 std::vector<Redistribution>& redistributions);

// Moves the nodes of each bundle (attribute `bundle`) to where the last of them stands.
// Errors: kBadInput for a bundle of different collectives, or one of which a member is read before
// the last one stands.
Result<void> JoinBundles(Stage& stage);

// What the members of a stage's bundles take, done as one.
class BundlePrices {
 public:
  BundlePrices(const Stage& stage, StepPricer& pricer);
  // Seconds of the node's bundle by those of its members one after the other; 1 for other nodes.
  double ShareOf(NodeId node) const;

 private:
  std::map<NodeId, double> shares_;
};

}  // namespace metadist
