// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist {

// One call of an operator, written as in a model of an older opset.
struct OldSpelling {
  onnx::ModelProto model;      // inputs a0, a1, ...; constant ones are initializers
  std::vector<Tensor> inputs;  // of the graph inputs, in order
  std::string impossible;      // why the older operator cannot express it; "" if it can
};

// Opsets from 7 on whose schema of the operator differs from that of the opset before; the
// canonical one's is last. Empty: the ONNX registry does not know the operator.
std::vector<int> OpsetsThatDiffer(const std::string& op);

// elements: of every input of the example (Tensor() for omitted ones).
OldSpelling SpellOld(const OpDef& op,
                     const OpExample& example,
                     const std::vector<Tensor>& elements,
                     int opset);

}  // namespace metadist
