// SPDX-License-Identifier: Apache-2.0
//
// ONNX files, read with the ONNX project's own C++ library. The order of steps matters:
//
//   parse, take the weights out (the rest is small), sort, bind symbolic sizes, inline functions,
//   convert to the canonical operator set, replace sequences by their tensors, build the graph,
//   type it and fold its shape arithmetic.
//
// The library's converter needs shapes, which need bound sizes; it drops functions, so they are
// inlined first. Shapes are then inferred again from the operator table: those of the file may be
// missing, wrong, or symbolic.
#include <fmt/format.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "importers/importer.h"
#include "importers/onnx/adapt_gradients.h"
#include "importers/onnx/adapt_sequences.h"
#include "importers/onnx/model.h"
#include "importers/onnx/nesting.h"
#include "importers/onnx/wire.h"
#include "importers/sha256.h"
#include "importers/sniff.h"
#include "metair/ir/canonical.h"
#include "metair/ir/packing.h"
#include "metair/ir/suggest.h"
#include "metair/ir/verify.h"
#include "metair/passes/infer_types.h"
#include "metair/training/small_weights.h"

namespace metadist {
namespace {

// Some text can be parsed as the fields of a truncated protobuf message; a real one has control
// bytes.
bool Sniff(const FileMap& file) {
  if (DescribeBytes(file.bytes()) == "text") return false;
  const OnnxWire wire = ScanOnnx(file.bytes());
  return wire.plausible && (wire.has_graph || wire.truncated);
}

// The parser accepts a nesting of a hundred messages; each body counts as three.
Error Unparsed(const FileMap& file) {
  constexpr int kDeepest = 30;
  const int depth = NestingOf(file.bytes());
  if (depth > kDeepest)
    return BadInput(
        "",
        fmt::format("graphs or types lie inside each other {} deep, more than {}", depth, kDeepest),
        "no exporter writes such a file: it is damaged or malicious");
  return BadInput("",
                  "the file is damaged: it is not valid protobuf",
                  "export the model again, or compare its checksum with the original's");
}

Result<onnx::ModelProto> Parse(const FileMap& file) {
  const OnnxWire wire = ScanOnnx(file.bytes());
  if (wire.truncated)
    return BadInput("",
                    fmt::format("the file is truncated: expected at least {} bytes, got {}",
                                wire.expected_bytes,
                                file.bytes().size()),
                    "copy or download it again");
  if (file.bytes().size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return BadInput("", "a protobuf file holds at most 2 GB", "store the weights as external data");
  google::protobuf::SetLogHandler(nullptr);
  onnx::ModelProto proto;
  if (!proto.ParseFromArray(file.bytes().data(), static_cast<int>(file.bytes().size())))
    return Unparsed(file);
  return proto;
}

void CheckVersions(const onnx::ModelProto& proto, Faults* faults) {
  const char* hint = "export the model again for a version that metadist reads";
  if (proto.ir_version() < 1 || proto.ir_version() > kNewestIr)
    faults->Add(
        "",
        fmt::format("the IR version must be in [1, {}], got {}", kNewestIr, proto.ir_version()),
        hint);
  const int64_t opset = OpsetOf(proto);
  if (opset < 1 || opset > kNewestOpset)
    faults->Add(
        "", fmt::format("the opset version must be in [1, {}], got {}", kNewestOpset, opset), hint);
  std::map<std::string, int64_t> seen;
  for (const auto& import : proto.opset_import()) {
    const std::string domain = import.domain().empty() ? "ai.onnx" : import.domain();
    const auto [first, fresh] = seen.emplace(domain, import.version());
    if (!fresh && first->second != import.version())
      faults->Add("",
                  fmt::format("domain '{}' is imported twice, at versions {} and {}",
                              domain,
                              first->second,
                              import.version()),
                  "one version must be stated for all nodes of a domain");
  }
  if (proto.graph().node().empty() && proto.graph().output().empty())
    faults->Add(
        "", "the model has no graph: neither nodes nor outputs", "it may hold weights only");
}

Result<void> CheckOpaque(const ImportOptions& options, const OpTable& ops, Imported* imported) {
  std::vector<std::string> known;
  for (const OpDef* op : ops.all()) known.push_back(op->name);
  std::vector<Error> problems;
  for (const auto& [name, count] : imported->opaque) {
    const std::string text =
        fmt::format("operator '{}' is unknown: {} {}", name, count, count == 1 ? "node" : "nodes");
    problems.push_back(BadInput("", text, DidYouMean(name.substr(name.rfind('.') + 1), known)));
    imported->warnings.push_back(text + (count == 1 ? " is" : " are") + " kept as opaque");
  }
  if (options.strict && !problems.empty()) return Join(std::move(problems));
  return {};
}

void Describe(const FileMap& file, const ExternalData& external, Imported* imported) {
  Sha256 hash;
  hash.Add(file.bytes());
  for (const auto& [location, size] : external.sizes())
    hash.Add(fmt::format("{}:{}\n", location, size));
  imported->hash = "sha256:" + hash.Finish();
  const Graph& graph = imported->graph;
  int64_t absent = 0;
  for (ValueId id : graph.OfKind(ValueKind::kParameter)) {
    const Value& value = graph.value(id);
    if (value.data.has_data()) continue;
    imported->absent_bytes += PackedBytes(value.type);
    ++absent;
  }
  if (absent == 0) return;
  std::string missing;
  for (const auto& [location, size] : external.sizes())
    if (size < 0) missing += (missing.empty() ? "" : ", ") + location;
  imported->warnings.push_back(fmt::format("weights of {} {} are absent: {} not found",
                                           absent,
                                           absent == 1 ? "parameter" : "parameters",
                                           missing));
}

// An attribute that is not in the schema may be a typing error.
void WarnOfStrayAttributes(const onnx::GraphProto& graph,
                           const NodeRules& rules,
                           Imported* imported) {
  std::map<std::string, int> uses;  // by operator and attribute
  for (const onnx::NodeProto& node : graph.node())
    for (const std::string& name : StrayAttributes(node, rules))
      ++uses[fmt::format("{} has no attribute '{}': it is ignored", node.op_type(), name)];
  for (const auto& [text, count] : uses)
    imported->warnings.push_back(
        fmt::format("{} at {} {}", text, count, count == 1 ? "node" : "nodes"));
}

// Warns of outputs whose types differ from those that the model states.
void WarnOfOutputTypes(const BuiltGraph& built, const Graph& graph, Imported* imported) {
  for (ValueId id : graph.outputs) {
    const Value& value = graph.value(id);
    const auto stated = built.stated.find(value.name);
    if (stated == built.stated.end()) continue;
    const Shape& shape = stated->second.shape;
    bool same =
        stated->second.element == value.type.element && shape.size() == value.type.shape.size();
    for (size_t d = 0; same && d < shape.size(); ++d)
      same = shape[d] == kRunTimeSize || value.type.shape[d] == kRunTimeSize ||
             shape[d] == value.type.shape[d];
    if (!same)
      imported->warnings.push_back(fmt::format("output '{}' is stated as {} but is {}",
                                               value.name,
                                               TypeText(stated->second),
                                               TypeText(value.type)));
  }
}

// Sizes may be unknown only because an unknown operator produces them.
Error WithUnknown(Error error, const Imported& imported) {
  if (imported.opaque.empty() || !error.hint.empty()) return error;
  error.hint = "operators unknown to metadist:";
  for (const auto& [name, count] : imported.opaque) error.hint += " " + name;
  error.hint += "; `--op-library` adds operators";
  return error;
}

// State shared by all steps.
struct Import {
  const ImportOptions& options;
  const OpTable& ops;
  ExternalData external;
  OnnxModel model = {};
  Imported imported = {};
  Faults faults = {};
};

// Converts a model without faults to a graph with types.
Result<Graph> ToGraph(Import* import) {
  OnnxModel& model = import->model;
  TRY(ExpandSequences(&model, &import->external, import->ops));
  BuiltGraph built = TRY(BuildGraph(&model, &import->external, import->ops, &import->imported));
  if (import->options.trainable)
    for (const ValueId id : SmallWeights(built.graph, *import->options.trainable, import->ops))
      if (Value& value = built.graph.value(id); model.known.count(value.name) == 0)
        value.kind = ValueKind::kParameter;
  TRY(CheckOpaque(import->options, import->ops, &import->imported));
  InferOptions infer;
  infer.infer_unknown = [&](const Graph& graph, const Node& node) {
    return InferUnknown(built, model.proto, graph, node);
  };
  auto typed = InferTypesAndFold(built.graph, import->ops, infer);
  if (!typed.ok()) return WithUnknown(std::move(typed).error(), import->imported);
  WarnOfOutputTypes(built, typed.value(), &import->imported);
  return Renumbered(WithoutDeadCode(TRY(WithGradients(typed.value(), import->ops))));
}

// All problems: those found so far, and those of the remaining part of the model.
Error AllProblems(const FunctionMap& functions, Import* import) {
  if (!import->faults.bad_input()) return Report(std::move(import->faults.problems));
  onnx::ModelProto& proto = import->model.proto;
  RemoveFaulty(&proto, functions, import->faults);
  if (OpsetOf(proto) < 1) return Report(std::move(import->faults.problems));
  if (OpsetOf(proto) > kNewestOpset)
    for (auto& opset : *proto.mutable_opset_import()) opset.set_version(kNewestOpset);
  // Errors of the library are ignored here, because faulty parts have been removed from the model.
  if (Normalize(&import->model).ok()) {
    auto graph = ToGraph(import);
    if (!graph.ok()) import->faults.Add(std::move(graph).error());
  }
  return Report(std::move(import->faults.problems));
}

Result<Imported> ImportOnnx(const FileMap& file, const ImportOptions& options) {
  onnx::ModelProto proto = TRY(Parse(file));
  Import import{options,
                options.ops != nullptr ? *options.ops : OpTable::BuiltIn(),
                ExternalData(std::filesystem::path(file.path()).parent_path().string())};
  Imported& imported = import.imported;
  imported.format = "onnx";
  imported.version = fmt::format("opset {}, IR {}", OpsetOf(proto), proto.ir_version());
  imported.producer = proto.producer_name();
  if (!proto.producer_version().empty()) imported.producer += " " + proto.producer_version();

  CheckVersions(proto, &import.faults);
  CheckFunctions(&proto, &import.faults);
  auto stored = StoreInputs(proto.mutable_graph(), options.constants);
  if (!stored.ok()) import.faults.Add(std::move(stored).error());
  import.model = TakeWeights(std::move(proto), &import.external, &import.faults);
  for (const auto& [name, tensor] : options.constants) import.model.known.insert(name);
  const FunctionMap functions = FunctionsOf(import.model.proto);
  const NodeRules rules{OpsetsOf(import.model.proto.opset_import()), &functions};
  SortNodes(import.model.proto.mutable_graph(), rules, &import.faults);
  BindSizes(&import.model, options, &import.faults);
  if (!import.faults.problems.empty()) return AllProblems(functions, &import);
  WarnOfStrayAttributes(import.model.proto.graph(), rules, &imported);

  TRY(Normalize(&import.model));
  auto graph = ToGraph(&import);
  if (!graph.ok()) {
    import.faults.Add(std::move(graph).error());
    return Report(std::move(import.faults.problems));
  }
  imported.graph = std::move(graph).value();
  for (const std::string& node : TypeBodies(&imported.graph, import.ops))
    imported.warnings.push_back(
        fmt::format("types inside the control flow of node '{}' are not known", node));
  TRY(Verify(imported.graph));
  Describe(file, import.external, &imported);
  return std::move(imported);
}

}  // namespace

extern const ImporterDef kImporter_onnx;
const ImporterDef kImporter_onnx = {
    .name = "onnx", .extensions = ".onnx", .sniff = Sniff, .import = ImportOnnx};

}  // namespace metadist
