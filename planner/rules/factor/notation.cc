// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/factor/notation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "planner/rules/factor/pieces.h"

namespace metadist {
namespace {

// How one factor cuts a dim: `repeat` blocks of `size` groups.
struct Hold {
  int64_t repeat;
  std::string letters;
  int64_t size;
  bool slides = false;  // a sliding window: `size` is its stride
};

std::vector<std::string> Letters(const SymbolicFactor& factor) {
  std::vector<std::string> letters(1);
  for (const char c : factor.name) {
    if (c == '+')
      letters.emplace_back();
    else
      letters.back() += c;
  }
  return letters;
}

// By atom.
std::map<int, std::string> LettersByAtom(const SymbolicFactor& factor) {
  const std::vector<std::string> letters = Letters(factor);
  std::map<int, std::string> by_atom;
  for (size_t i = 0; i < factor.atoms.size(); ++i) by_atom.emplace(factor.atoms[i], letters[i]);
  return by_atom;
}

void AddHold(const SymbolicCut& cut,
             const std::map<int, std::string>& letters,
             const std::string& first,
             const std::vector<int64_t>& sizes,
             std::vector<Hold>& holds) {
  if (cut.window) return holds.push_back({1, first, cut.window->unit, true});
  std::string text;
  int64_t size = 0;
  for (const SymbolicCut::Part& part : cut.parts) {
    // The unit (`4*b` in `4*b+a`) is written only if there are several parts.
    const int64_t unit = part.unit.At(sizes);
    const bool own_unit = cut.parts.size() > 1 && unit > 1;
    text += fmt::format("{}{}{}",
                        text.empty() ? "" : "+",
                        own_unit ? fmt::format("{}*", unit) : "",
                        letters.at(part.atom));
    size += sizes[static_cast<size_t>(part.atom)] * (cut.parts.size() > 1 ? unit : 1);
  }
  holds.push_back({cut.repeat.At(sizes), std::move(text), size});
}

std::string DimText(std::vector<Hold> holds, int64_t total) {
  if (holds.empty()) return "_";
  if (holds[0].slides)
    return holds[0].size == 1 ? holds[0].letters
                              : fmt::format("({} {})", holds[0].letters, holds[0].size);
  std::ranges::stable_sort(holds, {}, &Hold::repeat);
  std::vector<std::string> parts;
  int64_t done = 1;
  const auto constant = [&](int64_t value) {
    if (value > 1) parts.push_back(std::to_string(value));
  };
  for (const Hold& hold : holds) {
    constant(hold.repeat / done);
    parts.push_back(hold.letters);
    done = std::max(hold.repeat, done) * hold.size;
  }
  constant(total / done);
  return parts.size() == 1 ? parts[0] : fmt::format("({})", fmt::join(parts, " "));
}

std::string_view Capital(ReduceOp op) {
  constexpr std::string_view kNames[] = {"SUM", "PROD", "MAX", "MIN", "AND", "OR"};
  return kNames[static_cast<size_t>(op)];
}

struct Clauses {
  std::vector<std::string> reduction, partial, attr, off, within, halo, crop, mirror, around, row,
      least, even, dead, combine;
};

// "1" (an input), "k" (an attribute), "1.2" (one of several integers of an input).
template <typename Integer>
std::string OperandText(const SymbolicRule& found, const Integer& one) {
  const auto beside = [&](const SymbolicLiteral& other) {
    return other.input == one.input && other.attribute == one.attribute;
  };
  return (one.input < 0 ? one.attribute : std::to_string(one.input)) +
         (std::ranges::count_if(found.literals, beside) > 1 ? fmt::format(".{}", one.entry) : "");
}

void DescribeOffsets(const SymbolicRule& found, const SymbolicFactor& factor, Clauses& clauses) {
  for (const SymbolicIndex& index : factor.indices)
    clauses.off.push_back(fmt::format("{}:{}{}-",
                                      factor.name,
                                      index.input,
                                      index.column < 0 ? "" : fmt::format(".{}", index.column)));
  for (const SymbolicShift& shift : factor.shifts) {
    const SymbolicLiteral& moved = found.literals[static_cast<size_t>(shift.literal)];
    int64_t by = shift.is_index ? -1 : shift.by_start != 0 ? shift.by_start : shift.by_end;
    if (shift.times >= 0)
      by *= found.literals[static_cast<size_t>(shift.times)].size.At(found.atoms);
    clauses.off.push_back(fmt::format("{}:{}{}{}",
                                      factor.name,
                                      OperandText(found, moved),
                                      by < 0 ? '-' : '+',
                                      std::abs(by) == 1 ? "" : std::to_string(std::abs(by))));
  }
}

// "a:1/2" for each distinct pair of widths.
void AddWidths(const std::string& letter,
               const std::vector<SymbolicCut>& cuts,
               const std::vector<int64_t>& sizes,
               std::vector<std::string>& clause) {
  for (const SymbolicCut& cut : cuts) {
    if (!cut.window) continue;
    const int64_t before = cut.window->before.At(sizes);
    const int64_t behind = cut.window->behind.At(sizes);
    if (before == 0 && behind == 0) continue;
    std::string text = fmt::format("{}:{}/{}", letter, before, behind);
    if (std::ranges::find(clause, text) == clause.end()) clause.push_back(std::move(text));
  }
}

bool Takes(const SymbolicFactor& factor, Halo::Course course) {
  return std::ranges::any_of(factor.inputs, [&](const SymbolicCut& cut) {
    return cut.window && cut.window->course == course;
  });
}

// Letters of the factors that cut the other dims of the factor's first input.
std::string LettersBeside(const SymbolicRule& found, const SymbolicFactor& factor) {
  const SymbolicCut& own = factor.inputs[0];
  std::map<int, std::string> letters;  // by dim
  for (const SymbolicFactor& other : found.factors)
    for (const SymbolicCut& cut : other.inputs)
      if (cut.tensor == own.tensor && cut.dim != own.dim) letters[cut.dim] += other.name;
  std::vector<std::string> names;
  for (const auto& [dim, name] : letters) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ","));
}

