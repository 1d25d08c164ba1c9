// SPDX-License-Identifier: Apache-2.0
// A file may hold anything, and what is read here is used without further questions: numbers are
// bounded so that no size made of them overflows at any sizes a call may have (Representable), and
// indices are checked against what they point at. Whether a record is of the call it is used for is
// another question (SameForm).
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "planner/rules/book/rule_json.h"
#include "planner/rules/factor/pieces.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {
namespace {

constexpr size_t kMostListed = 1 << 16;  // of any list
constexpr size_t kMostText = 1 << 22;
constexpr int64_t kLargestSample = 1 << 20;
constexpr int64_t kLargestConstant = int64_t{1} << 40;
constexpr int64_t kLargestReadStep = 1 << 16;
constexpr int64_t kMostReadOutputs = 1 << 16;

class Reader {
 public:
  explicit Reader(const JsonCursor& root) : root_(root) {}

  Result<SymbolicRule> Run() {
    TRY(root_.Fields({"atoms",
                      "dims",
                      "literals",
                      "factors",
                      "pass_through",
                      "rule",
                      "reason",
                      "faulty",
                      "evidence"},
                     {"signature", "domain", "op", "opset", "kernel", "check", "refuted"}));
    for (const JsonCursor& atom : TRY(List(TRY(root_.At("atoms")))))
      found_.atoms.push_back(TRY(Between(atom, 1, kLargestSample)));
    for (const JsonCursor& input : TRY(List(TRY(root_.At("dims")))))
      found_.dims.push_back(TRY(ReadInput(input)));
    for (const JsonCursor& literal : TRY(List(TRY(root_.At("literals")))))
      found_.literals.push_back(TRY(ReadLiteral(literal)));
    for (const JsonCursor& factor : TRY(List(TRY(root_.At("factors")))))
      found_.factors.push_back(TRY(ReadFactor(factor)));
    TRY(ReadList(root_, "refuted", found_.refuted, &Reader::ReadFactor));
    for (const JsonCursor& pass : TRY(List(TRY(root_.At("pass_through"))))) {
      TRY(pass.Fields({"op", "inputs"}));
      found_.pass_through.push_back(
          {TRY(ReadOp(TRY(pass.At("op")))), TRY(ReadInputs(TRY(pass.At("inputs"))))});
    }
    found_.text = TRY(Text(TRY(root_.At("rule"))));
    const JsonCursor reason = TRY(root_.At("reason"));
    found_.reason = TRY(Text(reason));
    if (found_.factors.empty() == found_.reason.empty())
      return reason.Wrong("expected a reason where there are no factors, and only there");
    const JsonCursor faulty = TRY(root_.At("faulty"));
    found_.faulty = TRY(faulty.Bool());
    if (found_.faulty && !(found_.factors.empty() && found_.dims.empty()))
      return faulty.Wrong("expected nothing else to be known of an operator that is at fault");
    TRY(ReadEvidence(TRY(root_.At("evidence"))));
    return std::move(found_);
  }

 private:
  static Result<std::vector<JsonCursor>> List(const JsonCursor& at) {
    std::vector<JsonCursor> list = TRY(at.Elements());
    if (list.size() > kMostListed)
      return at.Wrong(
          fmt::format("expected at most {} elements, got {}", kMostListed, list.size()));
    return list;
  }

  static Result<int64_t> Between(const JsonCursor& at, int64_t least, int64_t most) {
    const int64_t value = TRY(at.Int());
    if (value < least || value > most)
      return at.Wrong(fmt::format("expected {} to {}, got {}", least, most, value));
    return value;
  }

  static Result<int> Index(const JsonCursor& at, size_t count, int least = 0) {
    return static_cast<int>(TRY(Between(at, least, static_cast<int64_t>(count) - 1)));
  }

  static Result<bool> Flag(const JsonCursor& at, std::string_view name) {
    if (!at.Has(name)) return false;
    return TRY(TRY(at.At(name)).Bool());
  }

