// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "metair/ir/text.h"
#include "planner/plan/plan_io.h"
#include "planner/plan/plan_names.h"

namespace metadist {
namespace {

using Json = nlohmann::ordered_json;

Json PricedJson(const Priced& price) {
  return {{"seconds", price.seconds},
          {"class", Name(price.provenance)},
          {"reach", Name(price.reach)},
          {"band", price.band},
          {"by_class", price.seconds_by_class}};
}

Json TrafficJson(const std::map<std::string, Traffic>& traffic) {
  Json out = Json::object();
  for (const auto& [name, t] : traffic)
    out[name] = {{"count", t.count}, {"bytes", t.bytes}, {"seconds", t.seconds}};
  return out;
}

class Writer {
 public:
  explicit Writer(const Plan& plan) : plan_(plan) {}

  std::string Run() {
    Json out;
    out["schema"] = kPlanSchema;
    out["schema_version"] = kPlanSchemaVersion;
    out["tool_version"] = plan_.origin.tool_version;
    out["command"] = "plan";
    out["seed"] = plan_.seed;
    WriteHead(out);
    WriteFigures(out);
    out["graph"] = GraphLines();
    WriteValues(out);
    WriteNodes(out);
    WriteRedistributions(out);
    out["stages"] = Json::array({{{"ranks", plan_.mesh.ranks()}}});
    out["schedule"] = Json::array({{{"stage", 0}, {"micro_batch", 0}}});
    return out.dump(1) + "\n";
  }

 private:
  std::string Text(const Sharding& sharding) const { return ShardingText(sharding, plan_.mesh); }

  void WriteHead(Json& out) const {
    const PlanOrigin& origin = plan_.origin;
    out["model"] = {{"path", origin.model_path},
                    {"hash", origin.model_hash},
                    {"binds", Json::object()},
                    {"passes_off", origin.passes_off}};
    for (const auto& [name, size] : origin.binds) out["model"]["binds"][name] = size;
    out["cluster"] = {{"spec", origin.cluster},
                      {"profile", origin.profile},
                      {"profile_hash", origin.profile_hash}};
    out["mesh"] = MeshText(plan_.mesh);
    const SolverReport& s = plan_.solver;
    out["solver"] = {
        {"name", s.solver},
        {"status", s.status},
        {"problem", s.problem},
        {"cost_picoseconds", s.cost},
        {"bound_picoseconds", s.bound},
        {"gap", s.gap},
        {"free_bound_picoseconds", s.free_bound},
        {"nodes", s.nodes},
        {"strategies", s.strategies},
        {"pruned", s.pruned},
        {"reduced",
         {{"nodes", s.reduced_nodes}, {"edges", s.reduced_edges}, {"entries", s.reduced_entries}}},
        {"deletions", s.deletions},
        {"stopped_by", s.stopped_by}};
  }

  void WriteFigures(Json& out) const {
    const Prediction& p = plan_.prediction;
    out["step"] = PricedJson(p.step);
    out["compute"] = PricedJson(p.compute);
    out["communication"] = PricedJson(p.communication);
    out["memory_limit_bytes"] = plan_.memory_limit_bytes;
    out["reduce_in"] = Name(plan_.reduce_in);
    out["peak_bytes"] = plan_.peak_bytes();
    out["memory"] = {{"parameters", p.memory.parameters},
                     {"activations", p.memory.activations},
                     {"buffers", p.memory.buffers}};
    out["collectives"] = TrafficJson(p.collectives);
    out["collectives_by_axis"] = TrafficJson(p.by_axis);
    out["alternatives"] = Json::array();
    for (const Alternative& a : plan_.alternatives)
      out["alternatives"].push_back({{"name", a.name},
                                     {"step_seconds", a.step_seconds},
                                     {"peak_bytes", a.peak_bytes},
                                     {"feasible", a.feasible},
                                     {"note", a.note}});
  }

