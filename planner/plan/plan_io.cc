// SPDX-License-Identifier: Apache-2.0
// The fields of a plan file. Shardings and names refer to the mesh and the graph, which come first.
#include "planner/plan/plan_io.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "metair/ir/text.h"
#include "metair/json/document.h"
#include "metair/json/names.h"
#include "metair/json/visitor.h"
#include "planner/plan/plan_names.h"

namespace metadist {
namespace {

constexpr char kPlanHint[] = "`metadist plan MODEL --cluster C -o FILE` writes one";

// Range of one kind of memory, such that their sum is in range.
constexpr Integers kBytes{INT64_MIN / 4, INT64_MAX / 4};

void VisitPriced(JsonVisitor& v, Priced& price) {
  v.Field("seconds", price.seconds);
  static const auto kClasses = AnyUpTo(Provenance::kAnalytic);
  static const auto kReaches = AnyUpTo(Reach::kTransferred);
  v.Field("class", price.provenance, kClasses);
  v.Field("reach", price.reach, kReaches);
  v.Field("band", price.band);
  v.Field("by_class", price.seconds_by_class);
}

void VisitTraffic(JsonVisitor& v, Traffic& traffic) {
  v.Field("count", traffic.count);
  v.Field("bytes", traffic.bytes);
  v.Field("seconds", traffic.seconds);
}

void VisitSolver(JsonVisitor& v, SolverReport& s) {
  v.Field("name", s.solver);
  v.Field("status", s.status);
  v.Field("problem", s.problem);
  v.Field("cost_picoseconds", s.cost);
  v.Field("bound_picoseconds", s.bound);
  v.Field("gap", s.gap);
  v.Field("free_bound_picoseconds", s.free_bound);
  v.Field("nodes", s.nodes);
  v.Field("strategies", s.strategies);
  v.Field("pruned", s.pruned);
  v.Object("reduced", [&](JsonVisitor& reduced) {
    reduced.Field("nodes", s.reduced_nodes);
    reduced.Field("edges", s.reduced_edges);
    reduced.Field("entries", s.reduced_entries);
  });
  v.Field("deletions", s.deletions);
  v.Field("stopped_by", s.stopped_by);
}

void VisitAlternative(JsonVisitor& v, Alternative& a) {
  v.Field("name", a.name);
  v.Field("step_seconds", a.step_seconds);
  v.Defaulted("overlapped_seconds", a.overlapped_seconds, 0.0);
  v.Field("peak_bytes", a.peak_bytes);
  v.Field("feasible", a.feasible);
  v.Field("note", a.note);
}

void VisitOverlapped(JsonVisitor& v, Overlapped& o) {
  v.Field("step_seconds", o.step_seconds, Reals::kNotNegative);
  v.Field("exposed_seconds", o.exposed_seconds, Reals::kNotNegative);
  v.Field("hidden_seconds", o.hidden_seconds, Reals::kNotNegative);
}

void VisitTraining(JsonVisitor& v, std::optional<TrainingOptions>& training) {
  if (v.reading()) training.emplace();
  TrainingOptions& t = *training;
  v.Field("optimizer", t.optimizer, Texts::kNotEmpty);
  v.Field("loss", t.loss);
  v.Field("trainable", t.trainable, Texts::kNotEmpty);
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, double*>>{{"learning_rate", &t.learning_rate},
                                                              {"beta1", &t.beta1},
                                                              {"beta2", &t.beta2},
                                                              {"epsilon", &t.epsilon},
                                                              {"weight_decay", &t.weight_decay},
                                                              {"momentum", &t.momentum},
                                                              {"clip", &t.clip}})
    v.Field(name, *value, Reals::kNotNegative);
  v.Optional("precision", t.precision, "");
  v.Optional("loss_scale", t.loss_scale, "");
  v.Optional("masters", t.masters, true);
  v.Optional("recompute", t.recompute, "none", Texts::kNotEmpty);
  v.Optional("micro_batches", t.micro_batches, 1, Integers{1, kMostMicroBatches});
}

class PlanFields {
 public:
  explicit PlanFields(Plan& plan) : plan_(plan) {}

