#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares gradients with those of PyTorch: of single operators and of random graphs, in f64.

    tests/wide/torch_gradients.py [--binary FILE] [--graphs 300] [--seed 0] [NAME...]

Each case is a function of parameters, exported to ONNX with loss = sum(weights * result). One step of gradient descent with a rate of 1 moves a
parameter by its gradient, which must be PyTorch's, but for 1e-9 of its largest entry. NAMEs choose some, as `conv2d` or `graph 7`. Cases
that the exporter does not export are told and do not count. Needs torch, torchvision and onnxscript from pip.
"""

import argparse
import contextlib
import io
import logging
import os
import sys
import tempfile
import warnings

import numpy as np
import torch
import torch.nn.functional as F
from torchvision.ops import deform_conv2d, roi_align

from models import ROOT, call

ALLOWED = 1e-9
ALLOWED_F32 = 1e-6  # where constants of the operator are f32 in ONNX
IN_F32 = {"affine-grid", "celu", "selu"}
EPSILON = 2.0**-10  # exact in f32, as attributes are


def positive(*shape):
    return torch.rand(shape, dtype=torch.float64) + 0.5


def any_sign(*shape):
    """Away from 0, where many functions have a kink."""
    x = torch.randn(shape, dtype=torch.float64)
    return x + 0.1 * torch.sign(x)


def inside(*shape):
    """In (-0.9, 0.9)."""
    return 1.8 * torch.rand(shape, dtype=torch.float64) - 0.9


def distinct(*shape):
    """No two numbers alike: maxima and orders are as clear as can be."""
    count = int(np.prod(shape))
    return torch.randperm(count).to(torch.float64).reshape(shape) / count - 0.43


def one(function, make=any_sign):
    return function, lambda: [make(3, 4)]


INDEX = torch.tensor([[2, 0, 1, 1], [0, 2, 2, 1]])
LABELS = torch.tensor([0, 3, -100, 2, 1, 4])
# Rows of image, left, top, right, bottom: inside, across an edge, very small, beyond the edges.
ROIS = torch.tensor([[1, 1, 2, 7, 9], [0, -3, 4, 6, 15], [1, 2.5, 3.25, 2.75, 3.5], [0, 30, 1, 35, 6]], dtype=torch.float64)
RANK_2 = torch.tensor([[1.0, 2.0, 3.0], [2.0, 5.0, 7.0], [3.0, 7.0, 10.0]], dtype=torch.float64)
WINDOW = torch.hann_window(6, dtype=torch.float64)
MASK = torch.tensor([[True, False, True, True], [False, True, True, False], [True, True, False, True]])

# name: (function, operands that are parameters)
CASES = {
    "abs": one(torch.abs), "acos": one(torch.acos, inside), "acosh": one(lambda x: torch.acosh(x + 1), positive), "asin": one(torch.asin, inside),
    "asinh": one(torch.asinh), "atan": one(torch.atan), "atanh": one(torch.atanh, inside), "ceil": one(lambda x: x * torch.ceil(x)),
    "celu": one(lambda x: F.celu(x, 1.25)), "cos": one(torch.cos), "cosh": one(torch.cosh), "elu": one(F.elu), "erf": one(torch.erf),
    "exp": one(torch.exp), "floor": one(lambda x: x * torch.floor(x)), "gelu": one(F.gelu), "gelu-tanh": one(lambda x: F.gelu(x, approximate="tanh")),
    "hardsigmoid": one(F.hardsigmoid), "hardswish": one(F.hardswish), "leaky-relu": one(lambda x: F.leaky_relu(x, 0.25)),
    "log": one(torch.log, positive), "log1p": one(torch.log1p, positive), "logsigmoid": one(F.logsigmoid), "mish": one(F.mish), "neg": one(torch.neg),
    "reciprocal": one(torch.reciprocal), "relu": one(F.relu), "relu6": one(lambda x: F.relu6(4 * x)), "round": one(lambda x: x * torch.round(x)),
    "rsqrt": one(torch.rsqrt, positive), "selu": one(F.selu), "sigmoid": one(torch.sigmoid), "sign": one(lambda x: x * torch.sign(x)),
    "silu": one(F.silu), "sin": one(torch.sin), "sinh": one(torch.sinh), "softplus": one(F.softplus), "softsign": one(F.softsign),
    "sqrt": one(torch.sqrt, positive), "square": one(torch.square), "tan": one(torch.tan, inside), "tanh": one(torch.tanh),
    "threshold": one(lambda x: F.threshold(x, 0.3, 0.1)), "hardtanh": one(lambda x: F.hardtanh(x, -0.7, 0.8)),
    "clamp": one(lambda x: torch.clamp(x, -0.625, 0.875)), "pow-number": one(lambda x: x ** 3), "pow-root": one(lambda x: x ** 0.3, positive),
    "add": (torch.add, lambda: [any_sign(3, 4), any_sign(4)]), "sub": (torch.sub, lambda: [any_sign(3, 1), any_sign(2, 1, 4)]),
    "mul": (torch.mul, lambda: [any_sign(3, 4), any_sign(3, 1)]), "div": (torch.div, lambda: [any_sign(3, 4), positive(4)]),
    "pow": (torch.pow, lambda: [positive(3, 4), any_sign(3, 4)]), "maximum": (torch.maximum, lambda: [any_sign(3, 4), any_sign(3, 4)]),
    "minimum": (torch.minimum, lambda: [any_sign(3, 4), any_sign(4)]), "atan2": (torch.atan2, lambda: [positive(3, 4), positive(3, 4)]),
    "fmod": (lambda x, y: torch.fmod(x, y), lambda: [positive(3, 4) + 3, positive(3, 4) + 1]),
    "where": (lambda x, y: torch.where(MASK, x, y), lambda: [any_sign(3, 4), any_sign(4)]),
    "prelu": (F.prelu, lambda: [any_sign(2, 3, 4), positive(3)]), "lerp": (lambda x, y: torch.lerp(x, y, 0.25), lambda: [any_sign(3, 4), any_sign(3, 4)]),
    "matmul": (torch.matmul, lambda: [any_sign(3, 4), any_sign(4, 2)]), "matmul-vector": (torch.matmul, lambda: [any_sign(2, 3, 4), any_sign(4)]),
    "matmul-broadcast": (torch.matmul, lambda: [any_sign(2, 1, 3, 4), any_sign(5, 4, 2)]), "bmm": (torch.bmm, lambda: [any_sign(2, 3, 4), any_sign(2, 4, 5)]),
    "linear": (F.linear, lambda: [any_sign(3, 4), any_sign(5, 4), any_sign(5)]),
    "einsum": (lambda x, y: torch.einsum("bij,bkj->bik", x, y), lambda: [any_sign(2, 3, 4), any_sign(2, 5, 4)]),
    "einsum-diagonal": (lambda x, y: torch.einsum("ij,j->i", x, y), lambda: [any_sign(3, 4), any_sign(4)]),
    "softmax": one(lambda x: F.softmax(x, 0)), "log-softmax": one(lambda x: F.log_softmax(x, 1)), "logsumexp": one(lambda x: torch.logsumexp(x, 1)),
    "sum": one(lambda x: x.sum(1)), "mean": one(lambda x: x.mean((0, 1))), "amax": one(lambda x: torch.amax(x, 1), distinct),
    "amin": one(lambda x: torch.amin(x, 0), distinct), "max-indices": one(lambda x: torch.max(x, 1)[0], distinct), "prod": one(lambda x: torch.prod(x, 1)),
    "norm": one(lambda x: torch.linalg.vector_norm(x, dim=1)), "norm-1": one(lambda x: torch.linalg.vector_norm(x, 1, dim=0)),
    "var": one(lambda x: torch.var(x, 1)), "std": one(lambda x: torch.std(x, 0)), "cumsum": one(lambda x: torch.cumsum(x, 1)),
    "topk": one(lambda x: torch.topk(x, 2, 1)[0], distinct), "sort": one(lambda x: torch.sort(x, 1)[0], distinct),
    "reshape": one(lambda x: x.reshape(2, 6)), "transpose": one(lambda x: x.transpose(0, 1)), "permute": (lambda x: x.permute(2, 0, 1), lambda: [any_sign(2, 3, 4)]),
    "flatten": (lambda x: torch.flatten(x, 1), lambda: [any_sign(2, 3, 4)]), "unsqueeze": one(lambda x: x.unsqueeze(1)),
    "squeeze": (lambda x: x.squeeze(1), lambda: [any_sign(3, 1, 4)]), "expand": (lambda x: x.expand(2, 3, 4), lambda: [any_sign(3, 1)]),
    "repeat": one(lambda x: x.repeat(2, 3)), "tile": one(lambda x: torch.tile(x, (2, 1))), "flip": one(lambda x: torch.flip(x, [1])),
    "roll": one(lambda x: torch.roll(x, 1, 1)), "cat": (lambda x, y: torch.cat([x, y, x], 1), lambda: [any_sign(3, 4), any_sign(3, 2)]),
    "stack": (lambda x, y: torch.stack([x, y], 1), lambda: [any_sign(3, 4), any_sign(3, 4)]), "chunk": one(lambda x: torch.chunk(x, 2, 1)[1]),
    "split": one(lambda x: torch.split(x, [1, 3], 1)[1]), "slice": one(lambda x: x[1:, ::2]), "slice-back": one(lambda x: x[-2:, 1:3]),
    "index-select": one(lambda x: torch.index_select(x, 0, torch.tensor([2, 0, 2]))), "gather": one(lambda x: torch.gather(x, 0, INDEX)),
    "index": one(lambda x: x[torch.tensor([0, 2, 0]), torch.tensor([1, 1, 3])]), "embedding": (lambda w: F.embedding(INDEX, w), lambda: [any_sign(3, 5)]),
    "scatter": (lambda x, y: torch.scatter(x, 0, torch.tensor([[2, 0, 1, 1]]), y), lambda: [any_sign(3, 4), any_sign(1, 4)]),
    "scatter-add": (lambda x, y: torch.scatter_add(x, 0, INDEX, y), lambda: [any_sign(3, 4), any_sign(2, 4)]),
    "masked-fill": one(lambda x: x.masked_fill(MASK, 0.5)), "tril": one(torch.tril), "triu": one(lambda x: torch.triu(x, 1)),
    "diagonal": one(lambda x: torch.diagonal(x)), "pad": one(lambda x: F.pad(x, (1, 2), value=0.3)),
    "pad-reflect": (lambda x: F.pad(x, (1, 2), mode="reflect"), lambda: [any_sign(2, 3, 4)]),
    "pad-replicate": (lambda x: F.pad(x, (2, 1), mode="replicate"), lambda: [any_sign(2, 3, 4)]),
    "pixel-shuffle": (lambda x: F.pixel_shuffle(x, 2), lambda: [any_sign(1, 8, 2, 3)]),
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, padding=1), lambda: [any_sign(2, 3, 7), any_sign(4, 3, 3), any_sign(4)]),
    "conv2d": (lambda x, w: F.conv2d(x, w, stride=2, padding=1), lambda: [any_sign(2, 3, 7, 6), any_sign(4, 3, 3, 3)]),
    "conv2d-groups": (lambda x, w: F.conv2d(x, w, dilation=2, groups=2), lambda: [any_sign(1, 4, 7, 6), any_sign(6, 2, 2, 3)]),
    "conv3d": (lambda x, w, b: F.conv3d(x, w, b, padding=(1, 0, 1)), lambda: [any_sign(1, 2, 3, 4, 5), any_sign(3, 2, 2, 3, 2), any_sign(3)]),
    "conv-transpose2d": (lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
                         lambda: [any_sign(2, 3, 4, 3), any_sign(3, 2, 3, 3), any_sign(2)]),
    "avg-pool2d": (lambda x: F.avg_pool2d(x, 3, 2, 1), lambda: [any_sign(1, 2, 7, 6)]),
    "avg-pool2d-excluding": (lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), lambda: [any_sign(1, 2, 7, 6)]),
    "max-pool2d": (lambda x: F.max_pool2d(x, 3, 2, 1), lambda: [distinct(1, 2, 7, 6)]),
    "adaptive-avg-pool2d": (lambda x: F.adaptive_avg_pool2d(x, (1, 1)), lambda: [any_sign(2, 3, 5, 4)]),
    "interpolate-nearest": (lambda x: F.interpolate(x, scale_factor=2.0, mode="nearest"), lambda: [any_sign(1, 2, 3, 4)]),
    "interpolate-linear": (lambda x: F.interpolate(x, size=(5, 7), mode="bilinear", align_corners=False), lambda: [any_sign(1, 2, 3, 4)]),
    "interpolate-corners": (lambda x: F.interpolate(x, size=(5, 7), mode="bilinear", align_corners=True), lambda: [any_sign(1, 2, 3, 4)]),
    "interpolate-cubic": (lambda x: F.interpolate(x, size=(6, 8), mode="bicubic", align_corners=False), lambda: [any_sign(1, 2, 4, 4)]),
    "layer-norm": (lambda x, w, b: F.layer_norm(x, (4,), w, b, EPSILON), lambda: [any_sign(2, 3, 4), positive(4), any_sign(4)]),
    "rms-norm": (lambda x, w: F.rms_norm(x, (4,), w, EPSILON), lambda: [any_sign(2, 3, 4), positive(4)]),
    "group-norm": (lambda x, w, b: F.group_norm(x, 2, w, b, EPSILON), lambda: [any_sign(2, 4, 3), positive(4), any_sign(4)]),
    "instance-norm": (lambda x: F.instance_norm(x, eps=EPSILON), lambda: [any_sign(2, 3, 4, 3)]),
    "batch-norm": (lambda x, w, b: F.batch_norm(x, torch.zeros(3, dtype=torch.float64), torch.full((3,), 1.75, dtype=torch.float64), w, b, eps=EPSILON),
                   lambda: [any_sign(2, 3, 4), positive(3), any_sign(3)]),
    "local-response-norm": (lambda x: F.local_response_norm(x, 3, alpha=0.5), lambda: [any_sign(1, 4, 3, 2)]),
    "cosine-similarity": (lambda x, y: F.cosine_similarity(x, y, 1), lambda: [any_sign(3, 4), any_sign(3, 4)]), "normalize": one(lambda x: F.normalize(x, dim=1)),
    "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v), lambda: [any_sign(1, 2, 3, 4), any_sign(1, 2, 5, 4), any_sign(1, 2, 5, 4)]),
    "attention-causal": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), lambda: [any_sign(1, 2, 4, 3) for _ in range(3)]),
    "cross-entropy": (lambda x: F.cross_entropy(x, LABELS), lambda: [any_sign(6, 5)]), "nll": (lambda x: F.nll_loss(F.log_softmax(x, 1), LABELS, reduction="sum"), lambda: [any_sign(6, 5)]),
    "mse": (F.mse_loss, lambda: [any_sign(3, 4), any_sign(3, 4)]), "l1": (F.l1_loss, lambda: [any_sign(3, 4), any_sign(3, 4)]),
    "huber": (lambda x, y: F.huber_loss(x, y, delta=0.75), lambda: [any_sign(3, 4), any_sign(3, 4)]),
    "smooth-l1": (F.smooth_l1_loss, lambda: [any_sign(3, 4), any_sign(3, 4)]),
    "bce-logits": (lambda x, y: F.binary_cross_entropy_with_logits(x, torch.sigmoid(y)), lambda: [any_sign(3, 4), any_sign(3, 4)]),
    "kl": (lambda x, y: F.kl_div(F.log_softmax(x, 1), F.softmax(y, 1), reduction="batchmean"), lambda: [any_sign(3, 4), any_sign(3, 4)]),
    "glu": one(lambda x: F.glu(x, 1)), "outer": (torch.outer, lambda: [any_sign(3), any_sign(4)]),
    "unfold": (lambda x: F.unfold(x, 2), lambda: [any_sign(1, 2, 4, 3)]), "grid-sample": (lambda x, g: F.grid_sample(x, g, align_corners=False), lambda: [any_sign(2, 2, 4, 3), 2 * inside(2, 3, 2, 2)]),
    "grid-sample-border": (lambda x, g: F.grid_sample(x, g, padding_mode="border", align_corners=False), lambda: [any_sign(2, 2, 4, 3), 2 * inside(2, 3, 2, 2)]),
    "grid-sample-reflection": (lambda x, g: F.grid_sample(x, g, padding_mode="reflection", align_corners=True), lambda: [any_sign(2, 2, 4, 5), 3 * inside(2, 3, 2, 2)]),
    "grid-sample-cubic": (lambda x, g: F.grid_sample(x, g, mode="bicubic", align_corners=False), lambda: [any_sign(2, 2, 6, 5), 1.5 * inside(2, 3, 2, 2)]),
    "grid-sample-cubic-border": (lambda x, g: F.grid_sample(x, g, mode="bicubic", padding_mode="border", align_corners=True), lambda: [any_sign(2, 2, 6, 5), inside(2, 3, 2, 2)]),
    "grid-sample-nearest": (lambda x, g: F.grid_sample(x, g, mode="nearest", align_corners=False), lambda: [any_sign(2, 2, 4, 3), inside(2, 3, 2, 2)]),
    "roi-align": (lambda x: roi_align(x, ROIS, (2, 3), 0.5, sampling_ratio=2), lambda: [any_sign(2, 3, 6, 5)]),
    "roi-align-aligned": (lambda x: roi_align(x, ROIS, (2, 3), 0.5, sampling_ratio=3, aligned=True), lambda: [any_sign(2, 3, 6, 5)]),
    "roi-align-adaptive": (lambda x: roi_align(x, ROIS, (2, 1), 0.75), lambda: [any_sign(2, 3, 6, 5)]),
    "roi-align-adaptive-aligned": (lambda x: roi_align(x, ROIS, (1, 2), aligned=True), lambda: [any_sign(2, 3, 6, 5)]),
    "affine-grid": (lambda x, t: F.grid_sample(x, F.affine_grid(t, (1, 2, 3, 3), align_corners=False), align_corners=False), lambda: [any_sign(1, 2, 4, 5), inside(1, 2, 3)]),
    "det": (torch.linalg.det, lambda: [any_sign(3, 3)]), "det-batch": (torch.linalg.det, lambda: [any_sign(2, 3, 5, 5)]), "det-1": (torch.linalg.det, lambda: [any_sign(4, 1, 1)]),
    "det-rank-2-of-3": (torch.linalg.det, lambda: [RANK_2]), "det-rank-1-of-3": (torch.linalg.det, lambda: [torch.ones(3, 3, dtype=torch.float64)]),
    "deform-conv": (lambda x, w, o, b: deform_conv2d(x, o, w, b, padding=1), lambda: [any_sign(2, 2, 4, 5), any_sign(3, 2, 3, 3), 2 * inside(2, 18, 4, 5), any_sign(3)]),
    "deform-conv-mask": (lambda x, w, o, b, m: deform_conv2d(x, o, w, b, mask=m),
                         lambda: [any_sign(2, 2, 4, 5), any_sign(3, 2, 2, 2), inside(2, 8, 3, 4), any_sign(3), positive(2, 4, 3, 4)]),
    "deform-conv-groups": (lambda x, w, o, m: deform_conv2d(x, o, w, stride=(2, 1), padding=(1, 2), dilation=(1, 2), mask=m),
                           lambda: [any_sign(1, 4, 6, 5), any_sign(6, 2, 3, 2), 2 * inside(1, 24, 3, 7), positive(1, 12, 3, 7)]),
    "stft": (lambda x: torch.view_as_real(torch.stft(x, 6, 2, window=WINDOW, center=False, return_complex=True)), lambda: [any_sign(2, 17)]),
    "stft-window": (lambda x, w: torch.view_as_real(torch.stft(x, 6, 4, window=w, center=False, onesided=False, return_complex=True)), lambda: [any_sign(2, 17), positive(6)]),
}  # fmt: skip

# What random graphs are made of: functions that keep the shape, and that take two operands of it.
UNARY = ["abs", "asinh", "atan", "cos", "elu", "erf", "gelu", "leaky-relu", "mish", "neg", "relu", "sigmoid", "silu", "sin", "softplus",
         "softsign", "square", "tanh", "clamp", "softmax", "log-softmax", "cumsum", "flip", "roll", "tril", "masked-fill", "normalize"]  # fmt: skip
BINARY = [torch.add, torch.sub, torch.mul, torch.maximum, torch.minimum, lambda x, y: torch.where(MASK, x, y), lambda x, y: x / (1 + y * y),
          lambda x, y: x @ y.T @ x, lambda x, y: F.layer_norm(x, (4,), y[0], y[1], EPSILON), lambda x, y: torch.cat([x, y], 1)[:, 2:6],
          lambda x, y: x * y.mean(1, keepdim=True), lambda x, y: x + y.sum(0), lambda x, y: torch.gather(x, 1, torch.tensor([[3, 0, 1, 1]] * 3)) * y,
          lambda x, y: torch.einsum("ij,kj,kl->il", x, y, x), lambda x, y: F.softmax(x @ y.T, 1) @ y,
          lambda x, y: x.reshape(4, 3).transpose(0, 1) - torch.amax(y, 1, keepdim=True)]  # fmt: skip


def random_graph(draw):
    """A function of three parameters, whose results are used several times."""
    steps = []
    for i in range(draw.integers(4, 16)):
        known = 3 + i
        if draw.random() < 0.5:
            steps.append((CASES[UNARY[draw.integers(len(UNARY))]][0], [int(draw.integers(known))]))
        else:
            steps.append((BINARY[draw.integers(len(BINARY))], [int(draw.integers(known)), known - 1]))

    def run(*parameters):
        values = list(parameters)
        for function, operands in steps:
            values.append(torch.tanh(function(*[values[i] for i in operands])))
        return sum(values[3:])

    return run, lambda: [any_sign(3, 4) for _ in range(3)]


class Module(torch.nn.Module):
    def __init__(self, function, operands):
        super().__init__()
        self.function = function
        self.p = torch.nn.ParameterList([torch.nn.Parameter(x) for x in operands])
        with torch.no_grad():
            self.weights = torch.randn_like(function(*self.p))

    def forward(self, one):
        """one: a number, so that the model has an input."""
        return (self.function(*self.p) * self.weights * one).sum()


def gradients_of(binary, module, folder):
    """({name: gradient}, "") or (None, what went wrong)."""
    path, inputs, states = (os.path.join(folder, name) for name in ("model.onnx", "inputs.npz", "states.npz"))
    number = torch.ones((), dtype=torch.float64)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            program = torch.onnx.export(module, (number,), input_names=["one"], output_names=["loss"], opset_version=20, dynamo=True, optimize=False)
            program.save(path)
    except Exception as error:  # the exporter raises all kinds
        return None, f"not exported: {str(error).strip().splitlines()[0][:120]}"
    np.savez(inputs, one=np.float64(1))
    command = ["run", path, "--inputs", inputs, "--train", "sgd", "--lr", "1", "--trainable", "p.*", "--steps", "1", "--warm-up", "0", "--save-state", states, "--force"]
    status, _, error = call(binary, *command)
    if status:
        return None, f"exit {status}: {error}"
    after = np.load(states)
    return {name: value.detach().numpy() - after[name] for name, value in module.named_parameters() if name in after.files}, ""


def difference(binary, function, operands, folder, allowed):
    """"" if the gradients agree; "skip: ..." if there is nothing to compare."""
    module = Module(function, operands)
    module(torch.ones((), dtype=torch.float64)).backward()
    ours, error = gradients_of(binary, module, folder)
    if ours is None:
        return ("skip: " if error.startswith("not exported") else "") + error
    for name, value in module.named_parameters():
        if value.grad is None or not value.grad.any():
            continue
        if name not in ours:
            return f"{name} is not trained"
        largest = value.grad.abs().max().item()
        off = np.abs(ours[name] - value.grad.numpy()).max()
        if not off <= allowed * largest + 1e-13:
            return f"gradient of {name} is off by {off:.2g} where the largest entry is {largest:.2g}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--graphs", type=int, default=300, help="random ones (default 300)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.manual_seed(options.seed)
    cases = CASES | {f"graph {i}": random_graph(np.random.default_rng([options.seed, i])) for i in range(options.graphs)}
    cases = {name: cases[name] for name in options.names or cases}
    passed, failed, skipped = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (function, make) in cases.items():
            wrong = difference(options.binary, function, make(), folder, ALLOWED_F32 if name in IN_F32 else ALLOWED)
            passed, failed, skipped = passed + (not wrong), failed + bool(wrong and not wrong.startswith("skip")), skipped + wrong.startswith("skip")
            if wrong:
                print(f"{name}: {wrong}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} not exported")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
