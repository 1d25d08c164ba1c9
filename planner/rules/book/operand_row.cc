// SPDX-License-Identifier: Apache-2.0
// Rules of operators with hundreds of operands (Sum, Concat).
//
// Discovery disturbs every operand by itself and runs the whole call each time: its cost grows with
// the square of the number of operands. Operands in a long row nearly always have the same role. So
// the rules of the call with six and with seven of them are discovered. If the second is the first,
// extended by an operand like the third, it is extended to the length of the row. This is an
// induction without its last step: before a plan uses a factor, the call itself, with all of its
// operands, runs whole and divided (confirm.cc). If the two rules differ, all operands are
// examined. Cost: two small calls, whatever the length, and the confirmation of the factors:
// linear.
#include "planner/rules/book/operand_row.h"

#include <algorithm>
#include <set>

#include "planner/rules/factor/notation.h"
#include "planner/rules/instance/instance.h"

namespace metadist {
namespace {

// Shorter rows are examined operand by operand.
constexpr size_t kLongest = 16;
constexpr size_t kAtEnd = 3;     // operands that a short row keeps at its end
constexpr size_t kTemplate = 2;  // position within the row

using Atoms = std::set<int>;

void AddAtoms(const SymbolicSize& size, Atoms& atoms) {
  for (const Product& term : size.terms) atoms.insert(term.atoms.begin(), term.atoms.end());
}

class Growth {
 public:
  Growth(const SymbolicRule& found, size_t input, size_t extra)
      : found_(found), input_(static_cast<int>(input)), extra_(static_cast<int>(extra)) {
    Atoms others;
    for (size_t i = 0; i < found.dims.size(); ++i)
      for (const SymbolicSize& size : found.dims[i].sizes)
        AddAtoms(size, i == input ? own_ : others);
    for (const SymbolicLiteral& literal : found.literals) AddAtoms(literal.size, others);
    for (const int atom : others) own_.erase(atom);
    order_.assign(own_.begin(), own_.end());
  }

  std::optional<SymbolicRule> Run() {
    SymbolicRule out = found_;
    for (int copy = 1; copy <= extra_; ++copy)
      for (const int atom : order_) out.atoms.push_back(found_.atoms[static_cast<size_t>(atom)]);
    const auto at = out.dims.begin() + input_ + 1;
    std::vector<SymbolicInput> copies;
    for (int copy = 1; copy <= extra_; ++copy) {
      copies.push_back(found_.dims[static_cast<size_t>(input_)]);
      for (SymbolicSize& size : copies.back().sizes)
        for (Product& term : size.terms) term = Copied(term, copy);
    }
    out.dims.insert(at, copies.begin(), copies.end());
    for (SymbolicLiteral& literal : out.literals) literal.input = Moved(literal.input);
    if (!GrowAll(out.factors) || !GrowAll(out.refuted) || !GrowPasses(out)) return std::nullopt;
    NameFactors(out);
    return out;
  }

 private:
  int Moved(int input) const { return input > input_ ? input + extra_ : input; }

  int Copied(int atom, int copy) const {
    const auto at = std::ranges::lower_bound(order_, atom);
    if (at == order_.end() || *at != atom) return atom;
    const auto own = static_cast<int>(order_.size());
    return static_cast<int>(found_.atoms.size()) + (copy - 1) * own +
           static_cast<int>(at - order_.begin());
  }

  Product Copied(Product product, int copy) const {
    for (int& atom : product.atoms) atom = Copied(atom, copy);
    std::ranges::sort(product.atoms);
    return product;
  }

  bool IsOwn(int atom) const { return own_.count(atom) > 0; }
  bool HasOwn(const Product& product) const {
    return std::ranges::any_of(product.atoms, [&](int atom) { return IsOwn(atom); });
  }

  bool GrowAll(std::vector<SymbolicFactor>& factors) const {
    return std::ranges::all_of(factors, [&](SymbolicFactor& factor) { return Grow(factor); });
  }

  bool Grow(SymbolicFactor& factor) const {
    const bool plain = factor.shifts.empty() && factor.indices.empty() && factor.ends.empty() &&
                       factor.inner == InnerUse{} && factor.others.empty() && !factor.composite;
    if (!plain || std::ranges::all_of(factor.atoms, [&](int atom) { return IsOwn(atom); }))
      return false;
    for (const auto& [atom, size] : factor.fixed)
      if (IsOwn(atom)) return false;
    std::vector<int> atoms;
    for (const int atom : factor.atoms) {
      atoms.push_back(atom);
      for (int copy = 1; IsOwn(atom) && copy <= extra_; ++copy) atoms.push_back(Copied(atom, copy));
    }
    factor.atoms = std::move(atoms);
    return GrowInputs(factor) && GrowOutputs(factor) && GrowList(factor.partial_inputs);
  }

