// SPDX-License-Identifier: Apache-2.0
// A file may hold anything, and what is read here is used without further checks: numbers are
// bounded so that no size computed from them overflows at any sizes a call may have
// (Representable), and indices are checked. Whether a record fits the call for which it is used is
// a separate check (SameForm).
//
// Every struct is unpacked by a structured binding, so that a field added to one is a compile error
// here until it is visited.
#include "planner/rules/book/rule_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "metair/json/names.h"
#include "planner/rules/factor/pieces.h"
#include "planner/rules/probe/sampler.h"
#include "planner/rules/search/offsets.h"

namespace metadist {
namespace {

constexpr JsonLimits kRuleLimits{.elements = 1 << 16, .text_bytes = 1 << 22};
constexpr int64_t kLargestSample = 1 << 20;
constexpr int64_t kLargestConstant = int64_t{1} << 40;
constexpr int64_t kLargestReadStep = 1 << 16;
constexpr int64_t kMostReadOutputs = 1 << 16;
constexpr Integers kSamples{1, kLargestSample};
constexpr Integers kSteps{-kLargestReadStep, kLargestReadStep};

const auto kReductions = OneOf(kReduceOps);

Integers IndexOf(size_t count) { return {0, static_cast<int64_t>(count) - 1}; }

template <typename T, typename Key = std::identity>
bool Ascend(const std::vector<T>& list, Key key = {}) {
  return std::ranges::adjacent_find(list, std::greater_equal(), key) == list.end();
}

// Limits of a product's constant: alone, and in front of atoms.
struct ProductLimits {
  Integers alone{1, kLargestConstant};
  Integers factor{1, kLargestConstant};
};

// A map whose keys, numbers below `count`, are the names of an object's fields.
template <typename T, typename How>
void VisitNumbered(
    JsonVisitor& v, std::string_view name, std::map<int, T>& map, size_t count, const How& how) {
  std::map<std::string, T> named;
  if (!v.reading())
    for (const auto& [number, value] : map) named[std::to_string(number)] = value;
  v.Optional(name, named, {}, [&](JsonVisitor& object, std::map<std::string, T>& all) {
    object.Visit(all, how);
    if (!object.reading() || !object.ok()) return;
    for (const auto& [key, value] : all) {
      const bool digits = !key.empty() && key.size() <= 6 &&
                          key.find_first_not_of("0123456789") == std::string::npos &&
                          (key == "0" || key[0] != '0');
      if (digits && std::stoul(key) < count)
        map[std::stoi(key)] = value;
      else
        object.Wrong(fmt::format("must have numbers below {} as names, got '{}'", count, key));
    }
  });
}

class RuleFields {
  template <typename T>
  auto By(void (RuleFields::*visit)(JsonVisitor&, T&)) {
    return [this, visit](JsonVisitor& v, T& value) { (this->*visit)(v, value); };
  }

 public:
  explicit RuleFields(SymbolicRule& found) : found_(found) {}

  void Visit(JsonVisitor& v) {
    auto& [atoms,
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
           seconds] = found_;
    v.Limit(kRuleLimits);
    v.Field("atoms", atoms, kSamples);
    v.Field("dims", dims, By(&RuleFields::Input));
    v.Field("literals", literals, By(&RuleFields::Literal));
    if (!v.ok()) return v.LeaveRest();  // indices refer to these
    v.Field("factors", factors, By(&RuleFields::Factor));
    std::set<std::string> names;
    for (size_t f = 0; v.ok() && f < factors.size(); ++f)
      if (!names.insert(factors[f].name).second)
        v.WrongAt("factors", fmt::format("two have the name '{}'", factors[f].name));
    v.Optional("refuted", refuted, {}, By(&RuleFields::Factor));
    v.Field("pass_through", pass_through, By(&RuleFields::Pass));
    v.Field("rule", text);
    v.Field("reason", reason);
    v.Field("faulty", faulty);
    if (v.ok() && factors.empty() == reason.empty())
      v.WrongAt("reason", "must be there where there are no factors, and only there");
    if (v.ok() && faulty && !(factors.empty() && dims.empty()))
      v.WrongAt("faulty", "must be false where anything else is known of the operator");
    v.Object("evidence", [&](JsonVisitor& evidence) {
      std::vector<int64_t> ranks(kRanksTested.begin(), kRanksTested.end());
      int modes = kNumInputModes;
      evidence.Field("execs", found_.executions, Integers{0});
      evidence.Field("kernel_runs", found_.kernel_runs, Integers{0});
      evidence.Field("n", ranks);
      evidence.Field("inputs", modes, Integers{kNumInputModes, kNumInputModes});
      if (!std::equal(ranks.begin(), ranks.end(), kRanksTested.begin(), kRanksTested.end()))
        evidence.WrongAt("n", "must be the numbers of ranks that this version tests");
    });
  }

