// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cli/session.h"
#include "profiles/cluster.h"

namespace metadist::cli {

// Prices for `ranks` threads on this machine: from the file that METADIST_CPU_PROFILE names, or
// from the cache. Missing parts are measured quickly, which is logged, and stored in
// $METADIST_CACHE_DIR (or $XDG_CACHE_HOME/metadist, or ~/.cache/metadist), in one file per kind of
// processor, number of cores and program version. If several programs need it, one measures and the
// others wait. Errors: kBadInput if the file of METADIST_CPU_PROFILE cannot be read or has too few
// ranks; those of MeasureCpu.
Result<std::shared_ptr<const Profile>> CpuProfile(Session& session, int ranks);

// The cluster for the value of --cluster; `cpu:N` uses the profile above.
Result<Cluster> FindCluster(Session& session, const std::string& spec);

// The current date, ISO 8601.
std::string Today();

}  // namespace metadist::cli
