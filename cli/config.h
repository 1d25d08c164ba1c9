// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "metair/ir/result.h"

namespace metadist::cli {

// The source of the value of each long flag of a command: "flag", "environment", "config" or
// "default".
using Sources = std::map<std::string, std::string>;

// Sets flags that are given neither on the command line nor by METADIST_* from a TOML file. Keys,
// at top level or in a table named after the command, are long flags without dashes. Errors:
// those of ReadText; kUsage for an unknown key (with a suggestion) or a wrong value.
Result<Sources> ApplyConfig(CLI::App& command, const std::string& path);

// Every flag of the command with its value and source, as TOML readable by --config.
std::string EffectiveConfig(const CLI::App& command, const Sources& sources);

}  // namespace metadist::cli
