// SPDX-License-Identifier: Apache-2.0
#include "cli/conformance_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "executor/run/run.h"
#include "importers/importer.h"
#include "metair/ops/drawing.h"
#include "metair/passes/passes.h"
#include "planner/cover.h"

namespace metadist::cli {
namespace {

using Status = CaseOutcome::Status;

constexpr size_t kShownFailures = 5;  // of a case's sharded runs

// The uncertainty of the expected elements: they were computed in their own precision, so a sum
// that cancels (an inverse DFT of 0) has a rounding error relative to its largest element.
double Noise(const std::vector<double>& expected, ElementType type) {
  double largest = 0;
  for (const double x : expected)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  if (type == ElementType::kF64) return largest * std::numeric_limits<double>::epsilon();
  if (type == ElementType::kF32) return largest * std::numeric_limits<float>::epsilon();
  return 0;
}

using Outputs = std::vector<std::pair<std::string, Tensor>>;

// A difference between the types of the outputs and the expected ones; empty if there is none.
std::string TypeDifference(const Outputs& got, const std::vector<Tensor>& expected) {
  if (got.size() < expected.size())
    return fmt::format("expected {} outputs, got {}", expected.size(), got.size());
  for (size_t o = 0; o < expected.size(); ++o) {
    const TensorType& have = got[o].second.type();
    if (have != expected[o].type())
      return fmt::format("output '{}': expected {}, got {}",
                         got[o].first,
                         TypeText(expected[o].type()),
                         TypeText(have));
  }
  return "";
}

// A difference between the outputs and the expected ones; empty if there is none.
std::string Difference(const Outputs& got,
                       const std::vector<Tensor>& expected,
                       const OnnxCase& one) {
  std::string types = TypeDifference(got, expected);
  if (!types.empty()) return types;
  for (size_t o = 0; o < expected.size(); ++o) {
    const Tensor& have = got[o].second;
    const std::string where = fmt::format("output '{}'", got[o].first);
    const std::vector<double> a = have.ToDoubles();
    const std::vector<double> b = expected[o].ToDoubles();
    const double absolute = std::max(one.atol, Noise(b, have.element()));
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
      if (!(std::abs(a[i] - b[i]) <= absolute + one.rtol * std::abs(b[i])) || std::isinf(b[i]))
        return fmt::format("{}: element {}: expected {}, got {}", where, i, b[i], a[i]);
    }
  }
  return "";
}

class CaseRunner {
 public:
  CaseRunner(const OnnxCase& one, const CaseSetting& setting) : case_(one), setting_(setting) {}

  CaseOutcome Run() {
    auto done = RunAll();
    if (!done.ok())
      out_.reason = Lines(done.error().text());
    else
      out_.status = Status::kPassed;
    if (out_.status == Status::kPassed) return std::move(out_);
    const std::string absent = Absent();
    if (!absent.empty()) {
      out_.status = Status::kUnsupported;
      out_.reason = absent;
    }
    return std::move(out_);
  }

 private:
  Result<void> RunAll() {
    for (const OnnxDataSet& data : TRY(ReadOnnxData(case_))) {
      const Graph graph = TRY(Import(data));
      for (const Node& node : graph.nodes) {
        const OpDef* op = OpTable::BuiltIn().Find(node);
        random_ = random_ || (op != nullptr && Draws(CallOf(*op, graph, node)));
      }
      TRY(RunOne(graph, data));
    }
    return {};
  }

  // Sizes that are known only at run time count as a refusal.
  Result<Imported> ImportSized(const ImportOptions& options) const {
    Imported imported = TRY(ImportModel(case_.model, options));
    for (const Value& value : imported.graph.values)
      if (!IsKnown(value.type.shape))
        return BadInput("",
                        fmt::format("value '{}': sizes must be known before running, got {}",
                                    value.name,
                                    TypeText(value.type)));
    return imported;
  }

  // Makes as few inputs constants as the import allows, tried one by one.
  Result<Graph> Import(const OnnxDataSet& data) {
    ImportOptions options;
    for (const auto& [name, tensor] : data.inputs) options.shapes[name] = tensor.shape();
    auto plain = ImportSized(options);
    if (!plain.ok()) {
      options.constants = data.inputs;
      plain = TRY(ImportSized(options));
      for (const auto& [name, tensor] : data.inputs) {
        options.constants.erase(name);
        auto fewer = ImportSized(options);
        if (fewer.ok())
          plain = std::move(fewer);
        else
          options.constants[name] = tensor;
      }
      out_.constants = static_cast<int64_t>(options.constants.size());
    }
    return TRY(RunPasses(plain.value().graph, {}, OpTable::BuiltIn())).graph;
  }

  static NamedTensors InputsOf(const Graph& graph, const OnnxDataSet& data) {
    NamedTensors inputs;
    for (ValueId id : graph.inputs) {
      const auto found = data.inputs.find(graph.value(id).name);
      if (found != data.inputs.end()) inputs.insert(*found);
    }
    return inputs;
  }