  bool GrowInputs(SymbolicFactor& factor) const {
    std::vector<SymbolicCut> cuts;
    for (SymbolicCut cut : factor.inputs) {
      const bool copied = cut.tensor == input_;
      cut.tensor = Moved(cut.tensor);
      cuts.push_back(cut);
      for (int copy = 1; copied && copy <= extra_; ++copy) {
        SymbolicCut next = cut;
        next.tensor = input_ + copy;
        next.repeat = Copied(next.repeat, copy);
        for (SymbolicCut::Part& part : next.parts)
          part = {Copied(part.atom, copy), Copied(part.unit, copy)};
        if (next.window && !order_.empty()) return false;
        cuts.push_back(std::move(next));
      }
    }
    std::ranges::stable_sort(cuts, {}, &SymbolicCut::tensor);
    factor.inputs = std::move(cuts);
    return true;
  }

  // The operand's part of an output is at its position, and the copies follow it.
  bool GrowOutputs(SymbolicFactor& factor) const {
    for (SymbolicCut& cut : factor.outputs) {
      if (HasOwn(cut.repeat) || (cut.window && !order_.empty())) return false;
      std::vector<SymbolicCut::Part> parts;
      for (const SymbolicCut::Part& part : cut.parts) {
        parts.push_back(part);
        for (int copy = 1; (IsOwn(part.atom) || HasOwn(part.unit)) && copy <= extra_; ++copy)
          parts.push_back({Copied(part.atom, copy), Copied(part.unit, copy)});
      }
      cut.parts = std::move(parts);
    }
    return true;
  }

  // Extends a list of inputs that act together: it must contain either the whole row or no part of
  // it.
  bool GrowList(std::vector<int>& inputs) const {
    const auto has = [&](int input) { return std::ranges::find(inputs, input) != inputs.end(); };
    const bool all = has(input_);
    if (all != has(input_ - 1) || all != has(input_ + 1)) return false;
    for (int& input : inputs) input = Moved(input);
    for (int copy = 1; all && copy <= extra_; ++copy) inputs.push_back(input_ + copy);
    std::ranges::sort(inputs);
    return true;
  }

  bool GrowPasses(SymbolicRule& out) const {
    std::vector<PassThrough> passes;
    for (PassThrough pass : found_.pass_through) {
      if (pass.inputs == std::vector<int>{input_}) {  // alone, like each operand of the row
        for (int copy = 0; copy <= extra_; ++copy) passes.push_back({pass.op, {input_ + copy}});
        continue;
      }
      if (pass.inputs.size() == 1)
        pass.inputs[0] = Moved(pass.inputs[0]);
      else if (!GrowList(pass.inputs))
        return false;
      passes.push_back(std::move(pass));
    }
    out.pass_through = std::move(passes);
    return true;
  }

  const SymbolicRule& found_;
  int input_;
  int extra_;
  Atoms own_;  // that only this operand has
  std::vector<int> order_;
};

}  // namespace

std::optional<OperandRow> LongRowOf(const BlackBox& call) {
  OperandRow longest;
  OperandRow row;
  for (size_t i = 0; i < call.num_inputs(); ++i) {
    const bool goes_on = row.count > 0 && call.is_tensor(i) &&
                         call.element(i) == call.element(row.first) &&
                         call.rank(i) == call.rank(row.first);
    if (goes_on)
      ++row.count;
    else
      row = {i, call.is_tensor(i) ? size_t{1} : 0};
    if (row.count > longest.count) longest = row;
  }
  if (longest.count <= kLongest) return std::nullopt;
  return longest;
}

OpCall WithRow(const OpCall& call, const OperandRow& row, size_t kept) {
  OpCall out = call;
  const auto first = out.inputs.begin() + static_cast<std::ptrdiff_t>(row.first + kept - kAtEnd);
  out.inputs.erase(first, first + static_cast<std::ptrdiff_t>(row.count - kept));
  return out;
}

std::optional<SymbolicRule> Grown(const SymbolicRule& found, const OperandRow& row, size_t extra) {
  return Growth(found, row.first + kTemplate, extra).Run();
}

bool GrowsAlike(const SymbolicRule& shorter,
                const SymbolicRule& longer,
                const OperandRow& row,
                const OpCall& call) {
  const std::optional<SymbolicRule> grown = Grown(shorter, row, 1);
  if (!grown) return false;
  bool fits_grown = false;
  bool fits_found = false;
  BlackBox box(call);
  const Rule from_shorter = InstantiateAt(*grown, box, fits_grown);
  const Rule from_longer = InstantiateAt(longer, box, fits_found);
  return fits_grown && fits_found && from_shorter.text == from_longer.text &&
         from_shorter.factors.size() == from_longer.factors.size();
}

}  // namespace metadist
