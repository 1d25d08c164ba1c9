// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/scan_axes.h"

#include "metair/ops/call_check.h"

namespace metadist {
namespace {

// One entry of an optional list attribute.
int64_t Entry(const OpCall& call, const char* name, size_t i) {
  const std::vector<int64_t> list = call.attributes->Ints(name);
  return i < list.size() ? list[i] : 0;
}

}  // namespace

Result<ScanAxes> ReadScanAxes(const OpCall& call, const std::vector<int64_t>& body_output_ranks) {
  ScanAxes axes;
  const int64_t arrays = call.attributes->Int("num_scan_inputs", 0);
  const auto inputs = static_cast<int64_t>(call.num_own_inputs());
  if (arrays < 1 || arrays > inputs)
    return BadCall("num_scan_inputs must be in [1, {}], got {}", inputs, arrays);
  axes.arrays = static_cast<size_t>(arrays);
  axes.states = static_cast<size_t>(inputs - arrays);
  for (size_t i = 0; i < axes.arrays; ++i) {
    const size_t input = axes.states + i;
    if (!call.has(input)) return BadCall("input {} is missing", input);
    const int64_t axis = TRY(NormalizeAxis(Entry(call, "scan_input_axes", i), call.rank(input)));
    const int64_t size = call.shape(input)[static_cast<size_t>(axis)];
    if (i == 0) axes.rounds = size;
    if (size != axes.rounds)
      return BadCall(
          "all scanned inputs must have {} slices, got {} of input {}", axes.rounds, size, input);
    axes.input_axes.push_back(axis);
    axes.input_reversed.push_back(Entry(call, "scan_input_directions", i) == 1);
  }
  for (size_t o = axes.states; o < body_output_ranks.size(); ++o) {
    const size_t i = o - axes.states;
    axes.output_axes.push_back(
        TRY(NormalizeAxis(Entry(call, "scan_output_axes", i), body_output_ranks[o] + 1)));
    axes.output_reversed.push_back(Entry(call, "scan_output_directions", i) == 1);
  }
  return axes;
}

}  // namespace metadist
