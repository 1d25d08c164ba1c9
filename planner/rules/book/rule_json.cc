// SPDX-License-Identifier: Apache-2.0
// Every struct is taken apart by a structured binding, so that a field added to one is a compile
// error here until it is written (and the round trip of all examples fails until it is read).
#include "planner/rules/book/rule_json.h"

#include <nlohmann/json.hpp>

#include "planner/rules/probe/sampler.h"

namespace metadist {
namespace {

using Json = nlohmann::json;

template <typename T>
Json Each(const std::vector<T>& list, Json (*one)(const T&)) {
  Json out = Json::array();
  for (const T& item : list) out.push_back(one(item));
  return out;
}

Json ProductJson(const Product& product) {
  const auto& [constant, atoms] = product;
  Json out = Json::array({constant});
  for (const int atom : atoms) out.push_back(atom);
  return out;
}

Json SizeJson(const SymbolicSize& size) {
  const auto& [terms] = size;
  return Each(terms, ProductJson);
}

Json WidthJson(const SymbolicWindow::Width& width) {
  const auto& [constant, slopes] = width;
  Json out = Json::array({constant});
  for (const auto& [atom, slope] : slopes) out.push_back({atom, slope});
  return out;
}

Json PartJson(const SymbolicCut::Part& part) {
  const auto& [atom, unit] = part;
  return Json::array({atom, ProductJson(unit)});
}

Json CutJson(const SymbolicCut& cut) {
  const auto& [tensor, dim, repeat, parts, spare, window] = cut;
  Json out = {{"tensor", tensor},
              {"dim", dim},
              {"repeat", ProductJson(repeat)},
              {"parts", Each(parts, PartJson)}};
  if (spare) out["spare"] = true;
  if (window) {
    const auto& [unit, before, behind, course] = *window;
    out["window"] = {{"unit", unit}, {"before", WidthJson(before)}, {"behind", WidthJson(behind)}};
    if (course == Halo::Course::kMirrored) out["window"]["course"] = "mirrored";
    if (course == Halo::Course::kAround) out["window"]["course"] = "around";
  }
  return out;
}

// An integer of the call: of an input, or of an attribute.
void AddPlace(int input, const std::string& attribute, int entry, Json& out) {
  if (input >= 0)
    out["input"] = input;
  else
    out["attribute"] = attribute;
  out["entry"] = entry;
}

Json ShiftJson(const SymbolicShift& shift) {
  const auto& [literal, by_start, by_end, times, is_index, view] = shift;
  return {{"literal", literal},
          {"by_start", by_start},
          {"by_end", by_end},
          {"times", times},
          {"is_index", is_index},
          {"view", CutJson(view)}};
}

Json IndexJson(const SymbolicIndex& index) {
  const auto& [input, column, from_end, view] = index;
  return {{"input", input}, {"column", column}, {"from_end", from_end}, {"view", CutJson(view)}};
}

Json EndJson(const EndLiteral& end) {
  const auto& [input, attribute, entry, first, by_size, bound] = end;
  Json out = {{"first", first}};
  if (by_size != 0) out["by_size"] = by_size;
  if (bound) out["bound"] = true;
  AddPlace(input, attribute, entry, out);
  return out;
}

Json LiteralJson(const SymbolicLiteral& literal) {
  const auto& [input, attribute, entry, size] = literal;
  Json out = {{"size", SizeJson(size)}};
  AddPlace(input, attribute, entry, out);
  return out;
}

Json InputJson(const SymbolicInput& input) {
  const auto& [is_tensor, sizes] = input;
  return is_tensor ? Each(sizes, SizeJson) : Json(nullptr);
}

Json ExchangeJson(const InnerExchange& exchange) {
  const auto& [node, op, dims] = exchange;
  return {{"node", node}, {"op", Name(op)}, {"dims", dims}};
}

Json InnerJson(const InnerUse& use) {
  const auto& [nodes, exchanges, recipe] = use;
  Json out = {{"nodes", nodes}, {"exchanges", Each(exchanges, ExchangeJson)}};
  if (!recipe.empty()) out["recipe"] = recipe;
  return out;
}

Json PassJson(const PassThrough& pass) {
  const auto& [op, inputs] = pass;
  return {{"op", Name(op)}, {"inputs", inputs}};
}

// What a factor seldom has is left out where it has not.
Json FactorJson(const SymbolicFactor& factor) {
  const auto& [name,
               atoms,
               inputs,
               outputs,
               reductions,
               partial_inputs,
               local_literals,
               shifts,
               indices,
               ends,
               fixed,
               even_only,
               least_piece,
               any_order,
               inner,
               composite,
               others] = factor;
  Json out = {{"name", name},
              {"atoms", atoms},
              {"inputs", Each(inputs, CutJson)},
              {"outputs", Each(outputs, CutJson)}};
  for (const auto& [output, op] : reductions) out["reductions"][std::to_string(output)] = Name(op);
  if (!partial_inputs.empty()) out["partial_inputs"] = partial_inputs;
  if (local_literals) out["local_literals"] = true;
  if (!shifts.empty()) out["shifts"] = Each(shifts, ShiftJson);
  if (!indices.empty()) out["indices"] = Each(indices, IndexJson);
  if (!ends.empty()) out["ends"] = Each(ends, EndJson);
  for (const auto& [atom, size] : fixed) out["fixed"][std::to_string(atom)] = size;
  out["split"] = even_only ? "even" : "any";
  if (least_piece != 1) out["least_piece"] = least_piece;
  if (!any_order) out["in_a_row"] = true;
  if (inner != InnerUse{}) out["inner"] = InnerJson(inner);
  if (composite) out["composite"] = true;
  if (!others.empty()) out["others"] = Each(others, InnerJson);
  return out;
}

}  // namespace

Json ToJson(const SymbolicRule& found) {
  const auto& [atoms,
               dims,
               literals,
               factors,
               pass_through,
               refuted,
               text,
               reason,
               faulty,
               executions,
               kernel_runs,
               seconds] = found;
  Json out{{"atoms", atoms},
           {"dims", Each(dims, InputJson)},
           {"literals", Each(literals, LiteralJson)},
           {"factors", Each(factors, FactorJson)},
           {"pass_through", Each(pass_through, PassJson)},
           {"rule", text},
           {"reason", reason},
           {"faulty", faulty},
           {"evidence",
            {{"execs", executions},
             {"kernel_runs", kernel_runs},
             {"n", kRanksTested},
             {"inputs", kNumInputModes}}}};
  if (!refuted.empty()) out["refuted"] = Each(refuted, FactorJson);
  return out;
}

}  // namespace metadist