  Result<void> RunOne(const Graph& graph, const OnnxDataSet& data) {
    const NamedTensors inputs = InputsOf(graph, data);
    const RunResult result = TRY(RunProgram(SingleDevice(graph), {}, inputs));
    std::string difference = Difference(result.outputs, data.outputs, case_);
    std::vector<Tensor> expected = data.outputs;
    if (random_ && !difference.empty()) {
      // Every implementation draws other random numbers, but all numbers of ranks must give those
      // of one.
      difference = TypeDifference(result.outputs, data.outputs);
      for (size_t o = 0; difference.empty() && o < expected.size(); ++o)
        expected[o] = result.outputs[o].second;
    }
    if (!difference.empty()) return Error{.code = ErrorCode::kMismatch, .message = difference};
    for (const Cluster& cluster : setting_.clusters) {
      auto done = RunSharded(graph, cluster, inputs, expected);
      if (!done.ok())
        Shard(fmt::format("{} ranks: {}", cluster.devices(), Lines(done.error().text())));
    }
    return {};
  }

  Result<void> RunSharded(const Graph& graph,
                          const Cluster& cluster,
                          const NamedTensors& inputs,
                          const std::vector<Tensor>& expected) {
    CoverRequest request;
    request.graph = &graph;
    request.ops = &OpTable::BuiltIn();
    request.rules = setting_.rules;
    request.cluster = cluster;
    request.mesh.axes = {{"a", cluster.devices()}};
    for (const CoverProgram& one : TRY(CoverStrategies(request)).programs) {
      auto run = RunProgram(one.program, {}, inputs);
      const std::string difference =
          run.ok() ? Difference(run.value().outputs, expected, case_) : Lines(run.error().text());
      Shard(difference.empty()
                ? ""
                : fmt::format("{} ranks: {}: {}", cluster.devices(), one.text, difference));
    }
    return {};
  }

  // Joins the text to one line and removes the path, which is shown elsewhere.
  std::string Lines(const std::string& text) const {
    std::string out;
    size_t next = 0;
    for (size_t at = 0; at < text.size(); at = next + 1) {
      next = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, next - at);
      if (line.starts_with(case_.model + ": ")) line.erase(0, case_.model.size() + 2);
      line.erase(0, line.find_first_not_of(' '));
      out += (out.empty() ? "" : "; ") + line;
    }
    return out;
  }

  // Counts a sharded run; failure: empty if it passed.
  void Shard(const std::string& failure) {
    ++out_.sharded_runs;
    if (failure.empty())
      ++out_.sharded_passed;
    else if (out_.sharded_failures.size() < kShownFailures)
      out_.sharded_failures.push_back(failure);
  }

  // What the case needs and metadist lacks; empty if nothing.
  std::string Absent() const {
    const auto needs = SurveyOnnx(case_.model);
    if (!needs.ok()) return "";
    std::vector<std::string> operators;
    for (const std::string& name : needs.value().operators) {
      const size_t dot = name.rfind('.');
      const bool plain = dot == std::string::npos;
      if (OpTable::BuiltIn().Find(plain ? "" : name.substr(0, dot),
                                  plain ? name : name.substr(dot + 1)) == nullptr)
        operators.push_back(name);
    }
    std::string text;
    if (!operators.empty()) text = fmt::format("operator {}", fmt::join(operators, ", "));
    if (!needs.value().missing_types.empty())
      text += fmt::format(
          "{}type {}", text.empty() ? "" : "; ", fmt::join(needs.value().missing_types, ", "));
    return text;
  }

  const OnnxCase& case_;
  const CaseSetting& setting_;
  bool random_ = false;
  CaseOutcome out_;
};

}  // namespace

CaseOutcome RunCase(const OnnxCase& one, const CaseSetting& setting) {
  return CaseRunner(one, setting).Run();
}

std::string OutcomeText(const CaseOutcome& outcome) {
  const nlohmann::json json = {{"status", static_cast<int>(outcome.status)},
                               {"reason", outcome.reason},
                               {"constants", outcome.constants},
                               {"runs", outcome.sharded_runs},
                               {"passed", outcome.sharded_passed},
                               {"failures", outcome.sharded_failures}};
  return json.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
}

CaseOutcome ParseOutcome(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  CaseOutcome outcome;
  outcome.reason = "its process ended without a result";
  if (!json.is_object()) return outcome;
  outcome.status = static_cast<Status>(json["status"].get<int>());
  outcome.reason = json["reason"].get<std::string>();
  outcome.constants = json["constants"].get<int64_t>();
  outcome.sharded_runs = json["runs"].get<int64_t>();
  outcome.sharded_passed = json["passed"].get<int64_t>();
  outcome.sharded_failures = json["failures"].get<std::vector<std::string>>();
  return outcome;
}

}  // namespace metadist::cli
