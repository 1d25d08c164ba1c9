// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/session.h"
#include "importers/importer.h"
#include "metair/passes/passes.h"

// Flags shared by commands that read a model.
namespace metadist::cli {

struct ModelFlags {
  std::string path;
  std::vector<std::string> binds;         // "batch=8"
  std::vector<std::string> passes_off;    // names
  std::vector<std::string> op_libraries;  // files
  bool strict = false;
};

// Declares MODEL (required unless `optional`), --bind, --strict, --no-pass and --op-library.
void AddModelFlags(CLI::App& command, Session& session, ModelFlags& flags, bool optional = false);

struct LoadedModel {
  Imported imported;  // graph: after the passes
  std::map<std::string, int64_t> binds;
  std::vector<PassReport> passes;
  // The built-in operators and those of the libraries, whose code runs in separate processes.
  std::shared_ptr<const OpTable> ops;
  std::vector<std::string> op_libraries;
  double seconds = 0;
};

// Imports the model, runs the passes and prints warnings. Must be called while there is no other
// thread. Errors as ImportModel.
Result<LoadedModel> LoadModel(const Session& session, const ModelFlags& flags);

// The operators for running the model: code of libraries runs in this process. Errors: kBadInput.
Result<std::shared_ptr<const OpTable>> OperatorsToRun(const std::vector<std::string>& libraries);

// "batch=8" pairs. Errors: kUsage.
Result<std::map<std::string, int64_t>> ParseBinds(const std::vector<std::string>& binds);

}  // namespace metadist::cli
