// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "metair/ir/text.h"
#include "metair/ir/text_file.h"
#include "planner/json_cursor.h"
#include "planner/plan_io.h"
#include "planner/plan_names.h"

namespace metadist {
namespace {

constexpr CollectiveKind kKinds[] = {CollectiveKind::kSlice,
                                     CollectiveKind::kPartial,
                                     CollectiveKind::kAllGather,
                                     CollectiveKind::kAllToAll,
                                     CollectiveKind::kPermute,
                                     CollectiveKind::kExchange,
                                     CollectiveKind::kHalo,
                                     CollectiveKind::kSpare,
                                     CollectiveKind::kReduceScatter,
                                     CollectiveKind::kAllReduce};

// The value among `all` whose Name is the text at the cursor.
template <typename T, size_t N>
Result<T> Named(const JsonCursor& at, const T (&all)[N]) {
  const std::string text = TRY(at.String());
  for (const T& value : all)
    if (Name(value) == text) return value;
  return at.Wrong(fmt::format("unknown name '{}'", text));
}

Result<Priced> ReadPriced(const JsonCursor& at) {
  TRY(at.Fields({"seconds", "class", "reach", "band", "by_class"}));
  constexpr Provenance kClasses[] = {
      Provenance::kMeasured, Provenance::kBorrowed, Provenance::kAnalytic};
  constexpr Reach kReaches[] = {
      Reach::kExact, Reach::kInterpolated, Reach::kExtrapolated, Reach::kTransferred};
  Priced out;
  out.seconds = TRY(TRY(at.At("seconds")).Number());
  out.provenance = TRY(Named(TRY(at.At("class")), kClasses));
  out.reach = TRY(Named(TRY(at.At("reach")), kReaches));
  out.band = TRY(TRY(at.At("band")).Number());
  const JsonCursor by_class = TRY(at.At("by_class"));
  const std::vector<JsonCursor> parts = TRY(by_class.Elements());
  if (parts.size() != out.seconds_by_class.size())
    return by_class.Wrong(
        fmt::format("expected {} numbers, got {}", out.seconds_by_class.size(), parts.size()));
  for (size_t i = 0; i < parts.size(); ++i) out.seconds_by_class[i] = TRY(parts[i].Number());
  return out;
}

Result<std::map<std::string, Traffic>> ReadTraffic(const JsonCursor& at) {
  std::map<std::string, Traffic> out;
  for (const std::string& name : TRY(at.Names())) {
    const JsonCursor entry = TRY(at.At(name));
    TRY(entry.Fields({"count", "bytes", "seconds"}));
    Traffic& traffic = out[name];
    traffic.count = TRY(TRY(entry.At("count")).Int());
    traffic.bytes = TRY(TRY(entry.At("bytes")).Int());
    traffic.seconds = TRY(TRY(entry.At("seconds")).Number());
  }
  return out;
}

class Reader {
 public:
  explicit Reader(JsonCursor root) : root_(std::move(root)) {}

  Result<Plan> Run() {
    TRY(CheckSchema());
    TRY(ReadHead());
    TRY(ReadFigures());
    TRY(ReadAlternatives());
    TRY(ReadGraph());
    TRY(ReadValues());
    TRY(ReadNodes());
    TRY(ReadRedistributions());
    return std::move(plan_);
  }

 private:
  Result<void> CheckSchema() const {
    const JsonCursor schema = TRY(root_.At("schema"));
    if (TRY(schema.String()) != kPlanSchema)
      return schema.Wrong(fmt::format("expected '{}'", kPlanSchema));
    const JsonCursor version = TRY(root_.At("schema_version"));
    const int64_t found = TRY(version.Int());
    if (found != kPlanSchemaVersion)
      return version.Wrong(fmt::format("expected {}, got {}", kPlanSchemaVersion, found));
    return root_.Fields({"schema",       "schema_version",
                         "tool_version", "command",
                         "seed",         "model",
                         "cluster",      "mesh",
                         "solver",       "step",
                         "compute",      "communication",
                         "peak_bytes",   "memory_limit_bytes",
                         "reduce_in",    "memory",
                         "collectives",  "collectives_by_axis",
                         "alternatives", "graph",
                         "values",       "outputs",
                         "nodes",        "redistributions",
                         "stages",       "schedule"});
  }

