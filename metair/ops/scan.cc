// SPDX-License-Identifier: Apache-2.0
// Runs a body once for each slice of its inputs, in order. Results: the last states, and the slices
// it produced, stacked. States keep their types.
#include <algorithm>
#include <cstring>

#include "metair/ops/body.h"
#include "metair/ops/call_check.h"
#include "metair/ops/ops.h"
#include "metair/ops/scan_axes.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> ScanBodyInputs(const OpCall& call, size_t region) {
  const ScanAxes axes = TRY(ReadScanAxes(call, {}));
  std::vector<TensorType> types = TRY(PresentTypes(call, 0));
  for (size_t i = 0; i < axes.arrays; ++i) {
    Shape& shape = types[axes.states + i].shape;
    shape.erase(shape.begin() + axes.input_axes[i]);
  }
  return types;
}

Result<ScanAxes> AxesOfScan(const OpCall& call) {
  std::vector<int64_t> ranks;
  for (const TensorType& type : BodyOutputs(call, 0))
    ranks.push_back(static_cast<int64_t>(type.shape.size()));
  return ReadScanAxes(call, ranks);
}

Result<std::vector<TensorType>> InferScan(const OpCall& call) {
  if (call.regions == nullptr || call.regions->size() != 1)
    return BadCall("attribute body is missing");
  const ScanAxes axes = TRY(AxesOfScan(call));
  std::vector<TensorType> types = BodyOutputs(call, 0);
  if (types.size() < axes.states)
    return BadCall("the body must have at least {} outputs, got {}", axes.states, types.size());
  std::vector<Error> problems;
  for (size_t i = 0; i < axes.states; ++i)
    if (!call.has(i) || types[i] != call.type(i))
      problems.push_back(
          BadCall("state {} must keep its type: it is {} before the body and {} after",
                  i,
                  call.has(i) ? TypeText(call.type(i)) : "missing",
                  TypeText(types[i])));
  if (!problems.empty()) return Join(std::move(problems));
  for (size_t i = axes.states; i < types.size(); ++i) {
    Shape& shape = types[i].shape;
    shape.insert(shape.begin() + axes.output_axes[i - axes.states], axes.rounds);
  }
  return types;
}

// Slice `index` of an array along `axis`, which is removed.
Tensor SliceAt(const Tensor& array, int64_t axis, int64_t index) {
  Shape shape = array.shape();
  const int64_t size = shape[static_cast<size_t>(axis)];
  const int64_t rows = NumElements({shape.begin(), shape.begin() + axis});
  shape.erase(shape.begin() + axis);
  Tensor slice = Tensor::Zeros({array.element(), shape});
  const int64_t bytes = slice.type().bytes() / std::max<int64_t>(1, rows);
  for (int64_t row = 0; row < rows && bytes > 0; ++row)
    std::memcpy(slice.mutable_bytes() + row * bytes,
                array.bytes() + (row * size + index) * bytes,
                static_cast<size_t>(bytes));
  return slice;
}

Result<void> ScanReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const ScanAxes axes = TRY(AxesOfScan(call));
  std::vector<Tensor> state(in.begin(), in.begin() + static_cast<ptrdiff_t>(axes.states));
  std::vector<std::vector<Tensor>> slices(out.size() - axes.states);
  for (int64_t round = 0; round < axes.rounds; ++round) {
    std::vector<Tensor> own = state;
    for (size_t i = 0; i < axes.arrays; ++i)
      own.push_back(SliceAt(in[axes.states + i],
                            axes.input_axes[i],
                            axes.input_reversed[i] ? axes.rounds - 1 - round : round));
    const std::vector<Tensor> results = TRY(RunBody(call, 0, own, in));
    for (size_t i = 0; i < axes.states; ++i) state[i] = results[i];
    for (size_t i = 0; i < slices.size(); ++i) slices[i].push_back(results[axes.states + i]);
  }
  for (size_t i = 0; i < axes.states; ++i) out[i] = state[i];
  for (size_t i = 0; i < slices.size(); ++i) {
    if (axes.output_reversed[i]) std::reverse(slices[i].begin(), slices[i].end());
    Tensor& stack = out[axes.states + i];
    stack = Stack(slices[i], axes.output_axes[i], stack.type());
  }
  return {};
}

}  // namespace

OpDef MakeScan() {
  return {.name = "Scan",
          .since_version = 25,
          .infer = InferScan,
          .reference = ScanReference,
          .body_inputs = ScanBodyInputs,
          .examples = NoExamples};
}

}  // namespace metadist::ops