 private:
  Integers AtomIndex() const { return IndexOf(found_.atoms.size()); }

  bool IsTensor(int input) const {
    return input >= 0 && found_.dims[static_cast<size_t>(input)].is_tensor;
  }

  void ProductWithin(JsonVisitor& v, Product& product, const ProductLimits& limits) {
    auto& [constant, atoms] = product;
    const size_t count = v.Items(1 + atoms.size());
    if (count == 0 && v.ok()) v.Wrong("must be a constant and atoms, got nothing");
    if (count == 0) return;
    v.Item(0, constant, count == 1 ? limits.alone : limits.factor);
    if (count > 1 && constant == 0) v.WrongAt("[0]", "must be a factor, got 0");
    if (v.reading()) atoms.resize(count - 1);
    for (size_t i = 1; i < count; ++i) v.Item(i, atoms[i - 1], AtomIndex());
    if (v.ok() && !std::ranges::is_sorted(atoms)) v.Wrong("must have ascending atoms");
  }

  void PlainProduct(JsonVisitor& v, Product& product) { ProductWithin(v, product, {}); }

  // Of a dim: not negative. Of a literal: any integer if it is the only term; otherwise any slope.
  void Size(JsonVisitor& v, SymbolicSize& size, bool literal) {
    auto& [terms] = size;
    v.Visit(terms, [&](JsonVisitor& term, Product& product) {
      ProductLimits limits{.alone = {0, kLargestConstant}};
      if (literal && terms.size() == 1) limits.alone = {};
      if (literal && terms.size() > 1)
        limits.alone = limits.factor = {-kLargestConstant, kLargestConstant};
      ProductWithin(term, product, limits);
    });
    if (v.ok() && terms.empty()) v.Wrong("must be a sum of products, got nothing");
  }

  void DimSize(JsonVisitor& v, SymbolicSize& size) { Size(v, size, /*literal=*/false); }
  void LiteralSize(JsonVisitor& v, SymbolicSize& size) { Size(v, size, /*literal=*/true); }

  void Input(JsonVisitor& v, SymbolicInput& input) {
    auto& [is_tensor, sizes] = input;
    const bool none = v.Null(!is_tensor);
    if (v.reading()) is_tensor = !none;
    if (!none) v.Visit(sizes, By(&RuleFields::DimSize));
  }

  // An integer of the call: of an input, or of an attribute.
  void IntegerOf(JsonVisitor& v, int& input, std::string& attribute, int& entry) {
    v.Optional("input", input, -1, IndexOf(found_.dims.size()));
    if (v.ok() && IsTensor(input)) v.WrongAt("input", "must be an input of literals, got a tensor");
    if (v.ok() && input < 0) v.Field("attribute", attribute);
    v.Field("entry", entry, Integers{0, kLargestSample});
  }

  void Literal(JsonVisitor& v, SymbolicLiteral& literal) {
    auto& [input, attribute, entry, size] = literal;
    v.Field("size", size, By(&RuleFields::LiteralSize));
    IntegerOf(v, input, attribute, entry);
    if (!v.ok()) v.LeaveRest();
  }

