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
//   }
//
// `_` is an input left out or an output not wanted. Names of other characters than letters, digits,
// `_`, `.` and `/` are quoted. The node name comes last. Constants of at most 16 elements carry
// their elements, row-major; all other bytes are left out (`= ...`). Attribute values: 1 (int),
// 1.0 (float; a `d` follows where f32 does not hold it), "s", lists of these, `floats []` for an
// empty list, `tensor f32[2] = [1.0, 2.0]`.
// whole: constants of the graph, by name, that are written with all elements, however many.
std::string GraphText(const Graph& graph, const std::set<std::string>& whole = {});
// Most elements of other constants that are written.
inline constexpr int64_t kInlineElements = 16;

// One node as GraphText prints it, without indentation and regions.
std::string NodeText(const Graph& graph, const Node& node);

// Reads what GraphText prints: ParseGraph(GraphText(g)) equals Renumbered(g) but for bytes left
// out, which become absent. Errors: kBadInput with `line N` as place; the result is verified.
Result<Graph> ParseGraph(std::string_view text);

}  // namespace metadist