  static Result<std::string> Text(const JsonCursor& at) {
    std::string text = TRY(at.String());
    if (text.size() > kMostText) return at.Wrong(fmt::format("a text of {} bytes", text.size()));
    return text;
  }

  static Result<ReduceOp> ReadOp(const JsonCursor& at) {
    const std::string name = TRY(at.String());
    for (const ReduceOp op : {ReduceOp::kSum,
                              ReduceOp::kProd,
                              ReduceOp::kMax,
                              ReduceOp::kMin,
                              ReduceOp::kAnd,
                              ReduceOp::kOr})
      if (Name(op) == name) return op;
    return at.Wrong(fmt::format("unknown reduction '{}'", name));
  }

  Result<void> ReadEvidence(const JsonCursor& at) {
    TRY(at.Fields({"execs", "kernel_runs", "n", "inputs"}));
    found_.executions = TRY(Between(TRY(at.At("execs")), 0, INT64_MAX));
    found_.kernel_runs = TRY(Between(TRY(at.At("kernel_runs")), 0, INT64_MAX));
    TRY(Between(TRY(at.At("inputs")), kNumInputModes, kNumInputModes));
    const JsonCursor ranks = TRY(at.At("n"));
    std::vector<int64_t> tested;
    for (const JsonCursor& count : TRY(List(ranks))) tested.push_back(TRY(count.Int()));
    if (!std::equal(tested.begin(), tested.end(), kRanksTested.begin(), kRanksTested.end()))
      return ranks.Wrong("expected the numbers of ranks that this version tests");
    return {};
  }

  // Constants: of a number that stands alone, of one before atoms.
  struct Limits {
    int64_t alone_least = 1;
    int64_t alone_most = kLargestConstant;
    int64_t least = 1;
  };

  Result<Product> ReadProduct(const JsonCursor& at, const Limits& limits) const {
    const std::vector<JsonCursor> list = TRY(List(at));
    if (list.empty()) return at.Wrong("expected a constant and atoms, got nothing");
    Product product;
    const bool alone = list.size() == 1;
    product.constant = TRY(Between(list[0],
                                   alone ? limits.alone_least : limits.least,
                                   alone ? limits.alone_most : kLargestConstant));
    if (!alone && product.constant == 0) return list[0].Wrong("expected a factor, got 0");
    for (size_t i = 1; i < list.size(); ++i) {
      product.atoms.push_back(TRY(Index(list[i], found_.atoms.size())));
      if (i > 1 && product.atoms[i - 1] < product.atoms[i - 2])
        return list[i].Wrong("expected ascending atoms");
    }
    return product;
  }

  // Of a dim: not negative. Of a literal: any integer where it stands alone; else any slope.
  Result<SymbolicSize> ReadSize(const JsonCursor& at, bool literal) const {
    SymbolicSize size;
    const std::vector<JsonCursor> terms = TRY(List(at));
    if (terms.empty()) return at.Wrong("expected a sum of products, got nothing");
    Limits limits{.alone_least = 0};
    if (literal && terms.size() == 1) limits = {INT64_MIN, INT64_MAX};
    if (literal && terms.size() > 1)
      limits = {-kLargestConstant, kLargestConstant, -kLargestConstant};
    for (const JsonCursor& term : terms) size.terms.push_back(TRY(ReadProduct(term, limits)));
    return size;
  }

  Result<SymbolicInput> ReadInput(const JsonCursor& at) const {
    SymbolicInput input;
    if (at.is_null()) return input;
    input.is_tensor = true;
    for (const JsonCursor& dim : TRY(List(at)))
      input.sizes.push_back(TRY(ReadSize(dim, /*literal=*/false)));
    return input;
  }

