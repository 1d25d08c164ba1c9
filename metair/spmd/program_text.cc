// SPDX-License-Identifier: Apache-2.0
// program
// stage ranks 0-7 mesh data=2,model=4
// graph ... { ... }                          types are global
// output 0 named y                           outputs whose values have other names
// sharding %name [data][]                    values that are not replicated
// literal @node input 1 [][model][]          local values of its integers (local_entry.h)
// literal @node attribute k {start*1,end*0 of 64[model]}
// fused @a @b @c                             nodes that run as one
// channel 0 %y to 1 %x                       output y of stage 0 is input x of stage 1
// batched %tokens %loss                      hold all micro-batches
// schedule 0:0 1:0                           stage:micro-batch
#include <fmt/format.h>

#include <map>

#include "metair/ir/text.h"
#include "metair/ir/text_prefix.h"
#include "metair/ir/text_token.h"
#include "metair/spmd/program.h"

namespace metadist {
namespace {

constexpr int64_t kMostRanks = 1 << 20;

// As the text of a graph lists its values, so that what is read from it prints the same.
std::vector<ValueId> InOrderOfText(const Graph& graph) {
  std::vector<ValueId> order = graph.inputs;
  for (size_t v = 0; v < graph.values.size(); ++v)
    if (const ValueKind kind = graph.values[v].kind;
        kind == ValueKind::kParameter || kind == ValueKind::kConstant)
      order.push_back(static_cast<ValueId>(v));
  for (const Node& node : graph.nodes)
    for (const ValueId output : node.outputs)
      if (output != kNone) order.push_back(output);
  return order;
}

std::string StageText(const Stage& stage) {
  const Mesh& mesh = stage.mesh;
  std::string out = "stage ranks";
  for (size_t i = 0; i < stage.ranks.size();) {
    size_t end = i;
    while (end + 1 < stage.ranks.size() && stage.ranks[end + 1] == stage.ranks[end] + 1) ++end;
    out += fmt::format(" {}", stage.ranks[i]);
    if (end > i) out += fmt::format("-{}", stage.ranks[end]);
    i = end + 1;
  }
  out += fmt::format(" mesh {}\n", MeshText(mesh)) + GraphText(stage.graph);
  for (const auto& [position, name] : stage.output_names)
    out += fmt::format("output {} named {}\n", position, NameText(name));
  for (const ValueId id : InOrderOfText(stage.graph))
    if (!stage.ShardingOf(id).replicated())
      out += fmt::format("sharding %{} {}\n",
                         NameText(stage.graph.value(id).name),
                         ShardingText(stage.ShardingOf(id), mesh));
  for (const auto& [node, literals] : stage.literals)
    for (const LocalLiteral& literal : literals) {
      out += fmt::format("literal @{} {} ",
                         NameText(stage.graph.node(node).name),
                         literal.input != kNone ? fmt::format("input {}", literal.input)
                                                : "attribute " + NameText(literal.attribute));
      for (const LocalEntry& entry : literal.entries) out += LocalEntryText(entry, mesh);
      out += "\n";
    }
  for (const FusedNodes& group : stage.fused) {
    out += "fused";
    for (const NodeId node : group) out += " @" + NameText(stage.graph.node(node).name);
    out += "\n";
  }
  return out;
}

class ProgramParser {
 public:
  explicit ProgramParser(std::string_view text) : rest_(text) {}

  Result<Program> Run() {
    if (!Skip("program\n")) return Fail("expected 'program'");
    ++line_;
    while (Skip("stage ranks ")) TRY(ReadStage());
    while (Skip("channel ")) TRY(ReadChannel());
    if (Skip("batched")) TRY(ReadBatched());
    if (Skip("schedule")) TRY(ReadSchedule());
    if (!rest_.empty())
      return Fail(
          "expected 'stage', 'sharding', 'literal', 'fused', 'channel', 'batched' or 'schedule'");
    TRY(CheckProgram(program_));
    return std::move(program_);
  }

 private:
  Error Fail(const std::string& message) const {
    return BadInput(fmt::format("line {}", line_), message);
  }

  bool Skip(std::string_view word) { return SkipPrefix(rest_, word); }

  std::string_view Line() {
    const size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
    return line;
  }

