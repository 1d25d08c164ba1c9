// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace metadist {

// A node that computes `output`.
onnx::NodeProto NodeOf(const char* op,
                       const std::vector<std::string>& inputs,
                       const std::string& output);
// The value of a constant.
onnx::TensorProto ListOf(const std::vector<int64_t>& values);

// Nodes of an old opset that resize, by the name of their result: whether all their scales shrink.
using OldResizes = std::map<std::string, bool>;

// Rewrites operators of an old opset that the library's converter mishandles, within that opset.
// Returns what AdaptNew needs after the conversion.
OldResizes AdaptOld(onnx::ModelProto* proto, int64_t opset);

// Makes explicit in the converted model what was implied in `opset`.
void AdaptNew(onnx::ModelProto* proto, int64_t opset, const OldResizes& resizes);

}  // namespace metadist
