// SPDX-License-Identifier: Apache-2.0
//
// ONNX files, read with the ONNX project's own C++ library. The order of steps matters:
//
//   parse, take the weights out (the rest is small), sort, bind symbolic sizes, inline functions,
//   convert to the canonical operator set, build the graph, type it and fold its shape arithmetic.
//
// The library's converter needs shapes, which need bound sizes; it drops functions, so they are
// inlined first. Shapes are then inferred anew from the operator table: those of the file may be
// missing, wrong, or symbolic.
#include <fmt/format.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <filesystem>
#include <limits>
#include <utility>

#include "importers/importer.h"
#include "importers/onnx_model.h"
#include "importers/onnx_wire.h"
#include "importers/sha256.h"
#include "importers/sniff.h"
#include "metair/ir/canonical.h"
#include "metair/ir/suggest.h"
#include "metair/ir/verify.h"
#include "metair/passes/infer_types.h"

namespace metadist {
namespace {

// Some words read as fields of a protobuf message that is cut off; a real one has control bytes.
bool Sniff(const FileMap& file) {
  if (DescribeBytes(file.bytes()) == "text") return false;
  const OnnxWire wire = ScanOnnx(file.bytes());
  return wire.plausible && (wire.has_graph || wire.truncated);
}

Result<onnx::ModelProto> Parse(const FileMap& file) {
  const OnnxWire wire = ScanOnnx(file.bytes());
  if (wire.truncated)
    return BadInput("",
                    fmt::format("the file is truncated: expected at least {} bytes, got {}",
                                wire.expected_bytes,
                                file.bytes().size()));
  if (file.bytes().size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return BadInput("", "a protobuf file holds at most 2 GB", "store the weights as external data");
  google::protobuf::SetLogHandler(nullptr);
  onnx::ModelProto proto;
  if (!proto.ParseFromArray(file.bytes().data(), static_cast<int>(file.bytes().size())))
    return BadInput("", "the file is damaged: it is no valid protobuf");
  return proto;
}

Result<void> CheckVersions(const onnx::ModelProto& proto) {
  std::vector<Error> problems;
  if (proto.ir_version() < 1 || proto.ir_version() > kNewestIr)
    problems.push_back(BadInput(
        "",
        fmt::format("the IR version must be in [1, {}], got {}", kNewestIr, proto.ir_version())));
  const int64_t opset = OpsetOf(proto);
  if (opset < 1 || opset > kNewestOpset)
    problems.push_back(BadInput(
        "", fmt::format("the opset version must be in [1, {}], got {}", kNewestOpset, opset)));
  if (!problems.empty()) return Join(std::move(problems));
  return {};
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
    imported->parameters += NumElements(value.type.shape);
    if (value.data.has_data()) continue;
    imported->absent_bytes += value.type.bytes();
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

// Sizes may be unknown only because an unknown operator makes them.
Error WithUnknown(Error error, const Imported& imported) {
  if (imported.opaque.empty() || !error.hint.empty()) return error;
  error.hint = "operators unknown to metadist:";
  for (const auto& [name, count] : imported.opaque) error.hint += " " + name;
  return error;
}

Result<Imported> Import(const FileMap& file, const ImportOptions& options) {
  const OpTable& ops = options.ops != nullptr ? *options.ops : OpTable::BuiltIn();
  onnx::ModelProto proto = TRY(Parse(file));
  TRY(CheckVersions(proto));
  Imported imported;
  imported.format = "onnx";
  imported.version = fmt::format("opset {}, IR {}", OpsetOf(proto), proto.ir_version());
  imported.producer = proto.producer_name();
  if (!proto.producer_version().empty()) imported.producer += " " + proto.producer_version();

  ExternalData external(std::filesystem::path(file.path()).parent_path().string());
  TRY(StoreInputs(proto.mutable_graph(), options.constants));
  OnnxModel model = TRY(TakeWeights(std::move(proto), &external));
  for (const auto& [name, tensor] : options.constants) model.known.insert(name);
  TRY(SortNodes(model.proto.mutable_graph()));
  TRY(BindSizes(&model, options));
  TRY(Normalize(&model));
  const BuiltGraph built = TRY(BuildGraph(&model, &external, ops, &imported));
  TRY(CheckOpaque(options, ops, &imported));
  InferOptions infer;
  infer.infer_unknown = [&](const Graph& graph, const Node& node) {
    return InferUnknown(built, model.proto, graph, node);
  };
  auto typed = InferTypesAndFold(built.graph, ops, infer);
  if (!typed.ok()) return WithUnknown(std::move(typed).error(), imported);
  Inference inference = std::move(typed).value();
  imported.folded = inference.folded;
  imported.graph = Renumbered(WithoutDeadCode(inference.graph));
  for (const std::string& node : TypeBodies(&imported.graph, ops))
    imported.warnings.push_back(
        fmt::format("types inside the control flow of node '{}' are not known", node));
  TRY(Verify(imported.graph));
  Describe(file, external, &imported);
  return imported;
}

}  // namespace

extern const ImporterDef kImporter_onnx;
const ImporterDef kImporter_onnx = {.name = "onnx",
                                    .extensions = ".onnx",
                                    .summary = "Open Neural Network Exchange, opset 1 to 27",
                                    .sniff = Sniff,
                                    .import = Import};

}  // namespace metadist
