#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes residual.onnx: two layers of com.example.ScaledResidual with random weights, and what it makes of random inputs.

    python3 models/custom-operator/make_model.py FOLDER
"""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def main():
    folder = sys.argv[1]
    random = np.random.default_rng(7)
    x = random.standard_normal((12, 32)).astype(np.float32)
    weights = [random.standard_normal((32, 32)).astype(np.float32) for _ in range(2)]
    nodes = [
        helper.make_node("ScaledResidual", ["x", "w0", "x"], ["h"], domain="com.example", scale=0.125),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("ScaledResidual", ["r", "w1", "h"], ["y"], domain="com.example", scale=0.25),
    ]
    graph = helper.make_graph(
        nodes,
        "residual",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, x.shape)],
        [numpy_helper.from_array(w, f"w{i}") for i, w in enumerate(weights)],
    )
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.example", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), os.path.join(folder, "residual.onnx"))
    h = 0.125 * x @ weights[0] + x
    np.savez(os.path.join(folder, "residual.inputs.npz"), x=x)
    np.savez(os.path.join(folder, "residual.outputs.npz"), y=0.25 * np.maximum(h, 0) @ weights[1] + h)


if __name__ == "__main__":
    main()
