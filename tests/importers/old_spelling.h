// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist {

// One call of an operator as a model of an older opset writes it.
struct OldSpelling {
  onnx::ModelProto model;      // inputs a0, a1, ...; constant ones are initializers
  std::vector<Tensor> inputs;  // of the graph inputs, in order
  std::string impossible;      // why the older operator cannot say it; "" if it can
};

// Opsets from 7 on at which the operator's schema differs from that of the opset before, the
// canonical one's last. Empty: the ONNX registry does not know the operator.
std::vector<int> OpsetsThatDiffer(const std::string& op);

// elements: of every input of the example (Tensor() for those left out).
OldSpelling SpellOld(const OpDef& op,
                     const OpExample& example,
                     const std::vector<Tensor>& elements,
                     int opset);

}  // namespace metadist
