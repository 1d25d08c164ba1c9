// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "metair/ir/tensor.h"

// The ONNX project's test cases for back ends, as in its packages (onnx/backend/test/data): for
// each a model, inputs, and the expected outputs.
namespace metadist {

struct OnnxCase {
  std::string name;   // its folder below the data: "node/test_add"
  std::string model;  // path
  // Folders with input_N.pb and output_N.pb. If there are none, the single f32 input is arange(n) /
  // n, and the outputs are beside the model.
  std::vector<std::string> data_sets;
  double rtol = 1e-3;
  double atol = 1e-7;
};

// Every case below `folder` (at most two folders down), sorted by name. Errors: kUsage if the
// folder does not exist or has no case; kBadInput for a damaged data.json.
Result<std::vector<OnnxCase>> FindOnnxCases(const std::string& folder);

struct OnnxDataSet {
  NamedTensors inputs;          // by the names of the model's inputs
  std::vector<Tensor> outputs;  // in the model's order
};

// The data sets of a case, at least one. Errors: kBadInput, also for element types that metadist
// does not support.
Result<std::vector<OnnxDataSet>> ReadOnnxData(const OnnxCase& one);

// The subject of a case: the operator of all nodes of the main graph that have inputs, spelled as
// in the file, if they agree; else "". For a case `..._expanded...`, that of the case it expands.
// Errors: kUsage if the file does not exist, kBadInput if it is not a model.
Result<std::string> SubjectOf(const OnnxCase& one);

// What a model requires to be run, after functions are inlined and operators converted where
// possible.
struct OnnxNeeds {
  // In file order, bodies included, each operator once: "Add", "ai.onnx.ml.Scaler".
  std::vector<std::string> operators;
  // Types of values that metadist does not support: "STRING", "FLOAT8E4M3FN", "sequence",
  // "optional".
  std::set<std::string> missing_types;
};

// Errors: kUsage if the file does not exist, kBadInput if it is not a model.
Result<OnnxNeeds> SurveyOnnx(const std::string& path);

}  // namespace metadist
