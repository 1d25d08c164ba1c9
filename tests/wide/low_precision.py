#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models in low precision, written by ONNX Runtime's quantizer or with weights of few bits, whole and divided.

    tests/wide/low_precision.py [--binary FILE] [--ranks 1,2,4] [--variants NAME,...] [--keep FOLDER] MODEL...

MODEL: an .onnx file with MODEL.inputs.npz beside it. Each variant runs on every number of ranks (the plan of the default solver) and must equal
ONNX Runtime on the same file, or ONNX's reference evaluator where ONNX Runtime lacks the types, or, where both do, ONNX Runtime on the same
numbers in f32. Variants:
    dynamic, dynamic-channel                 quantize_dynamic: 8-bit weights, activations scaled as they come; one scale for each channel
    qdq, qdq-channel, qoperator              quantize_static: QuantizeLinear and DequantizeLinear around f32 operators, or QLinear operators
    f16, bf16                                all floats in that type
    f8e4m3fn, f8e5m2, i4, u4, i2, f4e2m1     weights of products and convolutions in that type, dequantized where they are used
Prints a line for each variant; exit 1 if one fails.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

try:
    import ml_dtypes
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
    from onnx.reference import ReferenceEvaluator
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(0)

BLOCK = 16  # weights that share a scale, of the types of fewer than 8 bits
LEAST = 256  # elements of a weight that is worth it
FEW_BITS = {
    "f8e4m3fn": (TensorProto.FLOAT8E4M3FN, ml_dtypes.float8_e4m3fn, 448),
    "f8e5m2": (TensorProto.FLOAT8E5M2, ml_dtypes.float8_e5m2, 57344),
    "i4": (TensorProto.INT4, ml_dtypes.int4, 7),
    "u4": (TensorProto.UINT4, ml_dtypes.uint4, 15),
    "i2": (TensorProto.INT2, ml_dtypes.int2, 1),
    "f4e2m1": (TensorProto.FLOAT4E2M1, ml_dtypes.float4_e2m1fn, 6),
}


class Batches(CalibrationDataReader):
    """The model's own inputs, and a few like them."""

    def __init__(self, inputs):
        rng = np.random.default_rng(0)
        self.left = [inputs]
        for _ in range(3):
            self.left.append({k: v + np.asarray(rng.normal(size=v.shape) * 0.1, v.dtype) if v.dtype.kind == "f" else rng.permutation(v) for k, v in inputs.items()})

    def get_next(self):
        return self.left.pop() if self.left else None


def of_fixed_sizes(source, inputs, folder):
    """The model for the sizes of its inputs."""
    model = onnx.load(source)
    for value in model.graph.input:
        for dim, size in zip(value.type.tensor_type.shape.dim, inputs[value.name].shape):
            dim.dim_value = size
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    target = os.path.join(folder, "fixed.onnx")
    onnx.save(onnx.shape_inference.infer_shapes(model), target)
    return target


def ranges_known(source, folder):
    target = os.path.join(folder, "shapes.onnx")
    quant_pre_process(source, target, skip_symbolic_shape=True, skip_optimization=True)
    return target


def by_quantizer(name, source, target, inputs, folder):
    if name.startswith("dynamic"):
        # Weights of 7 bits: without VNNI, ONNX Runtime's sums of two products saturate at 16 bits.
        quantize_dynamic(source, target, weight_type=QuantType.QInt8, per_channel=name.endswith("channel"), reduce_range=True)
        return
    quantize_static(
        ranges_known(source, folder),
        target,
        Batches(inputs),
        quant_format=QuantFormat.QOperator if name == "qoperator" else QuantFormat.QDQ,
        per_channel=name.endswith("channel"),
        op_types_to_quantize=["MatMul", "Conv"] if name == "qoperator" else None,
    )


def in_halves(name, source, target):
    """All floats in one type; inputs and outputs stay f32."""
    model = onnx.load(source)
    to, dtype = (TensorProto.FLOAT16, np.float16) if name == "f16" else (TensorProto.BFLOAT16, ml_dtypes.bfloat16)
    graph = model.graph
    for weight in graph.initializer:
        if weight.data_type == TensorProto.FLOAT:
            weight.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weight).astype(dtype), weight.name))
    renamed, casts = {}, []
    for value in graph.input:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            renamed[value.name] = value.name + "_narrow"
            casts.append(helper.make_node("Cast", [value.name], [renamed[value.name]], to=to))
    last = {}
    for value in graph.output:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            last[value.name] = value.name + "_narrow"
    for node in graph.node:
        for names in (node.input, node.output):
            for i, value in enumerate(names):
                names[i] = renamed.get(value, last.get(value, value))
        for attribute in node.attribute:
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = to
            if attribute.type == onnx.AttributeProto.TENSOR and attribute.t.data_type == TensorProto.FLOAT:
                attribute.t.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(attribute.t).astype(dtype)))
    nodes = casts + list(graph.node) + [helper.make_node("Cast", [narrow], [value], to=TensorProto.FLOAT) for value, narrow in last.items()]
    del graph.node[:], graph.value_info[:]
    graph.node.extend(nodes)
    onnx.save(model, target)


