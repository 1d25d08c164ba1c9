// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cli/session.h"
#include "profiles/cluster.h"

namespace metadist::cli {

// Prices for `ranks` threads on this machine: those of the file that METADIST_CPU_PROFILE names, or
// those that are kept between runs. What is missing there is measured quickly, with a word about
// it, and kept in $METADIST_CACHE_DIR (or $XDG_CACHE_HOME/metadist, or ~/.cache/metadist), in a
// file for each kind of processor, number of cores and version of the program. Of several programs
// that want it one measures and the others wait. Errors: kBadInput for a file of
// METADIST_CPU_PROFILE that cannot be read or has too few ranks; those of MeasureCpu.
Result<std::shared_ptr<const Profile>> CpuProfile(Session& session, int ranks);

// What --cluster names; `cpu:N` takes the profile above.
Result<Cluster> FindCluster(Session& session, const std::string& spec);

// Today, ISO 8601.
std::string Today();

}  // namespace metadist::cli
