// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace metadist::cli {

// Returns add(usage, value, help), which declares an option of the command: "--mesh M" is --mesh,
// and its help calls the value M.
inline auto OptionsOf(CLI::App& command) {
  return [&command](const std::string& usage, auto& value, const std::string& help) {
    const size_t space = usage.find(' ');
    return command.add_option(usage.substr(0, space), value, help)
        ->type_name(usage.substr(space + 1));
  };
}

}  // namespace metadist::cli