// "c:MAX[a],SUM[a]": the exchanges, with the dims of each value; "c:SCAN[a]": a recipe, with the
// dims along which it repeats.
std::string ExchangesText(const SymbolicRule& found, const SymbolicFactor& factor) {
  if (!factor.inner.recipe.empty())
    return fmt::format("{}:{}[{}]", factor.name, factor.inner.recipe, LettersBeside(found, factor));
  std::vector<std::string> steps;
  for (const InnerExchange& exchange : factor.inner.exchanges)
    steps.push_back(fmt::format("{}[{}]", Capital(exchange.op), exchange.dims));
  return fmt::format(
      "{}:{}", factor.name, steps.empty() ? "LOCAL" : fmt::format("{}", fmt::join(steps, ",")));
}

void DescribeFactor(const SymbolicRule& found, const SymbolicFactor& factor, Clauses& clauses) {
  DescribeOffsets(found, factor, clauses);
  const std::vector<std::string> letters = Letters(factor);
  if (!factor.reductions.empty()) {
    std::vector<std::string> ops;
    for (const auto& [output, op] : factor.reductions) {
      const std::string name(Capital(op));
      if (std::ranges::find(ops, name) == ops.end()) ops.push_back(name);
    }
    const bool plain = ops.size() == 1 && ops[0] == "SUM";
    clauses.reduction.push_back(
        fmt::format("{}{}", factor.name, plain ? "" : fmt::format(":{}", fmt::join(ops, ","))));
  }
  AddWidths(letters[0], factor.inputs, found.atoms, clauses.halo);
  AddWidths(letters[0], factor.outputs, found.atoms, clauses.crop);
  if (Takes(factor, Halo::Course::kMirrored)) clauses.mirror.push_back(letters[0]);
  if (Takes(factor, Halo::Course::kAround)) clauses.around.push_back(letters[0]);
  if (!factor.any_order && !factor.composite && !NeedsARow(factor))
    clauses.row.push_back(letters[0]);
  if (factor.least_piece > 1)
    clauses.least.push_back(fmt::format("{}:{}", letters[0], factor.least_piece));
  if (factor.even_only) clauses.even.push_back(letters[0]);
  if (factor.composite) clauses.combine.push_back(ExchangesText(found, factor));
  for (const int input : factor.partial_inputs)
    clauses.partial.push_back(fmt::format("{}:{}", input, letters[0]));
  if (factor.outputs.empty() && factor.reductions.empty() && !factor.composite)
    clauses.dead.insert(clauses.dead.end(), letters.begin(), letters.end());
  if (std::ranges::any_of(factor.ends,
                          [](const EndLiteral& end) { return end.by_size != 0 && !end.bound; }))
    clauses.attr.push_back(letters[0]);
  for (const EndLiteral& end : factor.ends)
    if (end.bound)
      clauses.within.push_back(fmt::format("{}:{}", letters[0], OperandText(found, end)));
  if (!factor.local_literals) return;
  for (size_t i = 0; i < factor.atoms.size(); ++i) {
    const auto follows = [&](const SymbolicLiteral& literal) {
      return literal.size.terms.front().Has(factor.atoms[i]);
    };
    if (std::ranges::any_of(found.literals, follows)) clauses.attr.push_back(letters[i]);
  }
}

}  // namespace

