// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/result.h"
#include "metair/ops/op_def.h"

namespace metadist {

// The operators of a shared library with the interface of metadist_op.h. The library runs code of
// its own as soon as it is opened, and stays open until the process ends.
// Errors: kBadInput naming the library and operator: it cannot be opened, lacks the function, is of
// another version, or an operator lacks a name, a domain, shapes or a kernel; all that is wrong.
Result<std::vector<OpDef>> OpenOpLibrary(const std::string& path);

// Hash of a library's file, as far as it can be read: 16 hexadecimal digits.
std::string OpLibraryFingerprint(const std::string& path);

// Runs the kernel of such an operator on arrays of the caller's: inputs of compute types, results
// zero-filled, as large as their types in compute types. Errors: kBadInput, its refusal.
Result<void> RunForeignKernel(const OpCall& call,
                              std::span<const Tensor> inputs,
                              std::span<void* const> results);

}  // namespace metadist
