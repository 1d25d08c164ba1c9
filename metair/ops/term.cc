// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/term.h"

#include <algorithm>

namespace metadist {
namespace {

bool Contains(const std::vector<int64_t>& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

}  // namespace

Term Term::Apply(const std::string& op, const Attributes& attributes) const {
  return {*b_, b_->Add(op, {value_}, attributes)};
}

Term Term::Apply(const std::string& op,
                 const std::vector<Term>& others,
                 const Attributes& attributes) const {
  std::vector<ValueId> inputs{value_};
  for (const Term& other : others) inputs.push_back(other.value());
  return {*b_, b_->Add(op, inputs, attributes)};
}

Term Term::Wide() const { return IsNarrowFloat(element()) ? As(ElementType::kF32) : *this; }

Term Term::Sum(const std::vector<int64_t>& axes, bool keep) const {
  return axes.empty() ? *this : Term(*b_, b_->Fold("ReduceSum", value_, axes, keep));
}

Term Term::SumAllBut(const std::vector<int64_t>& axes, bool keep) const {
  std::vector<int64_t> others;
  for (int64_t d = 0; d < rank(); ++d)
    if (!Contains(axes, d)) others.push_back(d);
  return Sum(others, keep);
}

Term Term::SumTo(const Shape& to) const {
  if (b_->failed() || shape() == to) return *this;
  const size_t added = shape().size() - to.size();
  std::vector<int64_t> leading;
  std::vector<int64_t> stretched;
  for (size_t d = 0; d < shape().size(); ++d) {
    if (d < added)
      leading.push_back(static_cast<int64_t>(d));
    else if (to[d - added] == 1 && shape()[d] != 1)
      stretched.push_back(static_cast<int64_t>(d - added));
  }
  return Sum(leading, /*keep=*/false).Sum(stretched);
}

Term Term::Expanded(const Shape& to) const {
  return b_->failed() || shape() == to ? *this : With("Expand", to);
}

Term Term::Reshaped(const Shape& to) const {
  if (b_->failed() || shape() == to) return *this;
  return Apply("Reshape", {Term(*b_, b_->Integers(to))}, {{"allowzero", 1}});
}

Term Term::Transposed(const std::vector<int64_t>& order) const {
  return std::is_sorted(order.begin(), order.end()) ? *this : Apply("Transpose", {{"perm", order}});
}

Term Term::Unsqueezed(const std::vector<int64_t>& axes) const {
  return axes.empty() ? *this : With("Unsqueeze", axes);
}

Term Term::Sliced(int64_t axis, int64_t first, int64_t end, int64_t step) const {
  const auto list = [&](int64_t value) { return b_->Integers({value}); };
  return {*b_, b_->Add("Slice", {value_, list(first), list(end), list(axis), list(step)})};
}

Term Term::Padded(const std::vector<int64_t>& before, const std::vector<int64_t>& after) const {
  std::vector<int64_t> pads = before;
  pads.insert(pads.end(), after.begin(), after.end());
  const bool none = std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad == 0; });
  return none ? *this : With("Pad", pads);
}

Term operator-(const Term& x) { return x.Apply("Neg"); }
Term operator+(const Term& a, const Term& b) { return a.Apply("Add", {b}); }
Term operator-(const Term& a, const Term& b) { return a.Apply("Sub", {b}); }
Term operator*(const Term& a, const Term& b) { return a.Apply("Mul", {b}); }
Term operator/(const Term& a, const Term& b) { return a.Apply("Div", {b}); }
Term operator+(const Term& a, double b) { return a + a.Number(b); }
Term operator-(const Term& a, double b) { return a - a.Number(b); }
Term operator*(const Term& a, double b) { return a * a.Number(b); }
Term operator/(const Term& a, double b) { return a / a.Number(b); }
Term operator+(double a, const Term& b) { return b.Number(a) + b; }
Term operator-(double a, const Term& b) { return b.Number(a) - b; }
Term operator*(double a, const Term& b) { return b.Number(a) * b; }
Term operator/(double a, const Term& b) { return b.Number(a) / b; }

Term operator<(const Term& a, const Term& b) { return a.Apply("Less", {b}); }
Term operator>(const Term& a, const Term& b) { return a.Apply("Greater", {b}); }
Term operator<=(const Term& a, const Term& b) { return a.Apply("LessOrEqual", {b}); }
Term operator>=(const Term& a, const Term& b) { return a.Apply("GreaterOrEqual", {b}); }
Term operator==(const Term& a, const Term& b) { return a.Apply("Equal", {b}); }
Term operator<(const Term& a, double b) { return a < a.Number(b); }
Term operator>(const Term& a, double b) { return a > a.Number(b); }
Term operator<=(const Term& a, double b) { return a <= a.Number(b); }
Term operator>=(const Term& a, double b) { return a >= a.Number(b); }
Term operator==(const Term& a, double b) { return a == a.Number(b); }
Term operator&(const Term& a, const Term& b) { return a.Apply("And", {b}); }

Term Choose(const Term& condition, const Term& a, const Term& b) {
  return condition.Apply("Where", {a, b});
}
Term Choose(const Term& condition, const Term& a, double b) {
  return Choose(condition, a, a.Number(b));
}
Term Choose(const Term& condition, double a, const Term& b) {
  return Choose(condition, b.Number(a), b);
}

Term Einsum(const std::string& equation, const std::vector<Term>& terms) {
  return terms.front().Apply("Einsum", {terms.begin() + 1, terms.end()}, {{"equation", equation}});
}

}  // namespace metadist