std::string LetterOf(size_t index) {
  const char letter = static_cast<char>('a' + index % 26);
  return index < 26 ? std::string(1, letter) : fmt::format("{}{}", letter, index / 26);
}

void NameFactors(SymbolicRule& found) {
  size_t next = 0;
  for (SymbolicFactor& factor : found.factors) {
    std::vector<std::string> letters;
    for (size_t i = 0; i < factor.atoms.size(); ++i) letters.push_back(LetterOf(next++));
    factor.name = fmt::format("{}", fmt::join(letters, "+"));
  }
}

std::string Notation(const SymbolicRule& found, const std::vector<Shape>& outputs) {
  std::map<std::tuple<bool, int, int>, std::vector<Hold>> holds;  // input?, tensor, dim
  for (const SymbolicFactor& factor : found.factors) {
    const std::map<int, std::string> letters = LettersByAtom(factor);
    const std::string first = Letters(factor)[0];
    for (const bool input : {true, false})
      for (const SymbolicCut& cut : input ? factor.inputs : factor.outputs)
        AddHold(cut, letters, first, found.atoms, holds[{input, cut.tensor, cut.dim}]);
  }
  const auto bracket = [&](bool input, int tensor, const std::vector<int64_t>& sizes) {
    std::vector<std::string> dims;
    for (size_t d = 0; d < sizes.size(); ++d)
      dims.push_back(DimText(std::move(holds[{input, tensor, static_cast<int>(d)}]), sizes[d]));
    return fmt::format("[{}]", fmt::join(dims, ","));
  };
  std::vector<std::string> in, out;
  for (size_t t = 0; t < found.dims.size(); ++t) {
    if (!found.dims[t].is_tensor) continue;
    std::vector<int64_t> sizes;
    for (const SymbolicSize& size : found.dims[t].sizes) sizes.push_back(size.At(found.atoms));
    in.push_back(bracket(/*input=*/true, static_cast<int>(t), sizes));
  }
  for (size_t o = 0; o < outputs.size(); ++o)
    out.push_back(bracket(/*input=*/false, static_cast<int>(o), outputs[o]));
  Clauses clauses;
  for (const SymbolicFactor& factor : found.factors) DescribeFactor(found, factor, clauses);
  std::string text = fmt::format("({})->({})", fmt::join(in, ","), fmt::join(out, ","));
  const auto add = [&](std::string_view name, const std::vector<std::string>& items) {
    if (!items.empty()) text += fmt::format(" {}={{{}}}", name, fmt::join(items, ","));
  };
  add("combine", clauses.combine);
  add("reduction", clauses.reduction);
  add("partial", clauses.partial);
  add("attr", clauses.attr);
  add("off", clauses.off);
  add("within", clauses.within);
  add("halo", clauses.halo);
  add("crop", clauses.crop);
  add("mirror", clauses.mirror);
  add("around", clauses.around);
  add("row", clauses.row);
  add("least", clauses.least);
  add("even", clauses.even);
  add("dead", clauses.dead);
  constexpr std::pair<std::string_view, ReduceOp> kPasses[] = {
      {"linear", ReduceOp::kSum}, {"max", ReduceOp::kMax}, {"min", ReduceOp::kMin}};
  for (const auto& [name, op] : kPasses) {
    std::vector<std::string> sets;
    for (const PassThrough& pass : found.pass_through)
      if (pass.op == op) sets.push_back(fmt::format("{}", fmt::join(pass.inputs, "+")));
    add(name, sets);
  }
  return text;
}

}  // namespace metadist