  Result<void> ReadHead() {
    PlanOrigin& origin = plan_.origin;
    origin.tool_version = TRY(TRY(root_.At("tool_version")).String());
    plan_.seed = TRY(TRY(root_.At("seed")).Unsigned());
    const JsonCursor model = TRY(root_.At("model"));
    TRY(model.Fields({"path", "hash", "binds", "passes_off"}));
    origin.model_path = TRY(TRY(model.At("path")).String());
    origin.model_hash = TRY(TRY(model.At("hash")).String());
    const JsonCursor binds = TRY(model.At("binds"));
    for (const std::string& name : TRY(binds.Names()))
      origin.binds[name] = TRY(TRY(binds.At(name)).Int());
    for (const JsonCursor& pass : TRY(TRY(model.At("passes_off")).Elements()))
      origin.passes_off.push_back(TRY(pass.String()));
    const JsonCursor cluster = TRY(root_.At("cluster"));
    TRY(cluster.Fields({"spec", "profile", "profile_hash"}));
    origin.cluster = TRY(TRY(cluster.At("spec")).String());
    origin.profile = TRY(TRY(cluster.At("profile")).String());
    origin.profile_hash = TRY(TRY(cluster.At("profile_hash")).String());
    const JsonCursor mesh = TRY(root_.At("mesh"));
    auto parsed = ParseMesh(TRY(mesh.String()));
    if (!parsed.ok()) return mesh.Wrong(parsed.error().message);
    plan_.mesh = std::move(parsed).value();
    return ReadSolver();
  }

  Result<void> ReadSolver() {
    const JsonCursor at = TRY(root_.At("solver"));
    TRY(at.Fields({"name",
                   "status",
                   "problem",
                   "cost_picoseconds",
                   "bound_picoseconds",
                   "gap",
                   "free_bound_picoseconds",
                   "nodes",
                   "strategies",
                   "pruned",
                   "reduced",
                   "deletions",
                   "stopped_by"}));
    SolverReport& s = plan_.solver;
    s.solver = TRY(TRY(at.At("name")).String());
    s.status = TRY(TRY(at.At("status")).String());
    s.problem = TRY(TRY(at.At("problem")).String());
    s.cost = TRY(TRY(at.At("cost_picoseconds")).Int());
    s.bound = TRY(TRY(at.At("bound_picoseconds")).Int());
    s.gap = TRY(TRY(at.At("gap")).Number());
    s.free_bound = TRY(TRY(at.At("free_bound_picoseconds")).Int());
    s.nodes = TRY(TRY(at.At("nodes")).Int());
    s.strategies = TRY(TRY(at.At("strategies")).Int());
    s.pruned = TRY(TRY(at.At("pruned")).Int());
    const JsonCursor reduced = TRY(at.At("reduced"));
    TRY(reduced.Fields({"nodes", "edges", "entries"}));
    s.reduced_nodes = TRY(TRY(reduced.At("nodes")).Int());
    s.reduced_edges = TRY(TRY(reduced.At("edges")).Int());
    s.reduced_entries = TRY(TRY(reduced.At("entries")).Int());
    s.deletions = TRY(TRY(at.At("deletions")).Int());
    s.stopped_by = TRY(TRY(at.At("stopped_by")).String());
    return {};
  }

  Result<void> ReadFigures() {
    Prediction& p = plan_.prediction;
    p.step = TRY(ReadPriced(TRY(root_.At("step"))));
    p.compute = TRY(ReadPriced(TRY(root_.At("compute"))));
    p.communication = TRY(ReadPriced(TRY(root_.At("communication"))));
    plan_.memory_limit_bytes = TRY(TRY(root_.At("memory_limit_bytes")).Int());
    constexpr ReduceIn kPolicies[] = {ReduceIn::kF32, ReduceIn::kType};
    plan_.reduce_in = TRY(Named(TRY(root_.At("reduce_in")), kPolicies));
    const JsonCursor memory = TRY(root_.At("memory"));
    TRY(memory.Fields({"parameters", "activations", "buffers"}));
    p.memory.parameters = TRY(TRY(memory.At("parameters")).Int());
    p.memory.activations = TRY(TRY(memory.At("activations")).Int());
    p.memory.buffers = TRY(TRY(memory.At("buffers")).Int());
    const JsonCursor peak = TRY(root_.At("peak_bytes"));
    if (TRY(peak.Int()) != p.memory.peak_bytes())
      return peak.Wrong(fmt::format("expected the sum of memory, {}", p.memory.peak_bytes()));
    p.collectives = TRY(ReadTraffic(TRY(root_.At("collectives"))));
    p.by_axis = TRY(ReadTraffic(TRY(root_.At("collectives_by_axis"))));
    return {};
  }

