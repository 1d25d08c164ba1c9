// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/session.h"
#include "importers/importer.h"
#include "metair/passes/passes.h"
#include "metair/training/training.h"

// Flags shared by commands that read a model.
namespace metadist::cli {

// How the model is trained, if at all: --train and what goes with it.
struct TrainFlags {
  std::string optimizer;  // empty: inference
  std::string loss;
  std::vector<std::string> trainable;
  std::string learning_rate;
  std::string betas;
  std::string epsilon;
  std::string weight_decay;
  std::string momentum;
  std::string clip;
  std::string recompute;
  std::string micro_batches;
  std::string precision;
  std::string loss_scale;
  bool no_masters = false;
};

struct ModelFlags {
  std::string path;
  std::vector<std::string> binds;         // "batch=8"
  std::vector<std::string> passes_off;    // names
  std::vector<std::string> op_libraries;  // files
  bool strict = false;
  TrainFlags train;
};

// Declares MODEL (required unless `optional`), --bind, --strict, --no-pass and --op-library.
void AddModelFlags(CLI::App& command, Session& session, ModelFlags& flags, bool optional = false);

// Declares --train and the flags that go with it.
void AddTrainFlags(CLI::App& command, TrainFlags& flags);

struct LoadedModel {
  Imported imported;  // graph: after the passes; of a training step if there is one
  std::map<std::string, int64_t> binds;
  std::vector<PassReport> passes;
  // The built-in operators and those of the libraries, whose code runs in separate processes.
  std::shared_ptr<const OpTable> ops;
  std::vector<std::string> op_libraries;
  std::optional<TrainingOptions> training;  // auto recomputation: `imported` has none yet
  std::vector<std::string> trained;         // names
  double seconds = 0;
};

// Imports the model, runs the passes and prints warnings. Must be called while there is no other
// thread. Errors as ImportModel.
//
// training: of the plan that the model is loaded for; nullopt: as the flags say.
Result<LoadedModel> LoadModel(const Session& session,
                              const ModelFlags& flags,
                              std::optional<TrainingOptions> training = std::nullopt);

// The operators for running the model: code of libraries runs in this process. Errors: kBadInput.
Result<std::shared_ptr<const OpTable>> OperatorsToRun(const std::vector<std::string>& libraries);

// "batch=8" pairs. Errors: kUsage.
Result<std::map<std::string, int64_t>> ParseBinds(const std::vector<std::string>& binds);

}  // namespace metadist::cli