  // A name, plain or quoted, at the start of `line`.
  Result<std::string> TakeName(std::string_view& line) {
    TokenReader reader(line);
    const Token token = reader.Take();
    const size_t length =
        token.kind == Token::Kind::kQuoted ? QuotedText(token.text).size() : token.text.size();
    if (token.text.empty() || length > line.size()) return Fail("expected a name");
    line.remove_prefix(length);
    if (!line.empty() && line[0] == ' ') line.remove_prefix(1);
    return token.text;
  }

  template <typename T>
  Result<T> TakeCount(std::string_view& line) {
    const auto number = TakeNumber<T>(line);
    if (!number || *number < 0) return Fail("expected a number");
    return *number;
  }

  // "0-3 5 mesh x=5"
  Result<void> ReadRanks(Stage& stage) {
    std::string_view line = Line();
    while (!SkipPrefix(line, "mesh ")) {
      const int64_t first = TRY(TakeCount<int64_t>(line));
      const int64_t last = SkipPrefix(line, "-") ? TRY(TakeCount<int64_t>(line)) : first;
      const bool ascends = stage.ranks.empty() || stage.ranks.back() < first;
      if (last < first || last >= kMostRanks || !ascends)
        return Fail(fmt::format("ranks must ascend and be below {}", kMostRanks));
      for (int64_t rank = first; rank <= last; ++rank) stage.ranks.push_back(rank);
      if (!SkipPrefix(line, " ")) return Fail("expected 'mesh'");
    }
    auto mesh = ParseMesh(line);
    if (!mesh.ok()) return Fail(mesh.error().message);
    stage.mesh = std::move(mesh).value();
    return {};
  }

  Result<void> ReadStage() {
    Stage stage;
    TRY(ReadRanks(stage));
    const size_t end = rest_.find("\n}\n");
    if (end == std::string_view::npos) return Fail("the graph does not end");
    auto graph = ParseGraph(rest_.substr(0, end + 3));
    if (!graph.ok()) return std::move(graph).error().in(fmt::format("graph at line {}", line_));
    for (char c : rest_.substr(0, end + 3)) line_ += c == '\n' ? 1 : 0;
    rest_.remove_prefix(end + 3);
    stage.graph = std::move(graph).value();
    for (const Value& value : stage.graph.values)
      stage.shardings.push_back(Sharding::Replicated(value.type.shape.size()));
    std::map<std::string, NodeId> nodes;
    for (size_t n = 0; n < stage.graph.nodes.size(); ++n)
      nodes[stage.graph.nodes[n].name] = static_cast<NodeId>(n);
    while (Skip("output ")) TRY(ReadOutputName(stage));
    while (Skip("sharding %")) TRY(ReadSharding(stage));
    while (Skip("literal @")) TRY(ReadLiteral(stage, nodes));
    while (Skip("fused ")) TRY(ReadFused(stage, nodes));
    program_.stages.push_back(std::move(stage));
    return {};
  }

  Result<void> ReadOutputName(Stage& stage) {
    std::string_view line = Line();
    const size_t position = TRY(TakeCount<size_t>(line));
    if (position >= stage.graph.outputs.size()) return Fail("no such output");
    if (!SkipPrefix(line, " named ")) return Fail("expected 'named'");
    stage.output_names[position] = TRY(TakeName(line));
    return {};
  }

  Result<void> ReadSharding(Stage& stage) {
    std::string_view line = Line();
    const std::string name = TRY(TakeName(line));
    const ValueId id = stage.graph.FindValue(name);
    if (id == kNone) return Fail(fmt::format("no value '{}'", name));
    auto sharding = ParseSharding(line, stage.graph.value(id).type.shape, stage.mesh);
    if (!sharding.ok()) return Fail(sharding.error().message);
    stage.shardings[static_cast<size_t>(id)] = std::move(sharding).value();
    return {};
  }

  Result<void> ReadLiteral(Stage& stage, const std::map<std::string, NodeId>& nodes) {
    std::string_view line = Line();
    const std::string name = TRY(TakeName(line));
    const auto node = nodes.find(name);
    if (node == nodes.end()) return Fail(fmt::format("no node '{}'", name));
    LocalLiteral literal;
    const std::string kind = TRY(TakeName(line));
    if (kind == "input") {
      literal.input = TRY(TakeCount<int>(line));
      if (literal.input >= static_cast<int>(stage.graph.node(node->second).inputs.size()))
        return Fail("no such input");
      SkipPrefix(line, " ");
    } else {
      literal.attribute = TRY(TakeName(line));
    }
    const auto entries = WholeValues(stage.graph, stage.graph.node(node->second), literal);
    if (!entries) return Fail(fmt::format("node '{}' has no such integers", name));
    for (const int64_t value : *entries) {
      auto entry = TakeLocalEntry(line, value, stage.mesh);
      if (!entry.ok()) return Fail(entry.error().message);
      literal.entries.push_back(std::move(entry).value());
    }
    if (!line.empty()) return Fail(fmt::format("unexpected '{}'", line));
    stage.literals[node->second].push_back(std::move(literal));
    return {};
  }

