#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes models that divide along more than a batch: UNets, graph attention, a mixture of experts, a loss over a vocabulary.

    models/make_models.py [--out FOLDER] [NAME...]

NAME.onnx, NAME.inputs.npz and NAME.outputs.npz are small, with seeded weights and what eager PyTorch computes; full/NAME.onnx are of real
size and hold no weights: every parameter is an initializer that refers to `weights.bin`, which does not exist. Needs torch (tried: 2.15),
onnx and onnxscript. Nothing is downloaded.
"""

import argparse
import contextlib
import math
import os
import warnings

import numpy as np
import onnx
import onnx_ir
import onnxscript.optimizer
import onnxscript.rewriter
import torch
import torch.nn.functional as F
from torch import nn

SEED = 20261122
OPSET = 20
BYTES = {onnx.TensorProto.FLOAT: 4, onnx.TensorProto.FLOAT16: 2, onnx.TensorProto.BFLOAT16: 2, onnx.TensorProto.INT64: 8}


# ------------------------------------------------------------------------------------------------------------------------------- networks


class Attention(nn.Module):
    """x: [batch, tokens, width]; context: [batch, keys, width of the context]."""

    def __init__(self, width, context, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(context, width, bias=False)
        self.v = nn.Linear(context, width, bias=False)
        self.out = nn.Linear(width, width)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, context):
        q, k, v = self.split(self.q(x)), self.split(self.k(context)), self.split(self.v(context))
        weight = torch.softmax(q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5, -1)
        return self.out((weight @ v).transpose(1, 2).flatten(2))


class Transformer(nn.Module):
    """What Stable Diffusion puts behind a residual block: attention to itself and to the text, a gated feed-forward layer."""

    def __init__(self, width, context, heads, groups):
        super().__init__()
        self.norm, self.enter, self.leave = nn.GroupNorm(groups, width), nn.Linear(width, width), nn.Linear(width, width)
        self.norm1, self.itself = nn.LayerNorm(width), Attention(width, width, heads)
        self.norm2, self.text = nn.LayerNorm(width), Attention(width, context, heads)
        self.norm3, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, x, context):
        batch, channels, height, width = x.shape
        y = self.enter(self.norm(x).flatten(2).transpose(1, 2))
        z = self.norm1(y)
        y = y + self.itself(z, z)
        y = y + self.text(self.norm2(y), context)
        a, b = self.up(self.norm3(y)).chunk(2, -1)
        y = self.leave(y + self.down(a * F.gelu(b)))
        return x + y.transpose(1, 2).reshape(batch, channels, height, width)


class Residual(nn.Module):
    def __init__(self, inputs, outputs, time, groups):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(groups, inputs), nn.Conv2d(inputs, outputs, 3, padding=1)
        self.time = nn.Linear(time, outputs)
        self.norm2, self.conv2 = nn.GroupNorm(groups, outputs), nn.Conv2d(outputs, outputs, 3, padding=1)
        self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x, time):
        h = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(time))[:, :, None, None]
        return self.skip(x) + self.conv2(F.silu(self.norm2(h)))


class UNet(nn.Module):
    """The network of Stable Diffusion 1 (arXiv:2112.10752): `blocks` residual blocks at every width, halving height and width in between."""

    def __init__(self, widths, attended, blocks, context, heads, groups, image=4):
        super().__init__()
        self.width, time = widths[0], 4 * widths[0]
        make = lambda a, b, level: nn.ModuleList(
            [Residual(a, b, time, groups)] + ([Transformer(b, context, heads, groups)] if attended[level] else [])
        )
        self.time = nn.Sequential(nn.Linear(self.width, time), nn.SiLU(), nn.Linear(time, time))
        self.enter = nn.Conv2d(image, self.width, 3, padding=1)
        self.down, self.up, kept = nn.ModuleList(), nn.ModuleList(), [self.width]
        for level, width in enumerate(widths):
            for block in range(blocks):
                self.down.append(make(kept[-1], width, level))
                kept.append(width)
            if level + 1 < len(widths):
                self.down.append(nn.Conv2d(width, width, 3, stride=2, padding=1))
                kept.append(width)
        last = widths[-1]
        self.middle = nn.ModuleList([*make(last, last, attended.index(True)), Residual(last, last, time, groups)])
        for level in reversed(range(len(widths))):
            for block in range(blocks + 1):
                self.up.append(make(last + kept.pop(), widths[level], level))
                last = widths[level]
            if level:
                self.up.append(nn.Conv2d(last, last, 3, padding=1))
        self.norm, self.leave = nn.GroupNorm(groups, last), nn.Conv2d(last, image, 3, padding=1)

    @staticmethod
    def run(layers, x, time, context):
        for layer in layers:
            x = layer(x, context if isinstance(layer, Transformer) else time)
        return x

    def forward(self, sample, timestep, context):
        half = self.width // 2
        frequency = torch.exp(torch.arange(half, device=sample.device) * (-math.log(10000.0) / half))
        angle = timestep[:, None].to(torch.float32) * frequency[None]
        time = self.time(torch.cat([angle.cos(), angle.sin()], -1).to(sample.dtype))
        x = self.enter(sample)
        kept = [x]
        for layer in self.down:
            x = layer(x) if isinstance(layer, nn.Conv2d) else self.run(layer, x, time, context)
            kept.append(x)
        x = self.run(self.middle, x, time, context)
        for layer in self.up:
            if isinstance(layer, nn.Conv2d):
                x = layer(F.interpolate(x, scale_factor=2.0, mode="nearest"))
            else:
                x = self.run(layer, torch.cat([x, kept.pop()], 1), time, context)
        return self.leave(F.silu(self.norm(x)))


class SegmentationUNet(nn.Module):
    """arXiv:1505.04597 with padded convolutions: two at every width, pooling down, transposed convolutions up."""

    def __init__(self, widths, image=3, classes=2):
        super().__init__()
        double = lambda a, b: nn.Sequential(
            nn.Conv2d(a, b, 3, padding=1), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1), nn.ReLU()
        )
        self.down = nn.ModuleList(double(a, b) for a, b in zip((image, *widths), widths))
        self.grow = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in zip(widths[-2::-1], widths[:0:-1]))
        self.up = nn.ModuleList(double(2 * a, a) for a in widths[-2::-1])
        self.leave = nn.Conv2d(widths[0], classes, 1)

    def forward(self, image):
        kept, x = [], image
        for level, layer in enumerate(self.down):
            x = layer(F.max_pool2d(x, 2) if level else x)
            kept.append(x)
        kept.pop()
        for grow, layer in zip(self.grow, self.up):
            x = layer(torch.cat([kept.pop(), grow(x)], 1))
        return self.leave(x)


class GraphAttention(nn.Module):
    """One layer of arXiv:1710.10903. x: [nodes, features]; edges: [2, edges], source and target. The softmax runs over a target's edges."""

    def __init__(self, features, heads, size):
        super().__init__()
        self.heads, self.size = heads, size
        self.linear = nn.Linear(features, heads * size, bias=False)
        self.target = nn.Parameter(torch.randn(heads, size) * size**-0.5)
        self.source = nn.Parameter(torch.randn(heads, size) * size**-0.5)

    def forward(self, x, edges):
        nodes, source, target = x.shape[0], edges[0], edges[1]
        h = self.linear(x).unflatten(-1, (self.heads, self.size))
        score = F.leaky_relu((h * self.target).sum(-1)[target] + (h * self.source).sum(-1)[source], 0.2)  # [edges, heads]
        index = target[:, None].expand_as(score)
        zeros = torch.zeros(nodes, self.heads, dtype=x.dtype, device=x.device)
        weight = torch.exp(score - (zeros - 1e30).scatter_reduce(0, index, score, "amax")[target])
        message = (weight / zeros.scatter_add(0, index, weight)[target])[..., None] * h[source]
        return torch.zeros_like(h).index_add(0, target, message).flatten(1)


