// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cli/session.h"
#include "profiles/cluster.h"

// The profile of this machine, kept between runs in $METADIST_CACHE_DIR (or
// $XDG_CACHE_HOME/metadist, or ~/.cache/metadist) under cpu.profile.json.
namespace metadist::cli {

std::string CpuProfilePath();

// Prices for `ranks` threads on this machine: read from the cache, and what is missing there
// measured quickly, with a word about it, and kept. Errors: kBadInput for an unreadable profile.
Result<std::shared_ptr<const Profile>> CpuProfile(Session& session, int ranks);

// What --cluster names; `cpu:N` takes the profile above.
Result<Cluster> FindCluster(Session& session, const std::string& spec);

// Today, ISO 8601.
std::string Today();

}  // namespace metadist::cli
