// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "executor/comm/messenger.h"
#include "executor/comm/site.h"
#include "executor/comm/transport.h"

namespace metadist {

// Ranks that measure together, each placed as in a program: threads of this process, or this
// process and others. Of processes, all go through the same measurements; the first decides.
class Team {
 public:
  virtual ~Team() = default;

  // Whether this process decides what is measured, and keeps the results.
  virtual bool leads() const = 0;
  // Where the first ranks run. Known to the process that leads.
  virtual std::vector<Site> Sites(int ranks) const = 0;
  // Calls work(world) on each of the first `ranks` ranks at once, if the leader wants that; others
  // rest. What fails on one fails on all. Errors: those of the work; kDevice.
  virtual Result<void> Work(bool wanted,
                            int ranks,
                            const std::function<Result<void>(Transport&)>& work) = 0;
};

std::unique_ptr<Team> MakeThreadTeam();
// sites: of all processes, by rank; of ranks that do not lead nothing.
std::unique_ptr<Team> MakeProcessTeam(Messenger& processes, std::vector<Site> sites);

}  // namespace metadist
