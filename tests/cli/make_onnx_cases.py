#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/cli/fixtures/onnx_cases and onnx_cases_bad: small test cases in the layout of onnx/backend/test/data, for `metadist conformance`.

usage: make_onnx_cases.py        (needs the Python packages onnx 1.22 and numpy)

Expected outputs are ONNX's reference implementation's, but for the cases that are wrong on purpose.
"""
import json
import pathlib
import shutil

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

FIXTURES = pathlib.Path(__file__).resolve().parent / "fixtures"
GOOD = FIXTURES / "onnx_cases"
BAD = FIXTURES / "onnx_cases_bad"
F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def value(name, element, shape):
    return helper.make_tensor_value_info(name, element, shape)


def model(nodes, inputs, outputs, opset=22):
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", opset)])


def write(path, proto):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(proto.SerializeToString(deterministic=True))


def case(folder, proto, inputs, outputs=None):
    """One case: {model.onnx, test_data_set_0/{input_N.pb, output_N.pb}}."""
    if outputs is None:
        names = [i.name for i in proto.graph.input]
        outputs = ReferenceEvaluator(proto).run(None, dict(zip(names, inputs)))
    write(folder / "model.onnx", proto)
    for kind, arrays in (("input", inputs), ("output", outputs)):
        for i, array in enumerate(arrays):
            write(folder / f"test_data_set_0/{kind}_{i}.pb", numpy_helper.from_array(np.asarray(array)))


def ramp(*shape):
    count = int(np.prod(shape))
    return ((np.arange(count) - count // 3) / count).astype(np.float32).reshape(shape)


def control_flow():
    branches = {
        name: helper.make_graph([helper.make_node(op, ["x"], ["r"])], name, [], [value("r", F32, [4])])
        for name, op in (("then_branch", "Neg"), ("else_branch", "Abs"))
    }
    chosen = model([helper.make_node("If", ["c"], ["y"], **branches)], [value("c", BOOL, []), value("x", F32, [4])], [value("y", F32, [4])])
    case(GOOD / "node/test_if", chosen, [np.array(True), ramp(4)])
    body = helper.make_graph(
        [
            helper.make_node("Add", ["s", "x"], ["t"]),
            helper.make_node("ReduceSum", ["t"], ["n"], keepdims=0),
            helper.make_node("Less", ["n", "limit"], ["go"]),
        ],
        "body",
        [value("i", I64, []), value("c", BOOL, []), value("s", F32, [4])],
        [value("go", BOOL, []), value("t", F32, [4])],
    )
    until = model(
        [helper.make_node("Loop", ["", "", "x"], ["y"], body=body)],
        [value("x", F32, [4]), value("limit", F32, [])],
        [value("y", F32, [4])],
    )
    case(GOOD / "node/test_loop_until", until, [np.full(4, 0.5, np.float32), np.float32(11)], [np.full(4, 3, np.float32)])
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Identity", ["t"], ["o"])],
        "body",
        [value("s", F32, [2]), value("x", F32, [2])],
        [value("t", F32, [2]), value("o", F32, [2])],
    )
    scan = model(
        [helper.make_node("Scan", ["s", "x"], ["y", "z"], body=body, num_scan_inputs=1)],
        [value("s", F32, [2]), value("x", F32, [3, 2])],
        [value("y", F32, [2]), value("z", F32, [3, 2])],
    )
    case(GOOD / "node/test_scan_sum", scan, [ramp(2), ramp(3, 2)])


def negation(element):
    return model([helper.make_node("Neg", ["x"], ["y"])], [value("x", element, [2])], [value("y", element, [2])])


def good():
    add = model([helper.make_node("Add", ["a", "b"], ["y"])], [value("a", F32, ["n", 4]), value("b", F32, [4])], [value("y", F32, ["n", 4])])
    case(GOOD / "node/test_add_symbolic", add, [ramp(3, 4), ramp(4)])
    expanded = model(
        [helper.make_node("Neg", ["b"], ["m"]), helper.make_node("Sub", ["a", "m"], ["y"])],
        [value("a", F32, [3, 4]), value("b", F32, [4])],
        [value("y", F32, [3, 4])],
    )
    case(GOOD / "node/test_add_symbolic_expanded", expanded, [ramp(3, 4), ramp(4)])
    product = model([helper.make_node("MatMul", ["a", "b"], ["y"])], [value("a", F32, [4, 8]), value("b", F32, [8, 6])], [value("y", F32, [4, 6])])
    case(GOOD / "node/test_matmul", product, [ramp(4, 8), ramp(8, 6)])
    reshape = model([helper.make_node("Reshape", ["x", "s"], ["y"])], [value("x", F32, [4, 6]), value("s", I64, [3])], [value("y", F32, [2, 2, 6])])
    case(GOOD / "node/test_reshape", reshape, [ramp(4, 6), np.array([2, 2, -1], np.int64)])
    words = model(
        [helper.make_node("Identity", ["x"], ["y"])], [value("x", TensorProto.STRING, [1])], [value("y", TensorProto.STRING, [1])]
    )
    case(GOOD / "node/test_identity_string", words, [np.array(["a"], object)])
    custom = model([helper.make_node("Frobnicate", ["x"], ["y"], domain="com.example")], [value("x", F32, [1])], [value("y", F32, [1])])
    custom.opset_import.append(helper.make_opsetid("com.example", 1))
    case(GOOD / "node/test_frobnicate", custom, [ramp(1)], [ramp(1)])
    # What a sum that cancels leaves in 32 bits beside an element of 10000.
    case(GOOD / "node/test_neg_noise", negation(F32), [np.array([-1e4, 0], np.float32)], [np.array([1e4, 1e-4], np.float32)])
    control_flow()
    tiny = model([helper.make_node("Relu", ["x"], ["y"])], [value("x", F32, ["n", 4])], [value("y", F32, ["n", 4])])
    write(GOOD / "light/light_tiny.onnx", tiny)
    write(GOOD / "light/light_tiny_output_0.pb", numpy_helper.from_array((np.arange(4) / 4).astype(np.float32).reshape(1, 4)))
    (GOOD / "real/test_tiny").mkdir(parents=True)
    description = {"atol": 1e-07, "model_name": "tiny", "rtol": 0.002, "url": "onnx/backend/test/data/light/light_tiny.onnx"}
    (GOOD / "real/test_tiny/data.json").write_text(json.dumps(description) + "\n", encoding="utf-8")


def bad():
    negate = negation(F32)
    x = np.array([1, 2], np.float32)
    case(BAD / "node/test_neg_value", negate, [x], [np.array([-1, 2], np.float32)])
    case(BAD / "node/test_neg_shape", negate, [x], [np.array([[-1, -2]], np.float32)])
    case(BAD / "node/test_neg_type", negate, [x], [np.array([-1, -2], np.float64)])
    case(BAD / "node/test_neg_count", negate, [x], [-x, -x])
    # More than the rounding of the largest element.
    case(BAD / "node/test_neg_noise", negate, [np.array([-1, 0], np.float32)], [np.array([1, 1e-4], np.float32)])
    case(BAD / "node/test_neg_noise_f64", negation(TensorProto.DOUBLE), [np.array([-1e4, 0])], [np.array([1e4, 1e-4])])
    (BAD / "node/test_damaged/test_data_set_0").mkdir(parents=True)
    (BAD / "node/test_damaged/model.onnx").write_bytes(b"no model at all\n")


if __name__ == "__main__":
    for folder in (GOOD, BAD):
        shutil.rmtree(folder, ignore_errors=True)
    good()
    bad()
