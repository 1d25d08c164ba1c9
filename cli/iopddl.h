// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace metadist::cli {

// True if the program was called by the contest's name, `iopddl`, a link to metadist.
bool CalledAsIopddl(const char* program);

// `iopddl FILE SECONDS`, the interface of the ASPLOS/EuroSys 2025 contest: prints the best choice
// found as the last line of stdout, `[]` if there is none, before SECONDS of wall time have passed,
// including reading.  Exit status as `metadist solve`.
int RunIopddl(int argc, char** argv);

}  // namespace metadist::cli