  Result<void> ReadFused(Stage& stage, const std::map<std::string, NodeId>& nodes) {
    std::string_view line = Line();
    FusedNodes& group = stage.fused.emplace_back();
    while (!line.empty()) {
      if (!SkipPrefix(line, "@")) return Fail("expected a node");
      const std::string name = TRY(TakeName(line));
      const auto node = nodes.find(name);
      if (node == nodes.end()) return Fail(fmt::format("no node '{}'", name));
      group.push_back(node->second);
    }
    return {};
  }

  // "0 %y": the stage, and the position of the value among its ends.
  Result<std::pair<int, size_t>> TakeEnd(std::string_view& line, bool output) {
    const int index = TRY(TakeCount<int>(line));
    if (index >= static_cast<int>(program_.stages.size())) return Fail("no such stage");
    if (!SkipPrefix(line, " %")) return Fail("expected a value");
    const std::string name = TRY(TakeName(line));
    const Graph& graph = program_.stages[static_cast<size_t>(index)].graph;
    const std::vector<ValueId>& ends = output ? graph.outputs : graph.inputs;
    for (size_t i = 0; i < ends.size(); ++i)
      if (graph.value(ends[i]).name == name) return std::pair(index, i);
    return Fail(fmt::format("stage {} has no {} '{}'", index, output ? "output" : "input", name));
  }

  Result<void> ReadChannel() {
    std::string_view line = Line();
    const auto from = TRY(TakeEnd(line, /*output=*/true));
    if (!SkipPrefix(line, "to ")) return Fail("expected 'to'");
    const auto to = TRY(TakeEnd(line, /*output=*/false));
    if (!line.empty()) return Fail(fmt::format("unexpected '{}'", line));
    program_.channels.push_back({from.first, to.first, from.second, to.second});
    return {};
  }

  Result<void> ReadBatched() {
    std::string_view line = Line();
    SkipPrefix(line, " ");
    while (!line.empty()) {
      if (!SkipPrefix(line, "%")) return Fail("expected a name");
      program_.batched.push_back(TRY(TakeName(line)));
    }
    return {};
  }

  Result<void> ReadSchedule() {
    std::string_view line = Line();
    while (!line.empty()) {
      ScheduleStep step;
      if (!SkipPrefix(line, " ")) return Fail("expected stage:micro-batch");
      step.stage = TRY(TakeCount<int>(line));
      if (step.stage >= static_cast<int>(program_.stages.size())) return Fail("no such stage");
      if (!SkipPrefix(line, ":")) return Fail("expected stage:micro-batch");
      step.micro_batch = TRY(TakeCount<int>(line));
      program_.schedule.push_back(step);
    }
    return {};
  }

  std::string_view rest_;
  int line_ = 1;
  Program program_;
};

}  // namespace

std::string ProgramText(const Program& program) {
  std::string out = "program\n";
  for (const Stage& stage : program.stages) out += StageText(stage);
  const auto name = [](const Graph& graph, ValueId id) { return NameText(graph.value(id).name); };
  for (const Channel& channel : program.channels) {
    const Graph& from = program.stages[static_cast<size_t>(channel.from)].graph;
    const Graph& to = program.stages[static_cast<size_t>(channel.to)].graph;
    out += fmt::format("channel {} %{} to {} %{}\n",
                       channel.from,
                       name(from, from.outputs[channel.output]),
                       channel.to,
                       name(to, to.inputs[channel.input]));
  }
  if (!program.batched.empty()) out += "batched";
  for (const std::string& batched : program.batched) out += " %" + NameText(batched);
  if (!program.batched.empty()) out += "\n";
  out += "schedule";
  for (const ScheduleStep& step : program.schedule)
    out += fmt::format(" {}:{}", step.stage, step.micro_batch);
  return out + "\n";
}

Result<Program> ParseProgram(std::string_view text) { return ProgramParser(text).Run(); }

}  // namespace metadist
