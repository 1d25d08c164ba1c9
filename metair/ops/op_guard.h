// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/result.h"
#include "metair/ops/child_process.h"
#include "metair/ops/op_def.h"

namespace metadist {

// The operators of a shared library (metadist_op.h) whose code runs in a process of its own, of
// which this one sees results only. A function that crashes, needs more memory than allowed,
// throws, or writes to its inputs is an error of code kDevice, one that takes longer of code
// kTimeLimit, that says so and at which call; the next call finds a new process. `domains` and
// `flops` that do so count as left out. The process lives until this one ends. The caller's process
// must have no other thread. Errors: as OpenOpLibrary; kDevice if there can be no process.
Result<std::vector<OpDef>> GuardOpLibrary(const std::string& path, const ChildLimits& limits = {});

// What changes with the code of such an operator: its library's hash. Empty for others.
std::string CodeFingerprint(const OpDef& op);

}  // namespace metadist