class GAT(nn.Module):
    def __init__(self, features, layers, heads, size, classes):
        super().__init__()
        widths = [features] + [heads * size] * layers
        self.layers = nn.ModuleList(GraphAttention(width, heads, size) for width in widths[:-1])
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x, edges):
        for layer in self.layers:
            x = F.elu(layer(x, edges))
        return self.head(x)


class MixtureOfExperts(nn.Module):
    """Top-2, dense dispatch and combine as in arXiv:2006.16668, behind a layer norm. x: [groups, tokens, width]."""

    def __init__(self, width, hidden, experts, capacity):
        super().__init__()
        self.experts, self.capacity = experts, capacity
        self.norm, self.router = nn.LayerNorm(width), nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, width, hidden) * width**-0.5)
        self.down = nn.Parameter(torch.randn(experts, hidden, width) * hidden**-0.5)

    def forward(self, x):
        groups, tokens, _ = x.shape
        y = self.norm(x)
        probability, expert = torch.softmax(self.router(y), -1).topk(2, -1)
        probability = probability / probability.sum(-1, keepdim=True)
        chosen = F.one_hot(expert, self.experts).transpose(1, 2).reshape(groups, 2 * tokens, self.experts)
        place = (chosen.cumsum(1) - 1) * chosen
        taken = (place[..., None] == torch.arange(self.capacity, device=x.device)) & (chosen[..., None] > 0)
        taken = taken.reshape(groups, 2, tokens, self.experts, self.capacity)
        combine = torch.einsum("gktec,gtk->gtec", taken.to(x.dtype), probability)
        inputs = torch.einsum("gtec,gtm->egcm", taken.any(1).to(x.dtype), y)
        outputs = torch.einsum("egch,ehm->egcm", F.gelu(torch.einsum("egcm,emh->egch", inputs, self.up)), self.down)
        return x + torch.einsum("gtec,egcm->gtm", combine, outputs)


