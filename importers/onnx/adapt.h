// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>

namespace metadist {

// Nodes of an old opset that change sizes, by result: whether all their scales shrink.
using OldResizes = std::map<std::string, bool>;

// Rewrites operators of an old opset that the library's converter mistakes, in the same opset, and
// returns what must be said after the conversion.
OldResizes AdaptOld(onnx::ModelProto* proto, int64_t opset);

// States in the model converted from `opset` what was implied before.
void AdaptNew(onnx::ModelProto* proto, int64_t opset, const OldResizes& resizes);

}  // namespace metadist
