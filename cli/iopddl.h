// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace metadist::cli {

// Whether the program was called by the contest's name: `iopddl`, a link to metadist.
bool CalledAsIopddl(const char* program);

// `iopddl FILE SECONDS`, the interface of the ASPLOS/EuroSys 2025 contest: the last line of stdout
// is the best choice found, `[]` if there is none, before SECONDS of wall time have passed, reading
// included.  Exit status as `metadist solve`.
int RunIopddl(int argc, char** argv);

}  // namespace metadist::cli
