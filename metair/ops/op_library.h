// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/result.h"
#include "metair/ops/op_def.h"

namespace metadist {

// The operators of a shared library with the interface of metadist_op.h. Opening the library runs
// code of it; it stays open until the process ends. Errors: kBadInput naming the library and
// operator, with all problems: the library cannot be opened, lacks the function or has another
// version, or an operator lacks a name, a domain, shapes or a kernel.
Result<std::vector<OpDef>> OpenOpLibrary(const std::string& path);

// Hash of a library's file, of the part that can be read: 16 hexadecimal digits.
std::string OpLibraryFingerprint(const std::string& path);

// Runs the kernel of such an operator on the caller's arrays: inputs in compute types, results
// zero-filled and sized for their compute types. Errors: kBadInput if the kernel rejects the call.
Result<void> RunForeignKernel(const OpCall& call,
                              std::span<const Tensor> inputs,
                              std::span<void* const> results);

}  // namespace metadist