def dequantized(name, weight, axis):
    """The initializers and the node that stand for a weight of which `axis` is the dim that products sum over."""
    to, dtype, largest = FEW_BITS[name]
    array = numpy_helper.to_array(weight)
    eight = name.startswith("f8")
    block = 0 if eight else BLOCK
    if eight:
        other = (axis + 1) % array.ndim if array.ndim == 2 else 0
        scale = np.max(np.abs(array), axis=tuple(d for d in range(array.ndim) if d != other)) / largest
        spread = np.reshape(scale, [-1 if d == other else 1 for d in range(array.ndim)])
        axis = other
    else:
        if array.shape[axis] % BLOCK != 0:
            return None
        cut = [*array.shape[:axis], array.shape[axis] // BLOCK, BLOCK, *array.shape[axis + 1 :]]
        scale = np.max(np.abs(array.reshape(cut)), axis=axis + 1) / largest * (2 if name == "u4" else 1)
        spread = np.repeat(scale, BLOCK, axis=axis)
    scale = np.asarray(np.where(scale == 0, 1, scale), np.float32)
    spread = np.where(spread == 0, 1, spread)
    zero = 8 if name == "u4" else 0
    numbers = array / spread + zero
    if name[0] in "iu":
        numbers = np.clip(np.rint(numbers), -largest if name[0] == "i" else 0, largest)
    made = [numpy_helper.from_array(numbers.astype(dtype), weight.name + "_few"), numpy_helper.from_array(scale, weight.name + "_scale")]
    read = [made[0].name, made[1].name]
    if zero:
        made.append(numpy_helper.from_array(np.full(scale.shape, zero).astype(dtype), weight.name + "_zero"))
        read.append(made[2].name)
    assert made[0].data_type == to
    attributes = {"axis": axis, **({"block_size": block} if block else {})}
    return made, helper.make_node("DequantizeLinear", read, [weight.name], **attributes)


def with_few_bits(name, source, target):
    model = onnx.load(source)
    model = onnx.version_converter.convert_version(model, 25) if max(o.version for o in model.opset_import if not o.domain) < 25 else model
    graph = model.graph
    weights = {weight.name: weight for weight in graph.initializer}
    made = {}
    for node in graph.node:
        if node.op_type not in ("MatMul", "Gemm", "Conv") or len(node.input) < 2 or node.input[1] not in weights:
            continue
        weight = weights[node.input[1]]
        if weight.data_type != TensorProto.FLOAT or int(np.prod(weight.dims)) < LEAST or weight.name in made:
            continue
        transposed = any(a.name == "transB" and a.i for a in node.attribute)
        stands = dequantized(name, weight, 1 if node.op_type == "Conv" or transposed else len(weight.dims) - 2)
        if stands:
            made[weight.name] = stands
    kept = [weight for weight in graph.initializer if weight.name not in made]
    nodes = [stands[1] for stands in made.values()] + list(graph.node)
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(kept + [tensor for stands in made.values() for tensor in stands[0]])
    graph.node.extend(nodes)
    onnx.save(model, target)
    if not made:
        raise ValueError("no weight is large enough")


def stand_in(name, path, source, folder):
    """The same numbers in f32, for where no evaluator takes the types: weights as they were rounded."""
    target = os.path.join(folder, "stand_in.onnx")
    few = {tensor.name: tensor for tensor in onnx.load(path).graph.initializer}
    model = onnx.load(source)
    for weight in model.graph.initializer:
        if name == "bf16" and weight.data_type == TensorProto.FLOAT:
            array = numpy_helper.to_array(few[weight.name]).astype(np.float32)
        elif weight.name + "_few" in few:
            array = numpy_helper.to_array(few[weight.name + "_few"]).astype(np.float32)
            scale = numpy_helper.to_array(few[weight.name + "_scale"])
            axis = next(d for d in range(array.ndim) if scale.shape[d] != array.shape[d])
            array = array * np.repeat(scale, BLOCK, axis=axis)
        else:
            continue
        weight.CopyFrom(numpy_helper.from_array(array, weight.name))
    onnx.save(model, target)
    return target


def expected(path, inputs):
    """What another evaluator makes of the file, and which one."""
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return dict(zip([o.name for o in session.get_outputs()], session.run(None, inputs))), "onnxruntime"
    except Exception:  # pylint: disable=broad-except
        reference = ReferenceEvaluator(path)
        return dict(zip(reference.output_names, reference.run(None, inputs))), "reference"


def command(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    raise ValueError(f"{arguments[1]}: exit {done.returncode}: {(errors or [done.stderr[-300:]])[0]}")


def beyond_weights(path, folder, options):
    """(bytes that one device holds for the whole run, those of them that are no weights of the file)."""
    plan = os.path.join(folder, "1.json")
    command([options.binary, "plan", path, "--cluster", "cpu:1", "--mesh", "1", "--no-alternatives", "-q", "-o", plan, "--force"])
    with open(plan, encoding="utf-8") as file:
        memory = json.load(file)["memory"]
    held = memory["parameters"] + memory["buffers"]
    return held, held - sum(len(weight.raw_data) for weight in onnx.load(path).graph.initializer)


def check_memory(path, source, folder, options):
    """Weights take what they do in the file, those of 4 and 2 bits as well: what is held besides is the same as with weights of f32."""
    held, beyond = beyond_weights(path, folder, options)
    _, usual = beyond_weights(source, folder, options)
    if beyond > usual + held * 0.01 + 1024:
        raise ValueError(f"{beyond} of {held} bytes held are no weights, and {usual} with weights of f32")


def tried(name, source, inputs, folder, options):
    path = os.path.join(folder, "model.onnx")
    source = of_fixed_sizes(source, inputs, folder)
    if name in FEW_BITS:
        with_few_bits(name, source, path)
    elif name in ("f16", "bf16"):
        in_halves(name, source, path)
    else:
        by_quantizer(name, source, path, inputs, folder)
    if name in FEW_BITS:
        check_memory(path, source, folder, options)
    given = os.path.join(folder, "inputs.npz")
    np.savez(given, **inputs)
    try:
        arrays, evaluator = expected(path, inputs)
    except Exception:  # pylint: disable=broad-except
        if name not in ("bf16", "f4e2m1"):
            raise
        arrays, _ = expected(stand_in(name, path, source, folder), inputs)
        evaluator = "onnxruntime, the same numbers in f32"
    np.savez(os.path.join(folder, "expected.npz"), **{k: np.asarray(v, np.float32) if v.dtype.kind == "V" else v for k, v in arrays.items()})
    errors = []
    for ranks in options.ranks:
        arguments = [options.binary, "run", path]
        if ranks > 1:
            plan = os.path.join(folder, f"{ranks}.json")
            command([options.binary, "plan", path, "--cluster", f"cpu:{ranks}", "--mesh", str(ranks), "--no-alternatives", "-q", "-o", plan, "--force"])
            arguments = [options.binary, "run", plan]
        out = command([*arguments, "--inputs", given, "--expect", os.path.join(folder, "expected.npz"), "--iterations", "1", "--warm-up", "0"])
        errors += re.findall(r"largest error (\S+)", out)
    return f"{evaluator}, largest error {max(errors, key=float) if errors else '?'}"


def main():
    every = ["dynamic", "dynamic-channel", "qdq", "qdq-channel", "qoperator", "f16", "bf16", *FEW_BITS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--ranks", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2, 4])
    parser.add_argument("--variants", type=lambda text: text.split(","), default=every)
    parser.add_argument("--keep", help="a folder for the files of what fails")
    parser.add_argument("models", nargs="+", metavar="MODEL")
    options = parser.parse_args()
    failed = 0
    for source in options.models:
        inputs = dict(np.load(source[: -len(".onnx")] + ".inputs.npz"))
        for name in options.variants:
            with tempfile.TemporaryDirectory() as temporary:
                folder = temporary
                if options.keep:
                    folder = os.path.join(options.keep, f"{os.path.basename(source)[:-5]}.{name}")
                    os.makedirs(folder, exist_ok=True)
                try:
                    said = tried(name, source, inputs, folder, options)
                except Exception as error:  # pylint: disable=broad-except
                    failed += 1
                    said = f"FAILED: {str(error)[:300]}"
                print(f"{os.path.basename(source)} {name}: {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