  void Inputs(JsonVisitor& v, std::vector<int>& inputs) {
    v.Visit(inputs, IndexOf(found_.dims.size()));
    if (!v.ok()) return;
    if (inputs.empty()) v.Wrong("must be inputs, got none");
    if (!std::ranges::all_of(inputs, [&](int input) { return IsTensor(input); }))
      v.Wrong("must be tensors");
    if (!Ascend(inputs)) v.Wrong("must be ascending inputs");
  }

  void Slope(JsonVisitor& v, std::pair<int, int64_t>& slope) {
    if (!v.Tuple(2)) return;
    v.Item(0, slope.first, AtomIndex());
    v.Item(1, slope.second, kSteps);
    if (v.ok() && slope.second == 0) v.Wrong("must be an atom and its slope, got 0");
  }

  void Width(JsonVisitor& v, SymbolicWindow::Width& width) {
    auto& [constant, slopes] = width;
    const size_t count = v.Items(1 + slopes.size());
    if (count == 0 && v.ok()) v.Wrong("must be a constant and slopes, got nothing");
    if (count == 0) return;
    v.Item(0, constant, Integers{-kLargestSample, kLargestSample});
    if (v.reading()) slopes.resize(count - 1);
    for (size_t i = 1; i < count; ++i) v.Item(i, slopes[i - 1], By(&RuleFields::Slope));
    if (v.ok() && !Ascend(slopes, &std::pair<int, int64_t>::first))
      v.Wrong("must have ascending atoms");
  }

  void Part(JsonVisitor& v, SymbolicCut::Part& part) {
    auto& [atom, unit] = part;
    if (!v.Tuple(2)) return;
    v.Item(0, atom, AtomIndex());
    v.Item(1, unit, By(&RuleFields::PlainProduct));
  }

  void Window(JsonVisitor& v, SymbolicWindow& window) {
    static const auto kCourses = Named<Halo::Course>(
        {{Halo::Course::kMirrored, "mirrored"}, {Halo::Course::kAround, "around"}});
    auto& [unit, before, behind, course] = window;
    v.Field("unit", unit, kSamples);
    v.Field("before", before, By(&RuleFields::Width));
    v.Field("behind", behind, By(&RuleFields::Width));
    v.Optional("course", course, Halo::Course::kStraight, kCourses);
  }

  // tensors: number of tensors that the cut may refer to.
  void Cut(JsonVisitor& v, SymbolicCut& cut, int64_t tensors) {
    auto& [tensor, dim, repeat, parts, spare, window] = cut;
    v.Field("tensor", tensor, Integers{0, tensors - 1});
    v.Field("dim", dim, Integers{0, kMostReadOutputs});
    v.Field("repeat", repeat, By(&RuleFields::PlainProduct));
    v.Field("parts", parts, By(&RuleFields::Part));
    if (v.ok() && parts.empty()) v.WrongAt("parts", "must be parts, got none");
    v.Optional("spare", spare, false);
    v.Optional("window", window, std::nullopt, By(&RuleFields::Window));
  }

  // Each dim may be cut once.
  void Cuts(JsonVisitor& v, std::vector<SymbolicCut>& cuts, bool of_inputs) {
    std::set<std::pair<int, int>> dims;
    v.Visit(cuts, [&](JsonVisitor& at, SymbolicCut& cut) {
      Cut(at, cut, of_inputs ? std::ssize(found_.dims) : kMostReadOutputs);
      if (!at.ok()) return;
      if (!dims.emplace(cut.tensor, cut.dim).second) at.Wrong("the dim is cut twice");
      if (!of_inputs) return;
      const SymbolicInput& input = found_.dims[static_cast<size_t>(cut.tensor)];
      if (!input.is_tensor || static_cast<size_t>(cut.dim) >= input.sizes.size())
        at.Wrong(fmt::format("input {} has no dim {}", cut.tensor, cut.dim));
    });
  }

