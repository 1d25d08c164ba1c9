// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "metair/ops/op_def.h"
#include "metair/ops/op_table.h"

// Calls that are difficult for discovery, each with its correct rule. Operators that are not in the
// table are defined here.
namespace metadist::testing {

struct ReferenceCase {
  std::string id;  // W: wrong rule accepted, M: missed, C: crash, or far too slow, P: left open by
                   // prototypes
  std::string name;
  OpDef op;
  OpExample example;
  std::string rule;  // the one-line notation; "none" or "none # reason"
  // Valid inputs of an operator that states none: known to the rule checker, not to discovery.
  decltype(OpDef::domain_of) legal = nullptr;
};

inline void PrintTo(const ReferenceCase& one, std::ostream* out) {
  *out << one.id << " " << one.name;
}

std::vector<ReferenceCase> ReductionCases();
std::vector<ReferenceCase> MovementCases();
std::vector<ReferenceCase> ContractionCases();
std::vector<ReferenceCase> GradientCases();
std::vector<ReferenceCase> IndexCases();
std::vector<ReferenceCase> OffsetCases();
std::vector<ReferenceCase> PlaceCases();
std::vector<ReferenceCase> RandomCases();
std::vector<ReferenceCase> SliceCases();
std::vector<ReferenceCase> UnstatedCases();
std::vector<ReferenceCase> StatisticsCases();
std::vector<ReferenceCase> CellCases();
std::vector<ReferenceCase> CourseCases();

inline std::vector<ReferenceCase> ReferenceCases() {
  std::vector<ReferenceCase> all;
  for (std::vector<ReferenceCase> (*cases)() : {&ReductionCases,
                                                &MovementCases,
                                                &ContractionCases,
                                                &GradientCases,
                                                &IndexCases,
                                                &OffsetCases,
                                                &PlaceCases,
                                                &RandomCases,
                                                &SliceCases,
                                                &UnstatedCases,
                                                &StatisticsCases,
                                                &CellCases,
                                                &CourseCases})
    for (ReferenceCase& one : cases()) all.push_back(std::move(one));
  return all;
}

// An operator of the table.
inline OpDef Known(const char* name) { return *OpTable::BuiltIn().Find("", name); }

// An operator that is not in the table.
inline OpDef MakeOp(const char* name,
                    decltype(OpDef::infer) infer,
                    decltype(OpDef::reference) reference,
                    decltype(OpDef::domain_of) domain_of = nullptr) {
  OpDef op;
  op.domain = "test";
  op.name = name;
  op.infer = infer;
  op.reference = reference;
  op.domain_of = domain_of;
  return op;
}

// The same with a decomposition.
inline OpDef Decomposed(OpDef op, decltype(OpDef::decompose) decompose) {
  op.decompose = decompose;
  return op;
}

inline OpExample::Input Floats(Shape shape) {
  return {.type = {ElementType::kF32, std::move(shape)}};
}
inline OpExample::Input Integers(Shape shape) {
  return {.type = {ElementType::kI64, std::move(shape)}};
}
inline OpExample::Input Literal(std::vector<int64_t> values) {
  return {.type = {ElementType::kI64, {static_cast<int64_t>(values.size())}},
          .constant = std::move(values)};
}

using Types = Result<std::vector<TensorType>>;
inline Types FloatTypes(std::vector<Shape> shapes, ElementType element = ElementType::kF32) {
  std::vector<TensorType> types;
  for (Shape& shape : shapes) types.push_back({element, std::move(shape)});
  return types;
}

// Rows of an array of compute type f64 seen as [..., columns].
inline const double* Row(const Tensor& x, int64_t row) {
  return x.data<double>() + row * x.shape().back();
}
inline double* Row(Tensor& x, int64_t row) {
  return x.mutable_data<double>() + row * x.shape().back();
}

}  // namespace metadist::testing