  Result<void> ReadAlternatives() {
    for (const JsonCursor& at : TRY(TRY(root_.At("alternatives")).Elements())) {
      TRY(at.Fields({"name", "step_seconds", "peak_bytes", "feasible", "note"}));
      Alternative a;
      a.name = TRY(TRY(at.At("name")).String());
      a.step_seconds = TRY(TRY(at.At("step_seconds")).Number());
      a.peak_bytes = TRY(TRY(at.At("peak_bytes")).Int());
      a.feasible = TRY(TRY(at.At("feasible")).Bool());
      a.note = TRY(TRY(at.At("note")).String());
      plan_.alternatives.push_back(std::move(a));
    }
    return {};
  }

  Result<void> ReadGraph() {
    const JsonCursor at = TRY(root_.At("graph"));
    std::string text;
    for (const JsonCursor& line : TRY(at.Elements())) text += TRY(line.String()) + "\n";
    auto graph = ParseGraph(text);
    if (!graph.ok()) return at.Wrong(graph.error().text());
    plan_.graph = std::move(graph).value();
    for (const Value& value : plan_.graph.values)
      if (value.kind == ValueKind::kConstant && value.data.has_data() &&
          value.data.size() > kInlineElements)
        plan_.own_constants.insert(value.name);
    for (size_t v = 0; v < plan_.graph.values.size(); ++v)
      value_ids_[plan_.graph.values[v].name] = static_cast<ValueId>(v);
    for (size_t n = 0; n < plan_.graph.nodes.size(); ++n)
      node_ids_[plan_.graph.nodes[n].name] = static_cast<NodeId>(n);
    return {};
  }

  Result<Sharding> ReadSharding(const JsonCursor& at, const TensorType& type) const {
    auto sharding = ParseSharding(TRY(at.String()), type.shape, plan_.mesh);
    if (!sharding.ok()) return at.Wrong(sharding.error().message);
    if (HeldType(type, sharding.value()) != type && !IsNarrowFloat(type.element))
      return at.Wrong(fmt::format("a value of {} cannot be held in f32", Name(type.element)));
    return Normalize(sharding.value(), plan_.mesh);
  }

  Result<void> ReadValues() {
    const JsonCursor values = TRY(root_.At("values"));
    for (const std::string& name : TRY(values.Names()))
      if (value_ids_.count(name) == 0)
        return values.Wrong(fmt::format("the graph has no value '{}'", name));
    for (const Value& value : plan_.graph.values)
      plan_.assignment.values.push_back(TRY(ReadSharding(TRY(values.At(value.name)), value.type)));
    const JsonCursor outputs = TRY(root_.At("outputs"));
    const std::vector<JsonCursor> list = TRY(outputs.Elements());
    if (list.size() != plan_.graph.outputs.size())
      return outputs.Wrong(
          fmt::format("expected {} outputs, got {}", plan_.graph.outputs.size(), list.size()));
    for (size_t i = 0; i < list.size(); ++i)
      plan_.assignment.outputs.push_back(
          TRY(ReadSharding(list[i], plan_.graph.value(plan_.graph.outputs[i]).type)));
    return CheckState(list);
  }

  // Where state begins a step it must end the one before.
  Result<void> CheckState(const std::vector<JsonCursor>& outputs) const {
    for (const StatePair& pair : plan_.graph.state)
      for (size_t i = 0; i < outputs.size(); ++i) {
        const Sharding& begins = plan_.assignment.values[static_cast<size_t>(pair.input)];
        if (plan_.graph.outputs[i] != pair.output || plan_.assignment.outputs[i] == begins)
          continue;
        return outputs[i].Wrong(
            fmt::format("expected {}, as the state '{}' is stored that it replaces",
                        ShardingText(begins, plan_.mesh),
                        plan_.graph.value(pair.input).name));
      }
    return {};
  }

  Result<std::vector<Sharding>> ReadShardings(const JsonCursor& at,
                                              const std::vector<ValueId>& values) const {
    const std::vector<JsonCursor> list = TRY(at.Elements());
    if (list.size() != values.size())
      return at.Wrong(fmt::format("expected {} entries, got {}", values.size(), list.size()));
    std::vector<Sharding> out(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      if (list[i].is_null() != (values[i] == kNone))
        return list[i].Wrong(values[i] == kNone ? "expected null: the operand is left out"
                                                : "expected a sharding, got null");
      if (values[i] != kNone)
        out[i] = TRY(ReadSharding(list[i], plan_.graph.value(values[i]).type));
    }
    return out;
  }