  // "input" or "attribute", and "entry".
  template <typename T>
  Result<void> ReadPlace(const JsonCursor& at, T& out) const {
    if (at.Has("input") == at.Has("attribute"))
      return at.Wrong("expected one of the fields 'input' and 'attribute'");
    if (at.Has("input")) {
      const JsonCursor input = TRY(at.At("input"));
      out.input = TRY(Index(input, found_.dims.size()));
      if (found_.dims[static_cast<size_t>(out.input)].is_tensor)
        return input.Wrong("expected an input of literals, got a tensor");
    } else {
      out.attribute = TRY(Text(TRY(at.At("attribute"))));
    }
    out.entry = static_cast<int>(TRY(Between(TRY(at.At("entry")), 0, kLargestSample)));
    return {};
  }

  Result<SymbolicLiteral> ReadLiteral(const JsonCursor& at) const {
    TRY(at.Fields({"size", "entry"}, {"input", "attribute"}));
    SymbolicLiteral literal;
    TRY(ReadPlace(at, literal));
    literal.size = TRY(ReadSize(TRY(at.At("size")), /*literal=*/true));
    return literal;
  }

  Result<std::vector<int>> ReadInputs(const JsonCursor& at) const {
    std::vector<int> inputs;
    for (const JsonCursor& one : TRY(List(at))) {
      inputs.push_back(TRY(Index(one, found_.dims.size())));
      if (!found_.dims[static_cast<size_t>(inputs.back())].is_tensor)
        return one.Wrong("expected a tensor");
      if (inputs.size() > 1 && inputs.back() <= inputs[inputs.size() - 2])
        return one.Wrong("expected ascending inputs");
    }
    if (inputs.empty()) return at.Wrong("expected inputs, got none");
    return inputs;
  }

  Result<SymbolicWindow::Width> ReadWidth(const JsonCursor& at) const {
    const std::vector<JsonCursor> list = TRY(List(at));
    if (list.empty()) return at.Wrong("expected a constant and slopes, got nothing");
    SymbolicWindow::Width width;
    width.constant = TRY(Between(list[0], -kLargestSample, kLargestSample));
    for (size_t i = 1; i < list.size(); ++i) {
      const std::vector<JsonCursor> pair = TRY(list[i].Elements());
      if (pair.size() != 2) return list[i].Wrong("expected an atom and its slope");
      width.slopes.emplace_back(TRY(Index(pair[0], found_.atoms.size())),
                                TRY(Between(pair[1], -kLargestReadStep, kLargestReadStep)));
      if (width.slopes.back().second == 0) return pair[1].Wrong("expected a slope, got 0");
      if (i > 1 && width.slopes[i - 1].first <= width.slopes[i - 2].first)
        return pair[0].Wrong("expected ascending atoms");
    }
    return width;
  }

  // tensors: how many there are of which the cut may be.
  Result<SymbolicCut> ReadCut(const JsonCursor& at, int64_t tensors) const {
    TRY(at.Fields({"tensor", "dim", "repeat", "parts"}, {"spare", "window"}));
    SymbolicCut cut;
    cut.tensor = static_cast<int>(TRY(Between(TRY(at.At("tensor")), 0, tensors - 1)));
    cut.dim = static_cast<int>(TRY(Between(TRY(at.At("dim")), 0, kMostReadOutputs)));
    cut.repeat = TRY(ReadProduct(TRY(at.At("repeat")), {}));
    const JsonCursor parts = TRY(at.At("parts"));
    for (const JsonCursor& part : TRY(List(parts))) {
      const std::vector<JsonCursor> pair = TRY(part.Elements());
      if (pair.size() != 2) return part.Wrong("expected an atom and its unit");
      cut.parts.push_back(
          {TRY(Index(pair[0], found_.atoms.size())), TRY(ReadProduct(pair[1], {}))});
    }
    if (cut.parts.empty()) return parts.Wrong("expected parts, got none");
    cut.spare = TRY(Flag(at, "spare"));
    if (!at.Has("window")) return cut;
    const JsonCursor window = TRY(at.At("window"));
    TRY(window.Fields({"unit", "before", "behind"}, {"course"}));
    // Not in one expression: an error between two of them would leak the first.
    SymbolicWindow& out = cut.window.emplace();
    out.unit = TRY(Between(TRY(window.At("unit")), 1, kLargestSample));
    out.before = TRY(ReadWidth(TRY(window.At("before"))));
    out.behind = TRY(ReadWidth(TRY(window.At("behind"))));
    if (!window.Has("course")) return cut;
    const JsonCursor course = TRY(window.At("course"));
    const std::string text = TRY(Text(course));
    if (text != "mirrored" && text != "around")
      return course.Wrong(fmt::format("expected mirrored or around, got '{}'", text));
    out.course = text == "mirrored" ? Halo::Course::kMirrored : Halo::Course::kAround;
    return cut;
  }

