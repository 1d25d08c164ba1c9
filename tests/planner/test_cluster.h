// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "profiles/cluster.h"

namespace metadist {

// One node of `devices` built-in GPUs: prices that need no measurement and are the same on every
// machine.
inline Cluster TestCluster(int devices) {
  return MakeCluster("test", BuiltinProfile("h100").value(), 1, devices);
}

}  // namespace metadist
