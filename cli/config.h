// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "metair/ir/result.h"

namespace metadist::cli {

// Where the value of each long flag of a command came from: "flag", "environment", "config",
// "default".
using Sources = std::map<std::string, std::string>;

// Fills flags that neither the command line nor METADIST_* gave from a TOML file: keys at top
// level, or in a table of the command's name, are long flags without dashes. Errors: kBadInput for
// an unreadable file, kUsage for an unknown key (with a suggestion) or a wrong value.
Result<Sources> ApplyConfig(CLI::App& command, const std::string& path);

// Every flag of the command with its value and source, as TOML that --config reads.
std::string EffectiveConfig(const CLI::App& command, const Sources& sources);

}  // namespace metadist::cli
