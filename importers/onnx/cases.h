// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "metair/ir/tensor.h"

// The test cases of the ONNX project for back ends, as its packages hold them
// (onnx/backend/test/data): a model each, inputs, and the outputs they must give.
namespace metadist {

struct OnnxCase {
  std::string name;   // its folder below the data: "node/test_add"
  std::string model;  // path
  // Folders with input_N.pb and output_N.pb. None: the one input of f32 is arange(n) / n, the
  // outputs lie beside the model.
  std::vector<std::string> data_sets;
  double rtol = 1e-3;
  double atol = 1e-7;
};

// Every case below `folder` (at most two folders down), by name.
// Errors: kUsage if there is no such folder or no case in it; kBadInput for a damaged data.json.
Result<std::vector<OnnxCase>> FindOnnxCases(const std::string& folder);

struct OnnxDataSet {
  NamedTensors inputs;          // by the names of the model's inputs
  std::vector<Tensor> outputs;  // in the model's order
};

// The data sets of a case, one at least. Errors: kBadInput, also for elements that metadist has no
// type for.
Result<std::vector<OnnxDataSet>> ReadOnnxData(const OnnxCase& one);

// What a case is about: the operator of all nodes of the main graph that have inputs, as the file
// spells it, if they agree; else "". Of a case `..._expanded...` that of the case it spells out.
// Errors: kUsage if there is no such file, kBadInput if it is no model.
Result<std::string> SubjectOf(const OnnxCase& one);

// What a model needs of whoever runs it, functions inlined and operators converted where possible.
struct OnnxNeeds {
  // By node in file order, bodies included, each operator once: "Add", "ai.onnx.ml.Scaler".
  std::vector<std::string> operators;
  // Of values that metadist has no type for: "STRING", "FLOAT8E4M3FN", "sequence", "optional".
  std::set<std::string> missing_types;
};

// Errors: kUsage if there is no such file, kBadInput if it is no model.
Result<OnnxNeeds> SurveyOnnx(const std::string& path);

}  // namespace metadist
