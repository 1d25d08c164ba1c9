// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "executor/comm/transport.h"

// What every transport must do, whatever carries its bytes: bodies that each rank of a group runs.
namespace metadist::transports {

// Every kind of step on arrays of `count` elements (and some of several dims), every element type:
// each rank compares what it got, bit by bit, with what it must hold.
Result<void> CheckSteps(Transport& world, int64_t count);
// Several arrays moved as one.
Result<void> CheckBundles(Transport& world);
// A ring that no sharding describes, and arrays handed from some ranks to others.
Result<void> CheckRing(Transport& world);
Result<void> CheckChannels(Transport& world);
// Numbers that ranks tell one another, and groups split from groups.
Result<void> CheckNumbers(Transport& world);
Result<void> CheckSplit(Transport& world);

}  // namespace metadist::transports