  Json GraphLines() const {
    Json lines = Json::array();
    std::istringstream text(GraphText(plan_.graph, plan_.own_constants));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  void WriteValues(Json& out) const {
    out["values"] = Json::object();
    // Names are unique; `[]` would look for each among all others.
    Json::object_t::Container& values = out["values"].get_ref<Json::object_t&>();
    for (size_t v = 0; v < plan_.graph.values.size(); ++v)
      values.emplace_back(plan_.graph.values[v].name, Text(plan_.assignment.values[v]));
    out["outputs"] = Json::array();
    for (const Sharding& sharding : plan_.assignment.outputs)
      out["outputs"].push_back(Text(sharding));
  }

  Json Shardings(const std::vector<ValueId>& values, const std::vector<Sharding>& shardings) const {
    Json out = Json::array();
    for (size_t i = 0; i < values.size(); ++i)
      out.push_back(values[i] == kNone ? Json() : Json(Text(shardings[i])));
    return out;
  }

  Json LiteralJson(const Node& node, const LocalLiteral& literal) const {
    std::vector<int64_t> values;
    if (literal.input != kNone) {
      values = plan_.graph.value(node.inputs[static_cast<size_t>(literal.input)]).data.ToInts();
    } else {
      const Attribute& attribute = node.attributes.all().at(literal.attribute);
      if (const auto* number = std::get_if<int64_t>(&attribute)) values = {*number};
      if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute)) values = *list;
    }
    Json entries = Json::array();
    for (const LocalEntry& entry : literal.entries)
      entries.push_back(LocalEntryText(entry, plan_.mesh));
    return {{"input", literal.input},
            {"attribute", literal.attribute},
            {"values", values},
            {"entries", std::move(entries)}};
  }

  void WriteNodes(Json& out) const {
    out["nodes"] = Json::array();
    for (size_t n = 0; n < plan_.graph.nodes.size(); ++n) {
      const Node& node = plan_.graph.nodes[n];
      const Strategy& strategy = plan_.assignment.nodes[n];
      Json literals = Json::array();
      for (const LocalLiteral& literal : strategy.literals)
        literals.push_back(LiteralJson(node, literal));
      Json axes = Json::object();
      for (size_t a = 0; a < plan_.mesh.axes.size(); ++a)
        axes[plan_.mesh.axes[a].name] = strategy.axes[a];
      out["nodes"].push_back({{"name", node.name},
                              {"axes", std::move(axes)},
                              {"inputs", Shardings(node.inputs, strategy.inputs)},
                              {"outputs", Shardings(node.outputs, strategy.outputs)},
                              {"literals", std::move(literals)},
                              {"cost", PricedJson(plan_.node_costs[n])}});
      if (!strategy.made.empty())
        out["nodes"].back()["made"] = Shardings(node.outputs, strategy.made);
      for (const CountedInput& counted : strategy.indices)
        out["nodes"].back()["indices"].push_back({{"input", counted.input},
                                                  {"column", counted.column},
                                                  {"from_end", counted.from_end},
                                                  {"size", counted.size},
                                                  {"view", Text(Sharding{{counted.view}, {}})}});
    }
  }

  void WriteRedistributions(Json& out) const {
    out["redistributions"] = Json::array();
    for (const Redistribution& r : plan_.redistributions) {
      Json steps = Json::array();
      for (size_t s = 0; s < r.steps.size(); ++s) {
        const CollectiveStep& step = r.steps[s];
        Json axes = Json::array();
        for (int axis : step.axes) axes.push_back(plan_.mesh.axes[static_cast<size_t>(axis)].name);
        steps.push_back(
            {{"op", Name(step.kind)}, {"axes", std::move(axes)}, {"to", Text(step.to)}});
        if (s < r.bundles.size() && r.bundles[s] >= 0) steps.back()["bundle"] = r.bundles[s];
      }
      out["redistributions"].push_back(
          {{"value", plan_.graph.value(r.value).name},
           {"place", Name(r.place)},
           {"node", r.node == kNone ? "" : plan_.graph.node(r.node).name},
           {"output", r.output},
           {"from", Text(r.steps.front().from)},
           {"to", Text(r.steps.back().to)},
           {"why", Why(r, plan_.graph, plan_.mesh)},
           {"received_bytes", r.received_bytes},
           {"cost", PricedJson(r.price)},
           {"steps", std::move(steps)}});
    }
  }

  const Plan& plan_;
};

}  // namespace

Result<std::string> WritePlan(const Plan& plan) {
  try {
    return Writer(plan).Run();
  } catch (const Json::type_error&) {
    return BadInput("",
                    "the model's path or a name in it is not UTF-8, which a plan file must be",
                    "rename the file, or link to it under another name");
  }
}

}  // namespace metadist
