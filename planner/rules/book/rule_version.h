// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace metadist {

// Changes with the built-in kernels and with discovery: 16 hexadecimal digits over their sources.
// Rules found under another version are found anew.
extern const char kRuleVersion[];

}  // namespace metadist
