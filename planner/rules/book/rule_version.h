// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace metadist {

// A hash of the sources of the built-in kernels and of discovery: 16 hexadecimal digits. Rules
// found under another version are discovered again.
extern const char kRuleVersion[];

}  // namespace metadist