class VocabularyLoss(nn.Module):
    """The end of a language model: layer norm, head, cross entropy. x: [batch, tokens, width]; some labels are to be ignored."""

    def __init__(self, width, vocabulary):
        super().__init__()
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, x, labels):
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), labels.flatten())


# ----------------------------------------------------------------------------------------------------------------------------- what to make


def edges_of(nodes, extra):
    loops = torch.arange(nodes)
    pairs = torch.stack([torch.randint(0, nodes, (extra,)), torch.randint(0, nodes, (extra,))])
    return torch.cat([torch.stack([loops, loops]), pairs], 1)


def small_labels():
    labels = torch.randint(0, 96, (4, 10))
    labels[:, :2] = -100
    return labels


# Name -> (network, its inputs, its output).
SMALL = {
    "unet": lambda: (
        UNet((8, 16), (False, True), 1, context=12, heads=4, groups=4),
        {"sample": torch.randn(1, 4, 16, 16), "timestep": torch.tensor([700]), "context": torch.randn(1, 10, 12)},
        "noise",
    ),
    "gat": lambda: (GAT(24, 2, heads=4, size=8, classes=10), {"x": torch.randn(40, 24), "edges": edges_of(40, 400)}, "logits"),
    "moe": lambda: (MixtureOfExperts(24, 40, experts=8, capacity=10), {"x": torch.randn(4, 20, 24)}, "y"),
    "loss": lambda: (VocabularyLoss(24, 96), {"x": torch.randn(4, 10, 24), "labels": small_labels()}, "loss"),
}
# Name -> (network, element type of its parameters, its inputs, its output, whether the first dim of every input is `batch`).
FULL = {
    "unet": (
        lambda: UNet((320, 640, 1280, 1280), (True, True, True, False), 2, context=768, heads=8, groups=32),
        torch.float16,
        {"sample": (torch.float16, (8, 4, 64, 64)), "timestep": (torch.int64, (8,)), "context": (torch.float16, (8, 77, 768))},
        "noise",
        True,
    ),
    "segmentation": (
        lambda: SegmentationUNet((64, 128, 256, 512, 1024)),
        torch.float16,
        {"image": (torch.float16, (8, 3, 1024, 1024))},
        "classes",
        True,
    ),
    "gat": (
        lambda: GAT(128, 3, heads=8, size=32, classes=40),
        torch.float32,
        {"x": (torch.float32, (169343, 128)), "edges": (torch.int64, (2, 1335586))},
        "logits",
        False,
    ),
}


# ------------------------------------------------------------------------------------------------------------------------------ how it is made


def spread(module):
    """Biases and scales of norms that are not 0 and 1, so that a mistake in one shows."""
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
    return module