  // Of the factor's inputs or outputs: each dim once.
  Result<std::vector<SymbolicCut>> ReadCuts(const JsonCursor& at, bool inputs) const {
    std::vector<SymbolicCut> cuts;
    std::set<std::pair<int, int>> dims;
    for (const JsonCursor& one : TRY(List(at))) {
      cuts.push_back(
          TRY(ReadCut(one, inputs ? static_cast<int64_t>(found_.dims.size()) : kMostReadOutputs)));
      const SymbolicCut& cut = cuts.back();
      if (!dims.emplace(cut.tensor, cut.dim).second) return one.Wrong("the dim is cut twice");
      if (!inputs) continue;
      const SymbolicInput& input = found_.dims[static_cast<size_t>(cut.tensor)];
      if (!input.is_tensor || static_cast<size_t>(cut.dim) >= input.sizes.size())
        return one.Wrong(fmt::format("input {} has no dim {}", cut.tensor, cut.dim));
    }
    return cuts;
  }

  Result<SymbolicCut> ReadView(const JsonCursor& at) const {
    const JsonCursor view = TRY(at.At("view"));
    SymbolicCut cut = TRY(ReadCut(view, kMostReadOutputs));
    if (cut.window || cut.spare) return view.Wrong("expected a dim as it is");
    return cut;
  }

  Result<SymbolicShift> ReadShift(const JsonCursor& at) const {
    TRY(at.Fields({"literal", "by_start", "by_end", "times", "is_index", "view"}));
    SymbolicShift shift;
    shift.literal = TRY(Index(TRY(at.At("literal")), found_.literals.size()));
    shift.by_start = TRY(Between(TRY(at.At("by_start")), -kLargestReadStep, kLargestReadStep));
    shift.by_end = TRY(Between(TRY(at.At("by_end")), -kLargestReadStep, kLargestReadStep));
    shift.times = TRY(Index(TRY(at.At("times")), found_.literals.size(), /*least=*/-1));
    shift.is_index = TRY(TRY(at.At("is_index")).Bool());
    shift.view = TRY(ReadView(at));
    return shift;
  }

  Result<SymbolicIndex> ReadIndex(const JsonCursor& at) const {
    TRY(at.Fields({"input", "column", "from_end", "view"}));
    SymbolicIndex index;
    const JsonCursor input = TRY(at.At("input"));
    index.input = TRY(Index(input, found_.dims.size()));
    const SymbolicInput& of = found_.dims[static_cast<size_t>(index.input)];
    if (!of.is_tensor) return input.Wrong("expected a tensor");
    const JsonCursor column = TRY(at.At("column"));
    index.column = static_cast<int>(TRY(Between(column, -1, kLargestSample)));
    if (index.column >= 0) {
      // The columns of a row of indices are as many at all sizes.
      const bool fixed = !of.sizes.empty() && of.sizes.back().terms.size() == 1 &&
                         of.sizes.back().terms[0].atoms.empty();
      if (!fixed || index.column >= of.sizes.back().terms[0].constant)
        return column.Wrong(fmt::format("input {} has no column {}", index.input, index.column));
    }
    index.from_end = TRY(TRY(at.At("from_end")).Bool());
    index.view = TRY(ReadView(at));
    return index;
  }

