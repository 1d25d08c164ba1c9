// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "metair/ops/graph_builder.h"

namespace metadist {

// A value of a graph that is being written, for arithmetic. Each operation adds a node:
//
//   const Term slope = 1 - y * y;
//   const Term dx = Choose(x > 0, dy * slope, 0);
//
// Operands broadcast. The builder must outlive the term.
class Term {
 public:
  Term(GraphBuilder& b, ValueId value) : b_(&b), value_(value) {}

  GraphBuilder& builder() const { return *b_; }
  ValueId value() const { return value_; }
  ElementType element() const { return b_->type(value_).element; }
  // A copy: references to a graph that grows do not last.
  Shape shape() const { return b_->shape(value_); }
  int64_t rank() const { return static_cast<int64_t>(shape().size()); }

  // A node with this value as its first input, and with `others` after it.
  Term Apply(const std::string& op, const Attributes& attributes = {}) const;
  Term Apply(const std::string& op,
             const std::vector<Term>& others,
             const Attributes& attributes = {}) const;
  // The same with constant integers as its second input.
  Term With(const std::string& op, const std::vector<int64_t>& integers) const {
    return {*b_, b_->With(op, value_, integers)};
  }

  // A number of the same element type.
  Term Number(double value) const { return {*b_, b_->Number(value, value_)}; }
  // Zeros of the same element type, made at run time.
  Term Zeros(const Shape& shape) const { return Number(0).Expanded(shape); }
  Term As(ElementType element) const { return {*b_, b_->As(element, value_)}; }
  // In f32 if its element type is a narrower float.
  Term Wide() const;

  // Sums over the axes; none if there are none.
  Term Sum(const std::vector<int64_t>& axes, bool keep = true) const;
  // The same, over all axes but these.
  Term SumAllBut(const std::vector<int64_t>& axes, bool keep = true) const;
  // Sums over the dims by which an array of `shape` was broadcast to this one.
  Term SumTo(const Shape& shape) const;
  // Broadcast to `shape`.
  Term Expanded(const Shape& shape) const;
  Term Reshaped(const Shape& shape) const;
  // Dim d of the result is dim order[d] of this.
  Term Transposed(const std::vector<int64_t>& order) const;
  // Dims of size 1 inserted at these positions of the result.
  Term Unsqueezed(const std::vector<int64_t>& axes) const;
  // Elements first, first + step, ... before `end` along one axis.
  Term Sliced(int64_t axis, int64_t first, int64_t end, int64_t step = 1) const;
  // Zeros added before and after along each dim; negative counts remove elements.
  Term Padded(const std::vector<int64_t>& before, const std::vector<int64_t>& after) const;

 private:
  GraphBuilder* b_;
  ValueId value_;
};

Term operator-(const Term& x);
Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator/(const Term& a, const Term& b);
Term operator+(const Term& a, double b);
Term operator-(const Term& a, double b);
Term operator*(const Term& a, double b);
Term operator/(const Term& a, double b);
Term operator+(double a, const Term& b);
Term operator-(double a, const Term& b);
Term operator*(double a, const Term& b);
Term operator/(double a, const Term& b);

// Bools.
Term operator<(const Term& a, const Term& b);
Term operator>(const Term& a, const Term& b);
Term operator<=(const Term& a, const Term& b);
Term operator>=(const Term& a, const Term& b);
Term operator==(const Term& a, const Term& b);
Term operator<(const Term& a, double b);
Term operator>(const Term& a, double b);
Term operator<=(const Term& a, double b);
Term operator>=(const Term& a, double b);
Term operator==(const Term& a, double b);
Term operator&(const Term& a, const Term& b);

// Elements of `a` where the condition holds, otherwise of `b`.
Term Choose(const Term& condition, const Term& a, const Term& b);
Term Choose(const Term& condition, const Term& a, double b);
Term Choose(const Term& condition, double a, const Term& b);

// Sum of products; see the operator Einsum.
Term Einsum(const std::string& equation, const std::vector<Term>& terms);

}  // namespace metadist
