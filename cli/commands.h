// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/session.h"

// One function per command, in the file named after it: declares the flags and sets session.action.
namespace metadist::cli {

#define COMMAND(name) void Add##name(CLI::App& app, Session& session);
#include "cli/commands.def"
#undef COMMAND

}  // namespace metadist::cli
