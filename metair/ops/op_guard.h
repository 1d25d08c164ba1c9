// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/result.h"
#include "metair/ops/child_process.h"
#include "metair/ops/op_def.h"

namespace metadist {

// The operators of a shared library (metadist_op.h), whose code runs in a separate process; only
// results reach this one. A function that crashes, needs more memory than allowed, throws, or
// writes to its inputs gives an error of code kDevice, one that takes too long of code kTimeLimit;
// the message names the call. The next call uses a new process. If `domains` or `flops` fail this
// way, they count as omitted; CodeFault tells. The process lives until this one ends. The caller's
// process must have no other thread. Errors: as OpenOpLibrary; kDevice if no process can be
// started.
Result<std::vector<OpDef>> GuardOpLibrary(const std::string& path, const ChildLimits& limits = {});

// A fingerprint of such an operator's code: its library's hash. Empty for other operators.
std::string CodeFingerprint(const OpDef& op);

// Why a question to such an operator's code, other than a run of its kernel, had no answer: `the
// shape function took more than 2 seconds at f32[4]`. Empty if all had one. Of several reasons the
// first by text, whatever the order of questions. Thread-safe.
std::string CodeFault(const OpDef& op);

}  // namespace metadist