  Result<EndLiteral> ReadEnd(const JsonCursor& at) const {
    TRY(at.Fields({"first", "entry"}, {"input", "attribute", "by_size", "bound"}));
    EndLiteral end;
    TRY(ReadPlace(at, end));
    const auto key = [](const auto& of) { return std::tie(of.input, of.attribute, of.entry); };
    if (std::none_of(found_.literals.begin(), found_.literals.end(), [&](const auto& literal) {
          return key(literal) == key(end);
        }))
      return at.Wrong("the call has no such integer");
    end.first = TRY(TRY(at.At("first")).Bool());
    if (at.Has("by_size"))
      end.by_size = TRY(Between(TRY(at.At("by_size")), -kLargestSample, kLargestSample));
    if (at.Has("bound")) end.bound = TRY(TRY(at.At("bound")).Bool());
    return end;
  }

  Result<InnerUse> ReadInner(const JsonCursor& at) const {
    TRY(at.Fields({"nodes", "exchanges"}, {"recipe"}));
    InnerUse use;
    for (const JsonCursor& node : TRY(List(TRY(at.At("nodes")))))
      use.nodes.push_back(TRY(Text(node)));
    for (const JsonCursor& one : TRY(List(TRY(at.At("exchanges"))))) {
      TRY(one.Fields({"node", "op", "dims"}));
      InnerExchange exchange;
      exchange.node = TRY(Index(TRY(one.At("node")), use.nodes.size()));
      exchange.op = TRY(ReadOp(TRY(one.At("op"))));
      exchange.dims = TRY(Text(TRY(one.At("dims"))));
      use.exchanges.push_back(std::move(exchange));
    }
    if (at.Has("recipe")) use.recipe = TRY(Text(TRY(at.At("recipe"))));
    return use;
  }

  // Numbers as names of an object's fields.
  static Result<int> Key(const JsonCursor& at, const std::string& name, size_t count) {
    const bool digits = !name.empty() && name.size() <= 6 &&
                        name.find_first_not_of("0123456789") == std::string::npos &&
                        (name == "0" || name[0] != '0');
    if (!digits || std::stoul(name) >= count)
      return at.Wrong(fmt::format("expected a number below {}, got '{}'", count, name));
    return std::stoi(name);
  }

  template <typename T, typename Read>
  Result<void> ReadList(const JsonCursor& at,
                        std::string_view name,
                        std::vector<T>& out,
                        Read read) const {
    if (!at.Has(name)) return {};
    for (const JsonCursor& one : TRY(List(TRY(at.At(name)))))
      out.push_back(TRY((this->*read)(one)));
    return {};
  }

  Result<void> ReadMaps(const JsonCursor& at, SymbolicFactor& factor) const {
    if (at.Has("reductions")) {
      const JsonCursor reductions = TRY(at.At("reductions"));
      for (const std::string& name : TRY(reductions.Names()))
        factor.reductions[TRY(Key(reductions, name, kMostReadOutputs))] =
            TRY(ReadOp(TRY(reductions.At(name))));
    }
    if (!at.Has("fixed")) return {};
    const JsonCursor fixed = TRY(at.At("fixed"));
    for (const std::string& name : TRY(fixed.Names()))
      factor.fixed[TRY(Key(fixed, name, found_.atoms.size()))] =
          TRY(Between(TRY(fixed.At(name)), 1, kLargestSample));
    return {};
  }