  Result<LocalLiteral> ReadLiteral(const JsonCursor& at, const Node& node) const {
    TRY(at.Fields({"input", "attribute", "values", "entries"}));
    LocalLiteral out;
    const JsonCursor input = TRY(at.At("input"));
    const int64_t index = TRY(input.Int());
    if (index < kNone || index >= static_cast<int64_t>(node.inputs.size()) ||
        (index >= 0 && node.inputs[static_cast<size_t>(index)] == kNone))
      return input.Wrong(fmt::format("'{}' has no input {}", node.name, index));
    out.input = static_cast<int>(index);
    const JsonCursor attribute = TRY(at.At("attribute"));
    out.attribute = TRY(attribute.String());
    if (index == kNone && !node.attributes.has(out.attribute))
      return attribute.Wrong(fmt::format("'{}' has no such attribute", node.name));
    const JsonCursor values = TRY(at.At("values"));
    const std::vector<JsonCursor> sizes = TRY(values.Elements());
    const std::vector<JsonCursor> entries = TRY(TRY(at.At("entries")).Elements());
    if (sizes.size() != entries.size())
      return values.Wrong(
          fmt::format("expected as many as entries, {}, got {}", entries.size(), sizes.size()));
    for (size_t i = 0; i < entries.size(); ++i) {
      const std::string text = TRY(entries[i].String());
      std::string_view rest = text;
      auto entry = TakeLocalEntry(rest, TRY(sizes[i].Int()), plan_.mesh);
      if (!entry.ok()) return entries[i].Wrong(entry.error().message);
      if (!rest.empty()) return entries[i].Wrong(fmt::format("unexpected '{}'", rest));
      out.entries.push_back(std::move(entry).value());
    }
    return out;
  }

  Result<CountedInput> ReadCounted(const JsonCursor& at, const Node& node) const {
    TRY(at.Fields({"input", "column", "from_end", "size", "view"}));
    CountedInput out;
    const JsonCursor input = TRY(at.At("input"));
    const int64_t index = TRY(input.Int());
    if (index < 0 || index >= static_cast<int64_t>(node.inputs.size()) ||
        node.inputs[static_cast<size_t>(index)] == kNone)
      return input.Wrong(fmt::format("'{}' has no input {}", node.name, index));
    const Shape& shape = plan_.graph.value(node.inputs[static_cast<size_t>(index)]).type.shape;
    out.input = static_cast<int>(index);
    const JsonCursor column = TRY(at.At("column"));
    const int64_t place = TRY(column.Int());
    if (place < -1 || (place >= 0 && (shape.empty() || place >= shape.back())))
      return column.Wrong(fmt::format("input {} has no column {}", index, place));
    out.column = static_cast<int>(place);
    out.from_end = TRY(TRY(at.At("from_end")).Bool());
    out.size = TRY(TRY(at.At("size")).Int());
    const JsonCursor view = TRY(at.At("view"));
    out.view = TRY(ReadSharding(view, {ElementType::kI64, {out.size}})).dims[0];
    const LocalEntry entry{out.view, LocalEntry::Kind::kShifted};
    if (auto fits = Validate(entry, 0, plan_.mesh); !fits.ok())
      return view.Wrong(fits.error().message);
    return out;
  }

  Result<void> ReadNodes() {
    const JsonCursor nodes = TRY(root_.At("nodes"));
    const std::vector<JsonCursor> list = TRY(nodes.Elements());
    if (list.size() != plan_.graph.nodes.size())
      return nodes.Wrong(
          fmt::format("expected {} nodes, got {}", plan_.graph.nodes.size(), list.size()));
    for (size_t n = 0; n < list.size(); ++n) TRY(ReadNode(list[n], plan_.graph.nodes[n]));
    return {};
  }

  Result<void> ReadNode(const JsonCursor& at, const Node& node) {
    TRY(at.Fields({"name", "axes", "inputs", "outputs", "literals", "cost"}, {"made", "indices"}));
    const JsonCursor name = TRY(at.At("name"));
    if (TRY(name.String()) != node.name)
      return name.Wrong(fmt::format("expected '{}', the graph's node", node.name));
    Strategy strategy;
    const JsonCursor axes = TRY(at.At("axes"));
    for (const MeshAxis& axis : plan_.mesh.axes)
      strategy.axes.push_back(TRY(TRY(axes.At(axis.name)).String()));
    strategy.inputs = TRY(ReadShardings(TRY(at.At("inputs")), node.inputs));
    strategy.outputs = TRY(ReadShardings(TRY(at.At("outputs")), node.outputs));
    for (const JsonCursor& literal : TRY(TRY(at.At("literals")).Elements()))
      strategy.literals.push_back(TRY(ReadLiteral(literal, node)));
    if (at.Has("made")) {
      const JsonCursor made = TRY(at.At("made"));
      strategy.made = TRY(ReadShardings(made, node.outputs));
      for (size_t i = 0; i < strategy.made.size(); ++i)
        if (strategy.made[i].WithoutSpares() != strategy.outputs[i])
          return made.Wrong("expected the outputs, with spare elements at most");
    }
    if (at.Has("indices"))
      for (const JsonCursor& counted : TRY(TRY(at.At("indices")).Elements()))
        strategy.indices.push_back(TRY(ReadCounted(counted, node)));
    plan_.assignment.nodes.push_back(std::move(strategy));
    plan_.node_costs.push_back(TRY(ReadPriced(TRY(at.At("cost")))));
    return {};
  }