  void Visit(JsonVisitor& v) {
    if (!v.Schema(kPlanSchema, kPlanSchemaVersion, kPlanHint)) return;
    v.Field("tool_version", plan_.origin.tool_version);
    v.Unread("command", [] { return "plan"; });
    v.Field("seed", plan_.seed);
    VisitOrigin(v);
    // The rest refers to the mesh and the graph.
    bool has_mesh = false;
    bool has_graph = false;
    v.Field("mesh", plan_.mesh, [&](JsonVisitor& at, Mesh&) {
      VisitMesh(at);
      has_mesh = at.ok();
    });
    v.Field("solver", plan_.solver, VisitSolver);
    VisitFigures(v);
    v.Field("alternatives", plan_.alternatives, VisitAlternative);
    v.Field("graph", plan_.graph, [&](JsonVisitor& at, Graph&) {
      VisitGraph(at);
      has_graph = at.ok();
    });
    if (!has_mesh || !has_graph) return v.LeaveRest();
    VisitValues(v);
    VisitNodes(v);
    v.Field("redistributions", plan_.redistributions, [this](JsonVisitor& at, Redistribution& r) {
      VisitRedistribution(at, r);
    });
    v.Optional("order", plan_.order, {});
    VisitSchedule(v);
  }

 private:
  void VisitOrigin(JsonVisitor& v) {
    PlanOrigin& origin = plan_.origin;
    v.Object("model", [&](JsonVisitor& model) {
      model.Field("path", origin.model_path);
      model.Field("hash", origin.model_hash);
      model.Field("binds", origin.binds);
      model.Field("passes_off", origin.passes_off);
      model.Optional("training", origin.training, std::nullopt, VisitTraining);
    });
    v.Object("cluster", [&](JsonVisitor& cluster) {
      cluster.Field("spec", origin.cluster);
      cluster.Field("profile", origin.profile);
      cluster.Field("profile_hash", origin.profile_hash);
    });
  }

  void VisitMesh(JsonVisitor& v) {
    v.Text([&] { return MeshText(plan_.mesh); },
           [&](const std::string& text) {
             auto mesh = ParseMesh(text);
             if (!mesh.ok()) return v.Wrong(mesh.error().message);
             plan_.mesh = std::move(mesh).value();
           });
  }

  void VisitFigures(JsonVisitor& v) {
    Prediction& p = plan_.prediction;
    v.Field("step", p.step, VisitPriced);
    v.Field("compute", p.compute, VisitPriced);
    v.Field("communication", p.communication, VisitPriced);
    v.Defaulted("overlapped", p.overlap, Overlapped{}, VisitOverlapped);
    v.Field("memory_limit_bytes", plan_.memory_limit_bytes);
    v.Field("reduce_in", plan_.reduce_in, OneOf({ReduceIn::kF32, ReduceIn::kType}));
    int64_t peak = plan_.peak_bytes();
    v.Field("peak_bytes", peak);
    v.Object("memory", [&](JsonVisitor& memory) {
      memory.Field("parameters", p.memory.parameters, kBytes);
      memory.Defaulted("gradients", p.memory.gradients, int64_t{0}, kBytes);
      memory.Defaulted("optimizer", p.memory.optimizer, int64_t{0}, kBytes);
      memory.Field("activations", p.memory.activations, kBytes);
      memory.Field("buffers", p.memory.buffers, kBytes);
      if (memory.ok() && peak != plan_.peak_bytes())
        v.WrongAt("peak_bytes",
                  fmt::format("must be the sum of memory, {}, got {}", plan_.peak_bytes(), peak));
    });
    v.Field("collectives", p.collectives, VisitTraffic);
    v.Field("collectives_by_axis", p.by_axis, VisitTraffic);
  }

  void VisitGraph(JsonVisitor& v) {
    std::vector<std::string> lines;
    if (!v.reading()) {
      std::istringstream text(GraphText(plan_.graph, plan_.own_constants));
      for (std::string line; std::getline(text, line);) lines.push_back(line);
    }
    v.Visit(lines);
    if (!v.reading() || !v.ok()) return;
    auto graph = ParseGraph(fmt::format("{}\n", fmt::join(lines, "\n")));
    if (!graph.ok()) return v.Wrong(graph.error().text());
    plan_.graph = std::move(graph).value();
    for (size_t i = 0; i < plan_.graph.values.size(); ++i) {
      const Value& value = plan_.graph.values[i];
      if (value.kind == ValueKind::kConstant && value.data.has_data() &&
          value.data.size() > kInlineElements)
        plan_.own_constants.insert(value.name);
      value_ids_[value.name] = static_cast<int>(i);
    }
    for (size_t n = 0; n < plan_.graph.nodes.size(); ++n)
      node_ids_[plan_.graph.nodes[n].name] = static_cast<int>(n);
  }