def strip(proto):
    """Removes the exporter's notes, which are larger than the graph."""
    for item in [proto.graph, *proto.graph.node, *proto.graph.input, *proto.graph.output, *proto.graph.value_info, *proto.graph.initializer]:
        item.ClearField("doc_string")
        item.ClearField("metadata_props")
    return proto


def make_small(name, folder):
    torch.manual_seed(SEED)
    module, inputs, output = SMALL[name]()
    module = spread(module).eval()
    with torch.no_grad():
        result = module(*inputs.values())
    program = torch.onnx.export(
        module, tuple(inputs.values()), dynamo=True, opset_version=OPSET, input_names=list(inputs), output_names=[output], verbose=False
    )
    path = os.path.join(folder, name + ".onnx")
    with open(path, "wb") as file:
        file.write(strip(onnx_ir.to_proto(program.model)).SerializeToString(deterministic=True))
    np.savez(os.path.join(folder, name + ".inputs.npz"), **{n: t.numpy() for n, t in inputs.items()})
    np.savez(os.path.join(folder, name + ".outputs.npz"), **{output: result.numpy()})
    return path


@contextlib.contextmanager
def parameters_without_bytes(dtype):
    register, default = nn.Module.register_parameter, torch.get_default_dtype()

    def register_shape(self, name, parameter):
        register(self, name, None if parameter is None else nn.Parameter(parameter.to("meta"), parameter.requires_grad))

    nn.Module.register_parameter = register_shape
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        nn.Module.register_parameter = register
        torch.set_default_dtype(default)


def optimize_around(program, names):
    """Optimizes while the named initializers pose as inputs, so that none is read, folded or merged."""
    graph = program.model.graph
    for name in names:
        value = graph.initializers.pop(name)
        value.const_value = None
        graph.inputs.append(value)
    onnxscript.optimizer.optimize_ir(program.model, input_size_limit=1024, output_size_limit=16384)
    program.model = onnxscript.rewriter.rewrite(program.model)


def add_stubs(graph, names):
    """The named inputs become initializers with a shape and a place, and no bytes."""
    declared, offset = {value.name: value for value in graph.input}, 0
    inputs = [value for value in graph.input if value.name not in names]
    del graph.input[:]
    graph.input.extend(inputs)
    for name in names:
        tensor = graph.initializer.add(name=name, data_type=declared[name].type.tensor_type.elem_type)
        tensor.dims.extend(dim.dim_value for dim in declared[name].type.tensor_type.shape.dim)
        tensor.data_location = onnx.TensorProto.EXTERNAL
        length = math.prod(tensor.dims) * BYTES[tensor.data_type]
        for key, text in (("location", "weights.bin"), ("offset", offset), ("length", length)):
            tensor.external_data.add(key=key, value=str(text))
        offset = -(-(offset + length) // 64) * 64


def make_full(name, folder):
    build, dtype, inputs, output, symbolic = FULL[name]
    with parameters_without_bytes(dtype):
        module = build().eval()
    weights = set(module.state_dict())
    arrays = tuple(torch.zeros(shape, dtype=element, device="meta") for element, shape in inputs.values())
    shapes = tuple({0: torch.export.Dim("batch")} for _ in arrays) if symbolic else None
    program = torch.onnx.export(
        module, arrays, dynamo=True, opset_version=OPSET, optimize=False, dynamic_shapes=shapes, input_names=list(inputs),
        output_names=[output], verbose=False,
    )
    names = [one for one in program.model.graph.initializers if one in weights]
    optimize_around(program, names)
    proto = onnx_ir.to_proto(program.model)
    add_stubs(proto.graph, names)
    path = os.path.join(folder, "full", name + ".onnx")
    with open(path, "wb") as file:
        file.write(strip(proto).SerializeToString(deterministic=True))
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    os.makedirs(os.path.join(options.out, "full"), exist_ok=True)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for make, known, prefix in ((make_small, SMALL, ""), (make_full, FULL, "full/")):
        for name in known:
            if not options.names or prefix + name in options.names:
                path = make(name, options.out)
                print(f"{prefix + name}: {os.path.getsize(path)} bytes", flush=True)


if __name__ == "__main__":
    main()
