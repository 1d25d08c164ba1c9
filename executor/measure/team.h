// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "executor/comm/messenger.h"
#include "executor/comm/site.h"
#include "executor/comm/transport.h"

namespace metadist {

// Ranks that measure together, each placed as in a program: threads of this process, or several
// processes. All processes make the same calls; the first one decides what is measured.
class Team {
 public:
  virtual ~Team() = default;

  // Whether this process decides what is measured, and keeps the results.
  virtual bool leads() const = 0;
  // Where the first `ranks` ranks run. For the process that leads.
  virtual std::vector<Site> Sites(int ranks) const = 0;
  // Calls work(world) on the first `ranks` ranks at the same time, if the process that leads passes
  // `wanted`; the other ranks wait. An error of one rank ends all. Errors: those of the work;
  // kDevice.
  virtual Result<void> Work(bool wanted,
                            int ranks,
                            const std::function<Result<void>(Transport&)>& work) = 0;
};

std::unique_ptr<Team> MakeThreadTeam();
// sites: where the processes run, by rank; only needed by the process that leads.
std::unique_ptr<Team> MakeProcessTeam(Messenger& processes, std::vector<Site> sites);

}  // namespace metadist
