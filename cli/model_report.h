// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/model_flags.h"
#include "cli/session.h"
#include "metair/ir/tensor.h"

// The output of `inspect`.
namespace metadist::cli {

// The contents of a model. Both output forms print these fields and compute nothing.
struct ModelReport {
  using NamedTypes = std::vector<std::pair<std::string, TensorType>>;
  struct Operator {
    int64_t nodes = 0;
    int64_t flops = 0;
    bool known = false;
  };

  std::string hash;
  std::string format;
  std::string version;
  std::string producer;
  NamedTypes inputs;
  NamedTypes outputs;
  int64_t parameters = 0;  // elements
  int64_t parameter_bytes = 0;
  int64_t parameter_tensors = 0;
  int64_t absent_bytes = 0;  // parameters whose data the file lacks
  int64_t nodes = 0;
  int64_t nodes_in_file = 0;
  std::map<std::string, Operator> operators;
  int64_t flops = 0;
};

ModelReport ModelReportOf(const LoadedModel& model);

// The JSON document of `metadist inspect --json`, with its documented keys, and the text form.
// operators: includes a table of them.
nlohmann::ordered_json ModelJson(const Session& session, const ModelReport& report);
std::string ModelText(const ModelReport& report, bool operators);

// One node of the model.
struct NodeReport {
  std::string line;  // as in the graph's text
  ModelReport::NamedTypes inputs;
  ModelReport::NamedTypes outputs;
  int64_t flops = 0;
  int64_t bytes = 0;  // read and written
};

// Errors: kUsage for an unknown name.
Result<NodeReport> NodeReportOf(const LoadedModel& model, const std::string& name);

nlohmann::ordered_json NodeJson(const Session& session, const NodeReport& report);
std::string NodeReportText(const NodeReport& report);

}  // namespace metadist::cli
