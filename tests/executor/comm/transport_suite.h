// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "executor/comm/transport.h"

// Requirements on every transport, however it moves bytes: bodies that each rank of a group runs.
namespace metadist::transports {

// Every kind of step on arrays of `count` elements (and some of several dims), for every element
// type: each rank compares its result, bit by bit, with the expected one.
Result<void> CheckSteps(Transport& world, int64_t count);
// Several arrays moved together.
Result<void> CheckBundles(Transport& world);
// A ring that no sharding describes, and arrays sent from some ranks to others.
Result<void> CheckRing(Transport& world);
Result<void> CheckChannels(Transport& world);
// Numbers exchanged between ranks, and groups split from groups.
Result<void> CheckNumbers(Transport& world);
Result<void> CheckSplit(Transport& world);

}  // namespace metadist::transports