  void InputCuts(JsonVisitor& v, std::vector<SymbolicCut>& cuts) {
    Cuts(v, cuts, /*of_inputs=*/true);
  }
  void OutputCuts(JsonVisitor& v, std::vector<SymbolicCut>& cuts) {
    Cuts(v, cuts, /*of_inputs=*/false);
  }

  void View(JsonVisitor& v, SymbolicCut& cut) {
    Cut(v, cut, kMostReadOutputs);
    if (cut.window || cut.spare) v.Wrong("must be a dim as it is");
  }

  void Shift(JsonVisitor& v, SymbolicShift& shift) {
    auto& [literal, by_start, by_end, times, is_index, view] = shift;
    const Integers literals = IndexOf(found_.literals.size());
    v.Field("literal", literal, literals);
    v.Field("by_start", by_start, kSteps);
    v.Field("by_end", by_end, kSteps);
    v.Field("times", times, Integers{-1, literals.most});
    v.Field("is_index", is_index);
    v.Field("view", view, By(&RuleFields::View));
  }

  void Index(JsonVisitor& v, SymbolicIndex& index) {
    auto& [input, column, from_end, view] = index;
    v.Field("input", input, IndexOf(found_.dims.size()));
    v.Field("column", column, Integers{-1, kLargestSample});
    v.Field("from_end", from_end);
    v.Field("view", view, By(&RuleFields::View));
    if (!v.ok()) return;
    const SymbolicInput& of = found_.dims[static_cast<size_t>(input)];
    if (!of.is_tensor) v.WrongAt("input", "must be a tensor");
    // The number of columns of a row of indices is the same at all sizes.
    const bool fixed = !of.sizes.empty() && of.sizes.back().terms.size() == 1 &&
                       of.sizes.back().terms[0].atoms.empty();
    if (column >= 0 && (!fixed || column >= of.sizes.back().terms[0].constant))
      v.WrongAt("column", fmt::format("input {} has no column {}", input, column));
  }

  void End(JsonVisitor& v, EndLiteral& end) {
    auto& [input, attribute, entry, first, by_size, bound] = end;
    v.Field("first", first);
    v.Optional("by_size", by_size, 0, Integers{-kLargestSample, kLargestSample});
    v.Optional("bound", bound, false);
    IntegerOf(v, input, attribute, entry);
    if (!v.ok()) return v.LeaveRest();
    const auto key = [](const auto& of) { return std::tie(of.input, of.attribute, of.entry); };
    if (std::ranges::none_of(found_.literals,
                             [&](const auto& literal) { return key(literal) == key(end); }))
      v.Wrong("the call has no such integer");
  }

  void Inner(JsonVisitor& v, InnerUse& use) {
    auto& [nodes, exchanges, recipe] = use;
    v.Field("nodes", nodes);
    const Integers of_nodes = IndexOf(nodes.size());
    v.Field("exchanges", exchanges, [&](JsonVisitor& at, InnerExchange& exchange) {
      auto& [node, op, dims] = exchange;
      at.Field("node", node, of_nodes);
      at.Field("op", op, kReductions);
      at.Field("dims", dims);
    });
    v.Optional("recipe", recipe, "");
  }

  void Pass(JsonVisitor& v, PassThrough& pass) {
    auto& [op, inputs] = pass;
    v.Field("op", op, kReductions);
    v.Field("inputs", inputs, By(&RuleFields::Inputs));
  }