  void VisitSharding(JsonVisitor& v, Sharding& sharding, const TensorType& type) const {
    v.Text(
        [&] { return ShardingText(sharding, plan_.mesh); },
        [&](const std::string& text) {
          auto read = ParseSharding(text, type.shape, plan_.mesh);
          if (!read.ok()) return v.Wrong(read.error().message);
          if (HeldType(type, read.value()) != type && !IsNarrowFloat(type.element))
            return v.Wrong(fmt::format("a value of {} cannot be held in f32", Name(type.element)));
          sharding = Normalize(read.value(), plan_.mesh);
        });
  }

  // Shardings of these values; null for an omitted operand.
  auto Of(const std::vector<ValueId>& values) const {
    return [this, &values](JsonVisitor& v, std::vector<Sharding>& list) {
      if (!v.Tuple(values.size())) return;
      if (v.reading()) list.resize(values.size());
      for (size_t i = 0; i < values.size(); ++i)
        v.Item(i, list[i], [&](JsonVisitor& item, Sharding& sharding) {
          const bool left_out = values[i] == kNone;
          if (item.Null(left_out) != left_out)
            item.Wrong(left_out ? "must be null: the operand is left out"
                                : "must be a sharding, got null");
          else if (!left_out)
            VisitSharding(item, sharding, plan_.graph.value(values[i]).type);
        });
    };
  }

  void VisitValues(JsonVisitor& v) {
    const std::vector<Value>& values = plan_.graph.values;
    std::vector<Sharding>& shardings = plan_.assignment.values;
    if (v.reading()) shardings.resize(values.size());
    v.Object("values", [&](JsonVisitor& object) {
      for (size_t i = 0; i < values.size(); ++i)
        object.Field(values[i].name, shardings[i], [&](JsonVisitor& at, Sharding& sharding) {
          VisitSharding(at, sharding, values[i].type);
        });
    });
    v.Field("outputs", plan_.assignment.outputs, Of(plan_.graph.outputs));
    if (v.reading() && v.ok()) CheckState(v);
  }

  // State must have the same sharding at the start of a step as at the end of the previous one.
  void CheckState(JsonVisitor& v) const {
    for (const StatePair& pair : plan_.graph.state) {
      const Sharding& sum = plan_.assignment.values[static_cast<size_t>(pair.output)];
      if (pair.sums && sum != plan_.assignment.values[static_cast<size_t>(pair.input)])
        v.WrongAt("values",
                  fmt::format("the sum '{}' and its new value need one sharding",
                              plan_.graph.value(pair.input).name));
      for (size_t i = 0; i < plan_.graph.outputs.size(); ++i) {
        const Sharding& begins = plan_.assignment.values[static_cast<size_t>(pair.input)];
        if (pair.sums || plan_.graph.outputs[i] != pair.output ||
            plan_.assignment.outputs[i] == begins)
          continue;
        v.WrongAt("outputs",
                  fmt::format("output {} must be {}, as the state '{}' is stored that it replaces",
                              i,
                              ShardingText(begins, plan_.mesh),
                              plan_.graph.value(pair.input).name));
      }
    }
  }

  void VisitLiteral(JsonVisitor& v, LocalLiteral& literal, const Node& node) const {
    v.Field("input", literal.input, Integers{kNone, std::ssize(node.inputs) - 1});
    v.Field("attribute", literal.attribute);
    std::vector<int64_t> values;
    std::vector<std::string> entries;
    if (!v.reading()) {
      values = WholeValues(plan_.graph, node, literal).value_or(std::vector<int64_t>());
      for (const LocalEntry& entry : literal.entries)
        entries.push_back(LocalEntryText(entry, plan_.mesh));
    }
    v.Field("values", values);
    v.Field("entries", entries);
    if (!v.reading() || !v.ok()) return;
    if (literal.input != kNone && node.inputs[static_cast<size_t>(literal.input)] == kNone)
      v.WrongAt("input", fmt::format("'{}' has no input {}", node.name, literal.input));
    if (literal.input == kNone && !node.attributes.has(literal.attribute))
      v.WrongAt("attribute", fmt::format("'{}' has no such attribute", node.name));
    if (values.size() != entries.size())
      return v.WrongAt(
          "values",
          fmt::format("must be as many as entries, {}, got {}", entries.size(), values.size()));
    for (size_t i = 0; i < entries.size(); ++i) {
      std::string_view rest = entries[i];
      auto entry = TakeLocalEntry(rest, values[i], plan_.mesh);
      const std::string place = fmt::format("entries[{}]", i);
      if (!entry.ok())
        v.WrongAt(place, entry.error().message);
      else if (!rest.empty())
        v.WrongAt(place, fmt::format("unexpected '{}'", rest));
      else
        literal.entries.push_back(std::move(entry).value());
    }
  }

