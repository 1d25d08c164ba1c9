// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "metair/ir/graph.h"
#include "metair/ir/result.h"

namespace metadist {

// The text form of a graph:
//
//   graph gpt2 opset 26 {
//     input %ids: i64[8,24]
//     parameter %w: f32[64,192] = ...
//     constant %shape: i64[2] = [8, 24]
//     %h: f32[192,64] = Gemm(%x, %w, _) {alpha = 1.0, transB = 0} @"node name"
//     %y: f32[64], _ = metadist.Pair(%h)
//     %z: f32[64] = If(%c) {} then_branch(%y) graph then opset 26 { ... } @n
//     output %h
//     state %w -> %h
//     sum %s -> %t
//     micro_batches 4
//   }
//
// The last line is left out for one micro-batch. `_` is an omitted input or an output not
// requested. Names with characters other than letters, digits, `_`, `.` and `/` are quoted. The
// node name comes last. Constants of at most 16 elements are written with their elements,
// row-major; all other data is omitted (`= ...`). Attribute values: 1 (int), 1.0 (float; followed
// by `d` if it is not an exact f32), "s", lists of these, `floats []` for an empty list, `tensor
// f32[2] = [1.0, 2.0]`. whole: names of constants of the graph that are written with all elements,
// however many.
std::string GraphText(const Graph& graph, const std::set<std::string>& whole = {});
// Most elements that are written of other constants.
inline constexpr int64_t kInlineElements = 16;

// One node as GraphText prints it, without indentation and regions.
std::string NodeText(const Graph& graph, const Node& node);

// Parses the text form: ParseGraph(GraphText(g)) equals Renumbered(g), except that omitted data
// becomes absent. Errors: kBadInput with `line N` as location. The result is verified.
Result<Graph> ParseGraph(std::string_view text);

}  // namespace metadist