  // Fields that a factor seldom has are omitted if they have their default.
  void Factor(JsonVisitor& v, SymbolicFactor& factor) {
    static const auto kSplits = Named<bool>({{false, "any"}, {true, "even"}});
    auto& [name,
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
    v.Field("name", name);
    v.Field("atoms", atoms, AtomIndex());
    v.Field("inputs", inputs, By(&RuleFields::InputCuts));
    v.Field("outputs", outputs, By(&RuleFields::OutputCuts));
    VisitNumbered(v, "reductions", reductions, kMostReadOutputs, kReductions);
    VisitNumbered(v, "fixed", fixed, found_.atoms.size(), kSamples);
    v.Optional("partial_inputs", partial_inputs, {}, By(&RuleFields::Inputs));
    v.Optional("local_literals", local_literals, false);
    v.Optional("shifts", shifts, {}, By(&RuleFields::Shift));
    v.Optional("indices", indices, {}, By(&RuleFields::Index));
    v.Optional("ends", ends, {}, By(&RuleFields::End));
    v.Field("split", even_only, kSplits);
    v.Optional("least_piece", least_piece, 1, kSamples);
    bool in_a_row = !any_order;
    v.Optional("in_a_row", in_a_row, false);
    if (v.reading()) any_order = !in_a_row;
    v.Optional("inner", inner, {}, By(&RuleFields::Inner));
    v.Optional("composite", composite, false);
    v.Optional("others", others, {}, By(&RuleFields::Inner));
    if (v.reading() && v.ok()) CheckFactor(v, factor);
  }

  // Whether it is a view of a dim whose pieces have a start and an end.
  static bool IsOfFactor(const SymbolicCut& view, const SymbolicFactor& factor) {
    const auto same = [&](const SymbolicCut& cut) {
      return cut.repeat == view.repeat && cut.parts == view.parts && !cut.window;
    };
    return IsContiguous(view) &&
           (std::ranges::any_of(factor.inputs, same) || std::ranges::any_of(factor.outputs, same));
  }

  static void CheckFactor(JsonVisitor& v, const SymbolicFactor& factor) {
    if (factor.inputs.empty() && factor.outputs.empty()) return v.Wrong("the factor cuts nothing");
    size_t windows = 0;
    bool own = true;
    for (const std::vector<SymbolicCut>* cuts : {&factor.inputs, &factor.outputs})
      for (const SymbolicCut& cut : *cuts) {
        windows += cut.window.has_value() ? 1 : 0;
        for (const SymbolicCut::Part& part : cut.parts)
          own = own && std::ranges::count(factor.atoms, part.atom) == 1;
      }
    if (!own) return v.Wrong("must have parts of the factor's own atoms");
    if (std::ranges::count(factor.name, '+') + 1 != std::ssize(factor.atoms))
      v.Wrong("must have a letter for each atom in the name, joined by '+'");
    // Either all dims that the factor cuts have windows, or none.
    if (windows != 0 && windows != factor.inputs.size() + factor.outputs.size())
      v.Wrong("must have windows on all dims of the factor or on none");
    const auto known = [&](const SymbolicCut& view) { return IsOfFactor(view, factor); };
    const auto view_of = [](const auto& of) { return of.view; };
    if (!std::ranges::all_of(factor.shifts, known, view_of) ||
        !std::ranges::all_of(factor.indices, known, view_of))
      v.Wrong("must have views of dims that the factor cuts in one run");
    if (factor.any_order && NeedsARow(factor))
      v.Wrong("must be in_a_row: its pieces know where they lie, or what lies beside them");
  }

  SymbolicRule& found_;
};

}  // namespace

void VisitSymbolicRule(JsonVisitor& v, SymbolicRule& found) { RuleFields(found).Visit(v); }

nlohmann::json ToJson(const SymbolicRule& found) {
  nlohmann::ordered_json out;
  WriteJson(found, VisitSymbolicRule, out);
  return nlohmann::json(out);
}

Result<SymbolicRule> SymbolicRuleFrom(const nlohmann::json& json, const std::string& where) {
  SymbolicRule found;
  TRY(ReadJson(json, where, [&](JsonVisitor& v) { VisitSymbolicRule(v, found); }));
  return found;
}

}  // namespace metadist