  Result<void> ReadRedistributions() {
    for (const JsonCursor& at : TRY(TRY(root_.At("redistributions")).Elements())) {
      TRY(at.Fields({"value",
                     "place",
                     "node",
                     "output",
                     "from",
                     "to",
                     "why",
                     "received_bytes",
                     "cost",
                     "steps"}));
      plan_.redistributions.push_back(TRY(ReadRedistribution(at)));
    }
    return {};
  }

  Result<Redistribution> ReadRedistribution(const JsonCursor& at) const {
    constexpr Redistribution::Place kPlaces[] = {
        Redistribution::Place::kKept, Redistribution::Place::kUse, Redistribution::Place::kOutput};
    Redistribution out;
    const JsonCursor value = TRY(at.At("value"));
    const auto found = value_ids_.find(TRY(value.String()));
    if (found == value_ids_.end()) return value.Wrong("the graph has no such value");
    out.value = found->second;
    out.place = TRY(Named(TRY(at.At("place")), kPlaces));
    const JsonCursor node = TRY(at.At("node"));
    const auto found_node = node_ids_.find(TRY(node.String()));
    const bool at_output = out.place == Redistribution::Place::kOutput;
    if (!at_output && found_node == node_ids_.end())
      return node.Wrong("the graph has no such node");
    if (!at_output) out.node = found_node->second;
    const JsonCursor output = TRY(at.At("output"));
    const int64_t position = TRY(output.Int());
    if (at_output && (position < 0 || position >= static_cast<int64_t>(plan_.graph.outputs.size())))
      return output.Wrong(fmt::format("the graph has no output {}", position));
    out.output = at_output ? static_cast<int>(position) : -1;
    out.received_bytes = TRY(TRY(at.At("received_bytes")).Int());
    out.price = TRY(ReadPriced(TRY(at.At("cost"))));
    const TensorType& type = plan_.graph.value(out.value).type;
    Sharding from = TRY(ReadSharding(TRY(at.At("from")), type));
    const JsonCursor steps = TRY(at.At("steps"));
    for (const JsonCursor& step : TRY(steps.Elements())) {
      TRY(step.Fields({"op", "axes", "to"}, {"bundle"}));
      out.bundles.push_back(-1);
      if (step.Has("bundle")) {
        const JsonCursor bundle = TRY(step.At("bundle"));
        const int64_t number = TRY(bundle.Int());
        if (number < 0 || number > std::numeric_limits<int>::max())
          return bundle.Wrong("expected the number of a bundle");
        out.bundles.back() = static_cast<int>(number);
      }
      CollectiveStep next;
      next.kind = TRY(Named(TRY(step.At("op")), kKinds));
      for (const JsonCursor& axis : TRY(TRY(step.At("axes")).Elements())) {
        next.axes.push_back(plan_.mesh.Find(TRY(axis.String())));
        if (next.axes.back() < 0) return axis.Wrong("the mesh has no such axis");
      }
      next.from = from;
      next.to = from = TRY(ReadSharding(TRY(step.At("to")), type));
      out.steps.push_back(std::move(next));
    }
    if (out.steps.empty()) return steps.Wrong("expected at least one step");
    return out;
  }

  JsonCursor root_;
  Plan plan_;
  std::map<std::string, ValueId> value_ids_;
  std::map<std::string, NodeId> node_ids_;
};

}  // namespace

Result<Plan> ReadPlan(std::string_view text, const std::string& where) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded() || NestsDeeply(text))
    return BadInput(where,
                    "expected a plan in JSON, got something else",
                    "`metadist plan MODEL --cluster C -o FILE` writes one");
  return Reader(JsonCursor(document, where)).Run();
}

}  // namespace metadist