  // Windows slide along all dims that the factor cuts, or along none.
  static Result<void> CheckWindows(const JsonCursor& at, const SymbolicFactor& factor) {
    size_t windows = 0;
    for (const std::vector<SymbolicCut>* cuts : {&factor.inputs, &factor.outputs})
      for (const SymbolicCut& cut : *cuts) windows += cut.window.has_value() ? 1 : 0;
    if (windows != 0 && windows != factor.inputs.size() + factor.outputs.size())
      return at.Wrong("expected windows on all dims of the factor or on none");
    return {};
  }

  // The name has a letter for each atom, and nothing else is cut.
  static Result<void> CheckAtoms(const JsonCursor& at, const SymbolicFactor& factor) {
    for (const std::vector<SymbolicCut>* some : {&factor.inputs, &factor.outputs})
      for (const SymbolicCut& cut : *some)
        for (const SymbolicCut::Part& part : cut.parts)
          if (std::count(factor.atoms.begin(), factor.atoms.end(), part.atom) != 1)
            return at.Wrong("expected parts of the factor's own atoms");
    const auto letters = std::count(factor.name.begin(), factor.name.end(), '+') + 1;
    if (letters != std::ssize(factor.atoms))
      return at.Wrong("expected a letter for each atom in the name, joined by '+'");
    return {};
  }

  Result<SymbolicFactor> ReadFactor(const JsonCursor& at) const {
    TRY(at.Fields({"name", "atoms", "inputs", "outputs", "split"},
                  {"reductions",
                   "partial_inputs",
                   "local_literals",
                   "shifts",
                   "indices",
                   "ends",
                   "fixed",
                   "least_piece",
                   "in_a_row",
                   "inner",
                   "composite",
                   "others"}));
    SymbolicFactor factor;
    factor.name = TRY(Text(TRY(at.At("name"))));
    for (const JsonCursor& atom : TRY(List(TRY(at.At("atoms")))))
      factor.atoms.push_back(TRY(Index(atom, found_.atoms.size())));
    factor.inputs = TRY(ReadCuts(TRY(at.At("inputs")), /*inputs=*/true));
    factor.outputs = TRY(ReadCuts(TRY(at.At("outputs")), /*inputs=*/false));
    if (factor.inputs.empty() && factor.outputs.empty()) return at.Wrong("the factor cuts nothing");
    TRY(CheckAtoms(at, factor));
    TRY(CheckWindows(at, factor));
    TRY(ReadMaps(at, factor));
    if (at.Has("partial_inputs"))
      factor.partial_inputs = TRY(ReadInputs(TRY(at.At("partial_inputs"))));
    factor.local_literals = TRY(Flag(at, "local_literals"));
    TRY(ReadList(at, "shifts", factor.shifts, &Reader::ReadShift));
    TRY(ReadList(at, "indices", factor.indices, &Reader::ReadIndex));
    TRY(ReadList(at, "ends", factor.ends, &Reader::ReadEnd));
    const JsonCursor split = TRY(at.At("split"));
    const std::string how = TRY(split.String());
    if (how != "any" && how != "even")
      return split.Wrong(fmt::format("expected any or even, got '{}'", how));
    factor.even_only = how == "even";
    if (at.Has("least_piece"))
      factor.least_piece = TRY(Between(TRY(at.At("least_piece")), 1, kLargestSample));
    factor.any_order = !TRY(Flag(at, "in_a_row"));
    if (factor.any_order && NeedsARow(factor))
      return at.Wrong(
          "expected in_a_row: its pieces know where they lie, or what lies beside them");
    if (at.Has("inner")) factor.inner = TRY(ReadInner(TRY(at.At("inner"))));
    factor.composite = TRY(Flag(at, "composite"));
    TRY(ReadList(at, "others", factor.others, &Reader::ReadInner));
    return factor;
  }

  const JsonCursor& root_;
  SymbolicRule found_;
};

}  // namespace

Result<SymbolicRule> SymbolicRuleFrom(const JsonCursor& at) { return Reader(at).Run(); }

}  // namespace metadist