  void VisitCounted(JsonVisitor& v, CountedInput& counted, const Node& node) const {
    v.Field("input", counted.input, Integers{0, std::ssize(node.inputs) - 1});
    v.Field("column", counted.column, Integers{-1, INT32_MAX});
    v.Field("from_end", counted.from_end);
    v.Field("size", counted.size);
    const ValueId input = v.ok() ? node.inputs[static_cast<size_t>(counted.input)] : kNone;
    if (v.ok() && input == kNone)
      v.WrongAt("input", fmt::format("'{}' has no input {}", node.name, counted.input));
    if (!v.ok()) return v.LeaveRest();
    const Shape& shape = plan_.graph.value(input).type.shape;
    if (counted.column >= 0 && (shape.empty() || counted.column >= shape.back()))
      v.WrongAt("column", fmt::format("input {} has no column {}", counted.input, counted.column));
    Sharding view{{counted.view}, {}};
    v.Field("view", view, [&](JsonVisitor& at, Sharding& sharding) {
      VisitSharding(at, sharding, {ElementType::kI64, {counted.size}});
      if (!at.reading() || !at.ok()) return;
      counted.view = sharding.dims[0];
      const LocalEntry entry{counted.view, LocalEntry::Kind::kShifted};
      if (auto fits = Validate(entry, 0, plan_.mesh); !fits.ok()) at.Wrong(fits.error().message);
    });
  }

  void VisitNodes(JsonVisitor& v) {
    const size_t count = plan_.graph.nodes.size();
    std::vector<Strategy>& strategies = plan_.assignment.nodes;
    if (v.reading()) strategies.resize(count);
    if (v.reading()) plan_.node_costs.resize(count);
    v.Field("nodes", strategies, [&](JsonVisitor& list, std::vector<Strategy>&) {
      if (!list.Tuple(count)) return;
      for (size_t n = 0; n < count; ++n)
        list.Item(n, strategies[n], [&](JsonVisitor& at, Strategy& strategy) {
          VisitNode(at, strategy, plan_.graph.nodes[n], plan_.node_costs[n]);
        });
    });
  }

  void VisitNode(JsonVisitor& v, Strategy& strategy, const Node& node, Priced& cost) const {
    v.Constant("name", node.name);
    v.Object("axes", [&](JsonVisitor& axes) {
      if (axes.reading()) strategy.axes.resize(plan_.mesh.axes.size());
      for (size_t a = 0; a < plan_.mesh.axes.size(); ++a)
        axes.Field(plan_.mesh.axes[a].name, strategy.axes[a]);
    });
    v.Field("inputs", strategy.inputs, Of(node.inputs));
    v.Field("outputs", strategy.outputs, Of(node.outputs));
    v.Field("literals", strategy.literals, [&](JsonVisitor& at, LocalLiteral& literal) {
      VisitLiteral(at, literal, node);
    });
    v.Field("cost", cost, VisitPriced);
    v.Optional("made", strategy.made, {}, Of(node.outputs));
    if (v.reading() && v.ok() && strategy.made_outputs().size() == strategy.outputs.size())
      for (size_t i = 0; i < strategy.made.size(); ++i)
        if (strategy.made[i].WithoutSpares() != strategy.outputs[i])
          v.WrongAt("made", "must be the outputs, with spare elements at most");
    v.Optional("indices", strategy.indices, {}, [&](JsonVisitor& at, CountedInput& counted) {
      VisitCounted(at, counted, node);
    });
  }

