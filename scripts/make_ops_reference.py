#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/ops_reference.json: what ONNX's reference implementation computes for the examples of every operator.

usage: make_ops_reference.py BUILD_FOLDER

Needs the Python packages onnx (1.22), onnxruntime and numpy, and the built test program metair_ops_test, which writes the cases.
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import RuntimeTypeError

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPSET = 26
RUNTIME_OPSET = 22
RUNTIME_IR = 10
TYPES = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16, "i8": np.int8, "i16": np.int16, "i32": np.int32,
    "i64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "bool": np.bool_,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn, "i4": ml_dtypes.int4,
}
NAMES = {np.dtype(dtype): name for name, dtype in TYPES.items()}


def array_of(value):
    numbers = [float(x) if isinstance(x, str) else x for x in value["values"]]
    return np.array(numbers, dtype=TYPES[value["type"]]).reshape(value["shape"])


def number_json(x):
    if isinstance(x, float) and not math.isfinite(x):
        return "nan" if math.isnan(x) else ("inf" if x > 0 else "-inf")
    return int(x) if isinstance(x, bool) else x


def array_json(array):
    array = np.asarray(array)
    wide = {ml_dtypes.float8_e4m3fn: np.float64, ml_dtypes.int4: np.int64}.get(array.dtype.type, array.dtype)
    values = [number_json(x) for x in array.astype(wide).reshape(-1).tolist()]
    return {"type": NAMES[array.dtype], "shape": list(array.shape), "values": values}


def attribute_of(value):
    return numpy_helper.from_array(array_of(value)) if isinstance(value, dict) else value


# ONNX's implementation computes these, or constants in them, in f32; of Gelu the form that takes Erf.
SINGLE_PRECISION = {"AffineGrid", "CausalConvWithState", "DeformConv", "Erf", "Gelu", "GridSample", "GroupNormalization"}
# ONNX's implementation lacks attributes of these, or gets them wrong, without an error: LRN for as many channels as there are batches,
# LpNormalization of p = 1 without magnitudes.
LACKING = {"ConvTranspose", "GRU", "GlobalLpPool", "GlobalMaxPool", "LRN", "LSTM", "LpNormalization", "LpPool", "MaxRoiPool", "QLinearConv", "RNN"}
# onnxruntime has these in an earlier operator set only.
EARLIER = {"GlobalLpPool": 21, "MaxRoiPool": 21}
# Since a later operator set than the others.
LATER = {"CausalConvWithState": 27, "LinearAttention": 27}


def run_in_f32(model, feeds):
    """By onnxruntime, for what ONNX's implementation gets wrong or lacks; its results as f64 where they are f32."""
    for value in model.graph.input:
        if value.type.tensor_type.elem_type == onnx.TensorProto.DOUBLE:
            value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    model.opset_import[0].version = EARLIER.get(model.graph.node[0].op_type, RUNTIME_OPSET)
    model.ir_version = RUNTIME_IR
    narrow = {name: x.astype(np.float32) if x.dtype == np.float64 else x for name, x in feeds.items()}
    results = onnxruntime.InferenceSession(model.SerializeToString()).run(None, narrow)
    return [x.astype(np.float64) if x.dtype == np.float32 else x for x in results]


def run(case):
    names = [f"x{i}" if value is not None else "" for i, value in enumerate(case["inputs"])]
    outputs = [f"y{i}" for i in range(case["outputs"])]
    attributes = {name: attribute_of(value) for name, value in case["attributes"].items()}
    node = helper.make_node(case["op"], names, outputs, **attributes)
    feeds = {name: array_of(value) for name, value in zip(names, case["inputs"]) if name}
    graph = helper.make_graph(
        [node], "case",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in feeds.items()],
        [helper.make_empty_tensor_value_info(name) for name in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", LATER.get(case["op"], OPSET))])
    try:
        if "auto_pad" in attributes:
            raise ValueError("ONNX's implementation pads SAME by a wrong amount where strides are above 1")
        if case["op"] in LACKING or (case["op"] == "MaxPool" and len(outputs) > 1):
            raise ValueError("ONNX's implementation is not asked")
        results = ReferenceEvaluator(model).run(None, feeds)
        if case["op"] in SINGLE_PRECISION and attributes.get("approximate") != "tanh":
            case["tolerance"] = 1e-6
        if case["op"] == "LinearAttention":  # a product of many steps in f32
            case["tolerance"] = 1e-5
    # It lacks negative pads, slices in ScatterND, a depth of one dim, negative axes, function bodies in f64.
    except (IndexError, TypeError, ValueError, RuntimeTypeError):
        results = run_in_f32(model, feeds)
        case["tolerance"] = 1e-5
    return [array_json(y) for y in results]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cases.json")
        subprocess.run(
            [os.path.join(sys.argv[1], "bin", "metair_ops_test"), "--gtest_filter=OpReference.*"],
            env={**os.environ, "METADIST_WRITE_OPS_CASES": path}, check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            cases = json.load(file)
    failures = []
    for case in cases:
        try:
            with np.errstate(all="ignore"):
                case["outputs"] = run(case)
        except Exception as error:
            failures.append(f"{case['op']}, example {case['example']}: {error!r}")
        del case["attributes"]
    if failures:
        sys.exit("\n".join(failures))
    target = ROOT / "tests" / "data" / "ops_reference.json"
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    target.write_text("[\n" + lines + "\n]\n", encoding="utf-8")
    print(f"{len(cases)} cases, {target.stat().st_size} bytes, onnx {onnx.__version__}")


if __name__ == "__main__":
    main()