  void VisitRedistribution(JsonVisitor& v, Redistribution& r) const {
    using enum Redistribution::Place;
    int64_t output = r.output;
    v.Field("value", r.value, [&](JsonVisitor& at, ValueId& id) {
      at.Text([&] { return plan_.graph.value(id).name; },
              [&](const std::string& name) { id = Find(at, value_ids_, name); });
    });
    v.Field("place", r.place, OneOf({kKept, kUse, kOutput}));
    v.Field("node", r.node, [&](JsonVisitor& at, NodeId& id) {
      at.Text([&] { return id == kNone ? "" : plan_.graph.node(id).name; },
              [&](const std::string& name) {
                if (r.place != kOutput) id = Find(at, node_ids_, name);
              });
    });
    v.Field("output", output);
    if (v.reading() && v.ok() && r.place == kOutput) {
      if (output < 0 || output >= std::ssize(plan_.graph.outputs))
        v.WrongAt("output", fmt::format("the graph has no output {}", output));
      r.output = static_cast<int>(output);
    }
    if (!v.ok()) return v.LeaveRest();
    const TensorType& type = plan_.graph.value(r.value).type;
    const auto of_value = [&](JsonVisitor& at, Sharding& s) { VisitSharding(at, s, type); };
    Sharding from = v.reading() ? Sharding() : r.steps.front().from;
    v.Field("from", from, of_value);
    v.Unread("to", [&](JsonVisitor& to) { of_value(to, r.steps.back().to); });
    v.Unread("why", [&] { return Why(r, plan_.graph, plan_.mesh); });
    v.Field("received_bytes", r.received_bytes);
    v.Field("cost", r.price, VisitPriced);
    v.Field("steps", r.steps, [&](JsonVisitor& list, std::vector<CollectiveStep>& steps) {
      const size_t count = list.Items(steps.size());
      if (list.reading()) steps.resize(count);
      if (count == 0 && list.ok()) list.Wrong("must be a list of one step at least");
      if (list.reading()) r.bundles.assign(count, -1);
      for (size_t s = 0; s < count; ++s)
        list.Item(s, steps[s], [&](JsonVisitor& at, CollectiveStep& step) {
          int bundle = s < r.bundles.size() ? r.bundles[s] : -1;
          VisitStep(at, step, bundle, of_value);
          if (!at.reading()) return;
          r.bundles[s] = bundle;
          step.from = s == 0 ? from : steps[s - 1].to;
        });
    });
  }

  static int Find(JsonVisitor& v, const std::map<std::string, int>& ids, const std::string& name) {
    const auto found = ids.find(name);
    if (found == ids.end()) v.Wrong(fmt::format("the graph has no '{}'", name));
    return found == ids.end() ? kNone : found->second;
  }

  template <typename OfValue>
  void VisitStep(JsonVisitor& v, CollectiveStep& step, int& bundle, const OfValue& of_value) const {
    static const auto kKinds = AnyUpTo(CollectiveKind::kAllReduce);
    v.Field("op", step.kind, kKinds);
    v.Field("axes", step.axes, [this](JsonVisitor& at, int& axis) {
      at.Text([&] { return plan_.mesh.axes[static_cast<size_t>(axis)].name; },
              [&](const std::string& name) {
                axis = plan_.mesh.Find(name);
                if (axis < 0) at.Wrong(fmt::format("the mesh has no axis '{}'", name));
              });
    });
    v.Field("to", step.to, of_value);
    v.Optional("bundle", bundle, -1, Integers{0, INT32_MAX});
  }

  // One stage and one micro-batch.
  void VisitSchedule(JsonVisitor& v) const {
    int64_t ranks = plan_.mesh.ranks();
    int64_t none = 0;
    v.Unread("stages", [&](JsonVisitor& stages) {
      stages.Items(1);
      stages.Item(0, ranks, [](JsonVisitor& at, int64_t& of) { at.Field("ranks", of); });
    });
    v.Unread("schedule", [&](JsonVisitor& schedule) {
      schedule.Items(1);
      schedule.Item(0, none, [](JsonVisitor& at, int64_t& of) {
        at.Field("stage", of);
        at.Field("micro_batch", of);
      });
    });
  }

  Plan& plan_;
  std::map<std::string, int> value_ids_;
  std::map<std::string, int> node_ids_;
};

void VisitPlan(JsonVisitor& v, Plan& plan) { PlanFields(plan).Visit(v); }

}  // namespace

Result<std::string> WritePlan(const Plan& plan) {
  nlohmann::ordered_json out;
  WriteJson(plan, VisitPlan, out);
  try {
    return out.dump(1) + "\n";
  } catch (const nlohmann::ordered_json::type_error&) {
    return BadInput("",
                    "the model's path or a name in it is not UTF-8, which a plan file must be",
                    "rename the file, or link to it under another name");
  }
}

Result<Plan> ReadPlan(std::string_view text, const std::string& where) {
  const nlohmann::json document = TRY(ParseJson(text, where, "a plan", kPlanHint));
  Plan plan;
  TRY(ReadJson(document, where, [&](JsonVisitor& v) { VisitPlan(v, plan); }));
  return plan;
}

}  // namespace metadist
