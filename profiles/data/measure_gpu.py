#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures one GPU through PyTorch: products, other operators, attention, copies, launches, and whole models.

  measure_gpu.py measure PART --seconds S -o FILE.jsonl [--models FOLDER]
  measure_gpu.py collect FILE.jsonl... -o FILE.json

PART is operators, grid, models, training or compiled. The last three need transformers, torchvision and, in FOLDER, the
make_models.py and export_models.py of the collection of full-size models.

A part writes one JSON object a line, in the order of measuring; the first says what machine it was. A row that cannot be
measured is written with "failed". The part ends by itself after S seconds: what matters most comes first.

How: CUDA events around replays of a CUDA graph, random data, at least 5 replays and 10 ms; "cold" rotates over
buffers of more than twice the L2 cache, "warm" over fewer (at most 64 sets), "hot" uses the same ones again. Clocks and power limit are left as found.
"""

import argparse
import contextlib
import gc
import json
import math
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

# What a collected file keeps of the rows of each kind.
TIMES = ["residence", "time_us", "mad_us", "samples"]
COLUMNS = {
    "product": ["dtype", "batch", "m", "n", "k", "layout", *TIMES],
    "copy": ["dtype", "bytes", *TIMES],
    "operator": ["op", "dtype", "bytes", "form", *TIMES],
    "convolution": ["dtype", "batch", "inputs", "side", "outputs", "kernel", "stride", "groups", "layout", *TIMES],
    "attention": ["dtype", "batch", "heads", "length", "depth", "causal", "kernel", "pass", *TIMES],
    "launch": ["how", "issue_us", "time_us"],
    "model": ["model", "dtype", "batch", "attention", "channels_last", "runtime", "time_us", "mad_us", "wall_us", "samples", "weight_bytes",
              "peak_bytes"],
    "training": ["model", "dtype", "batch", "attention", "runtime", "what", "time_us", "mad_us", "wall_us", "samples", "peak_bytes"],
}
STATE = "clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit,temperature.gpu"
MACHINE = ["device", "memory_bytes", "units", "cache_bytes", "driver", "torch", "cuda", "cudnn", STATE, "date"]
ABOUT = {
    "source": "own measurement: measure_gpu.py beside this file, on one GPU of a machine with several",
    "licence": "own",
    "meaning": "medians. product: C[batch,m,n] = A[batch,m,k] B, layout nt: B is stored [n,k]; tf32: f32 operands, TF32 units; f32: without "
               "them. bytes: read plus written, every operand once. residence: cold = the operands of calls in turn are more than twice the L2 "
               "cache, hot = the same operands again, warm = in between. copy, product, operator, convolution: replayed CUDA graphs. attention: "
               "PyTorch's scaled_dot_product_attention. model: one forward pass, no gradients; attention eager = as exported to ONNX. training: "
               "one step. peak_bytes: of PyTorch's allocator, weights included.",
}

FLOATS = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


class Clock:
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def over(self):
        return time.monotonic() > self.end


class Out:
    def __init__(self, path, clock):
        self.file, self.clock, self.rows, self.failed = open(path, "w"), clock, 0, 0

    def write(self, **row):
        self.rows += "failed" not in row
        self.failed += "failed" in row
        print(json.dumps(row), file=self.file, flush=True)

    def measure(self, make, row, modes=("cold",)):
        """make() gives (function, list of argument tuples that it can be called with in turn)."""
        if self.clock.over():
            return
        try:
            for mode in modes:
                function, arguments = make(mode)
                held = sum(t.numel() * t.element_size() for a in arguments for t in a)
                seen = mode if mode == "hot" or held >= 2 * torch.cuda.get_device_properties(0).L2_cache_size else "warm"
                self.write(**row, residence=seen, **time_calls(function, arguments))
                del arguments
        except Exception as error:
            self.write(**row, failed=f"{type(error).__name__}: {str(error)[:200]}")
            torch.cuda.synchronize()


def time_calls(function, arguments, least_samples=5, least_ms=10.0, graph_us=150.0):
    """Median time of one call. All of `arguments` are used in turn."""
    with torch.no_grad():
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(2):
                for a in arguments[:2]:
                    function(*a)
            start, end = torch.cuda.Event(True), torch.cuda.Event(True)
            start.record()
            function(*arguments[0])
            end.record()
        torch.cuda.synchronize()
        guess = max(start.elapsed_time(end) * 1e3, 1.0)
        calls = min(200, max(len(arguments), math.ceil(graph_us / guess)))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            kept = None
            for index in range(calls):
                kept = function(*arguments[index % len(arguments)])
        del kept
        samples, total = [], 0.0
        graph.replay()
        torch.cuda.synchronize()
        while len(samples) < least_samples or (total < least_ms and len(samples) < 200):
            start.record()
            graph.replay()
            end.record()
            end.synchronize()
            elapsed = start.elapsed_time(end)
            total += elapsed
            samples.append(elapsed * 1e3 / calls)
            if total > 400 and len(samples) >= 3:
                break
        graph.reset()
    samples.sort()
    median = statistics.median(samples)
    return {"time_us": round(median, 3), "mad_us": round(statistics.median(abs(s - median) for s in samples), 3),
            "p10_us": round(samples[len(samples) // 10], 3), "p90_us": round(samples[(9 * len(samples)) // 10], 3),
            "samples": len(samples), "calls_per_sample": calls}


def copies(mode, nbytes):
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    if mode == "hot":
        return 1
    return max(2, min(64, math.ceil(2.2 * cache / max(nbytes, 1))))


def random(shape, dtype):
    if dtype in (torch.int64, torch.int32):
        return torch.randint(0, 100, shape, device="cuda", dtype=dtype)
    return torch.randn(shape, device="cuda", dtype=dtype)


@contextlib.contextmanager
def tf32(on):
    torch.backends.cuda.matmul.allow_tf32 = on
    torch.backends.cudnn.allow_tf32 = on
    yield
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def machine():
    p = torch.cuda.get_device_properties(0)

    def ask(query):
        asked = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True,
                               timeout=20, check=True)
        return asked.stdout.splitlines()[0].strip()

    return {"device": p.name, "memory_bytes": p.total_memory, "units": p.multi_processor_count,
            "cache_bytes": p.L2_cache_size, "torch": torch.__version__, "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version(), "driver": ask("driver_version"), STATE: ask(STATE), "date": time.strftime("%Y-%m-%d")}


# ------------------------------------------------------------------------------------------------------------ operators


def product(out, dtype, batch, m, n, k, layout="nn", use_tf32=False, modes=("cold",)):
    kind, size = FLOATS[dtype], 2 if dtype != "f32" else 4
    nbytes = size * batch * (m * k + k * n + m * n)
    if nbytes > 24e9:
        return
    limit = {"f32": 60e12 if not use_tf32 else 400e12}.get(dtype, 800e12)
    if 2.0 * batch * m * n * k / limit > 0.25:
        return

    def make(mode):
        shape_a = (batch, m, k) if batch > 1 else (m, k)
        shape_b = (n, k) if layout == "nt" else (k, n)
        shape_b = (batch, *shape_b) if batch > 1 else shape_b
        sets = []
        for _ in range(copies(mode, nbytes)):
            b = random(shape_b, kind)
            sets.append((random(shape_a, kind), b.transpose(-1, -2) if layout == "nt" else b,
                         torch.empty((*shape_a[:-1], n), device="cuda", dtype=kind)))
        return (lambda a, b, c: torch.matmul(a, b, out=c)), sets

    with tf32(use_tf32):
        out.measure(make, {"kind": "product", "dtype": dtype, "tf32": use_tf32, "batch": batch, "m": m, "n": n, "k": k,
                           "layout": layout}, modes if nbytes < 20e6 else modes[:1])


SITES = [(1024, 1024), (4096, 1024), (1024, 4096), (2048, 2048), (8192, 2048), (2048, 8192), (4096, 4096), (14336, 4096),
         (4096, 14336), (1600, 1600), (4800, 1600), (6400, 1600), (1600, 6400), (1280, 1280), (5120, 1280), (1280, 5120),
         (50257, 1600), (128256, 4096), (512, 2048), (2048, 512), (1792, 4096), (4096, 1792), (768, 768), (3072, 768),
         (768, 3072), (30522, 1024), (1000, 1280), (256, 256), (10240, 8192), (8192, 28672)]
LENGTHS = [4096, 1, 512, 16, 128, 1024, 8192, 2056, 32768, 64]


def operators(out, tiny):
    sites, lengths = (SITES[:1], LENGTHS[:1]) if tiny else (SITES, LENGTHS)
    size = (1 << 18,) if tiny else tuple(1 << b for b in (14, 17, 20, 22, 24, 26, 28, 30))
    launches(out)
    for dtype in ("f32", "bf16"):
        for nbytes in size:
            streams(out, dtype, nbytes)
    for m in lengths:
        for n, k in sites:
            product(out, "bf16", 1, m, n, k, modes=("cold", "hot"))
    heads = [(16, 64, 1024), (128, 64, 512), (256, 64, 1024), (32, 128, 4096), (128, 80, 257), (200, 64, 1024), (256, 128, 512)]
    for batch, depth, length in heads[:1] if tiny else heads:
        for dtype in ("bf16", "f16", "f32"):
            product(out, dtype, batch, length, length, depth, layout="nt")
            product(out, dtype, batch, length, depth, length)
    for length, depth, causal in ([(512, 64, False)] if tiny else
                                  [(s, d, c) for s in (512, 1024, 2048, 4096, 8192, 16384) for d in (64, 128) for c in (True, False)]):
        attention(out, length, depth, causal)
    for dtype in ("bf16", "f32"):
        for nbytes in size[1::2] if not tiny else size:
            others(out, dtype, nbytes)
    convolutions(out, tiny)
    for m in lengths[:7:2]:
        for n, k in sites[:18:1]:
            product(out, "f32", 1, m, n, k)
            product(out, "f32", 1, m, n, k, use_tf32=True)
            product(out, "f16", 1, m, n, k)
    for m in (4096, 512):
        for n, k in sites[:18]:
            product(out, "bf16", 1, m, n, k, layout="nt")


def grid(out, tiny):
    """Products by powers of two. Operands are views of one pool of random numbers, so that making them takes no time."""
    pools = {dtype: torch.randn(1 << (20 if tiny else 31), device="cuda", dtype=FLOATS[dtype]) for dtype in ("bf16", "f32")}
    cache = torch.cuda.get_device_properties(0).L2_cache_size

    def measure(dtype, use_tf32, batch, m, n, k, layout="nn"):
        pool, item = pools[dtype], FLOATS[dtype].itemsize
        sizes = [batch * m * k, batch * k * n, batch * m * n]
        seconds = 2.0 * batch * m * n * k / (5e13 if dtype == "f32" and not use_tf32 else 3e14 if dtype == "f32" else 7e14)
        if sum(sizes) > pool.numel() or seconds > 0.03:
            return

        def make(mode):
            count, at, sets = max(2, min(128, math.ceil(2.2 * cache / (item * sum(sizes))))), 0, []

            def take(*shape):
                nonlocal at
                size = math.prod(shape)
                if at + size > pool.numel():
                    at = 0
                view = pool[at:at + size].view(shape)
                at += -(-size // 256) * 256
                return view

            lead = (batch,) if batch > 1 else ()
            for _ in range(count):
                a = take(*lead, m, k)
                b = take(*lead, n, k).transpose(-1, -2) if layout == "nt" else take(*lead, k, n)
                sets.append((a, b, torch.empty((*lead, m, n), device="cuda", dtype=FLOATS[dtype])))
            return (lambda a, b, c: torch.matmul(a, b, out=c)), sets

        with tf32(use_tf32):
            out.measure(make, {"kind": "product", "dtype": dtype, "tf32": use_tf32, "batch": batch, "m": m, "n": n, "k": k,
                               "layout": layout})

    types = [("bf16", False), ("f32", True), ("f32", False)]
    sides = [1 << b for b in ((6, 7) if tiny else range(6, 15))]
    for length, depth in [(128, 64)] if tiny else [(s, d) for s in (128, 256, 512, 1024, 2048, 4096) for d in (64, 128, 80)]:
        for batch in (2,) if tiny else (8, 32, 128, 512):
            for dtype, use_tf32 in types:
                measure(dtype, use_tf32, batch, length, length, depth, "nt")
                measure(dtype, use_tf32, batch, length, depth, length)
    for m in (64, 1) if tiny else (2048, 128, 1, 512, 8192, 32, 32768, 8, 1024, 256, 4096, 64, 16384, 16):
        for n in sides if tiny else [*sides, 32768]:
            for k in sides:
                for dtype, use_tf32 in types:
                    measure(dtype, use_tf32, 1, m, n, k)


def launches(out):
    x = torch.zeros(1, device="cuda")
    for _ in range(200):
        x.add_(1)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(2000):
        x.add_(1)
    issued = time.perf_counter() - begin
    torch.cuda.synchronize()
    whole = time.perf_counter() - begin
    out.write(kind="launch", how="eager, one after the other", issue_us=issued / 2000 * 1e6, time_us=whole / 2000 * 1e6)
    out.measure(lambda mode: ((lambda a: a.add_(1)), [(x,)]), {"kind": "launch", "how": "one graph of 150 kernels"})


def streams(out, dtype, nbytes):
    count = max(1, nbytes // FLOATS[dtype].itemsize)

    def make(mode):
        sets = [(random((count,), FLOATS[dtype]), torch.empty(count, device="cuda", dtype=FLOATS[dtype]))
                for _ in range(copies(mode, 2 * nbytes))]
        return (lambda a, b: b.copy_(a)), sets

    out.measure(make, {"kind": "copy", "dtype": dtype, "bytes": 2 * count * FLOATS[dtype].itemsize}, ("cold", "hot"))


def others(out, dtype, nbytes):
    """Operators by their ONNX names. bytes: read plus written, every operand once."""
    kind = FLOATS[dtype]
    item = kind.itemsize
    count = nbytes // item
    rows = max(1, count // 1024)
    flat = (rows, 1024)

    def one(name, function, shapes=(flat,), kinds=None, written=None, **more):
        kinds = kinds or [kind] * len(shapes)
        total = sum(math.prod(s) * torch.empty((), dtype=t).element_size() for s, t in zip(shapes, kinds))
        total += nbytes if written is None else written

        def make(mode):
            sets = [tuple(random(s, t) for s, t in zip(shapes, kinds)) for _ in range(copies(mode, total))]
            return function, sets

        out.measure(make, {"kind": "operator", "op": name, "dtype": dtype, "bytes": total, **more})

    long = lambda width: (max(1, count // width), width)
    one("Add", torch.add, (flat, flat))
    one("Add", torch.add, (flat, (1024,)), form="bias")
    one("Mul", torch.mul, (flat, flat))
    one("Mul", lambda x: x * 0.125, form="scalar")
    one("Relu", torch.relu)
    one("Tanh", torch.tanh)
    one("Exp", torch.exp)
    one("Erf", torch.erf)
    one("Sigmoid", torch.sigmoid)
    one("Pow", lambda x: torch.pow(x, 3.0))
    one("Sqrt", lambda x: torch.sqrt(x))
    one("Gelu", lambda x: F.gelu(x))
    one("Gelu", lambda x: F.gelu(x, approximate="tanh"), form="tanh")
    other = torch.float32 if dtype == "bf16" else torch.bfloat16
    one("Cast", lambda x: x.to(other), written=count * other.itemsize)
    one("Where", lambda c, x, y: torch.where(c > 0, x, y), (flat, flat, flat), form="with the comparison")
    for width in (128, 1024, 4096, 50257):
        if width <= count:
            one("Softmax", lambda x: torch.softmax(x, -1), (long(width),), form=f"width {width}")
    one("LogSoftmax", lambda x: torch.log_softmax(x, -1), (long(4096),), form="width 4096")
    for width in (768, 1024, 4096):
        one("LayerNormalization", lambda x, w, b, width=width: F.layer_norm(x, (width,), w, b), (long(width), (width,), (width,)),
            form=f"width {width}")
    one("RMSNormalization", lambda x, w: F.rms_norm(x, (4096,), w), (long(4096), (4096,)), form="width 4096")
    one("ReduceSum", lambda x: x.sum(-1), written=rows * item, form="last axis")
    one("ReduceSum", lambda x: x.sum(0), written=1024 * item, form="first axis")
    one("ReduceSum", lambda x: x.sum(), written=item, form="all axes")
    one("ReduceMean", lambda x: x.mean(-1), written=rows * item, form="last axis")
    one("ReduceMax", lambda x: x.amax(-1), written=rows * item, form="last axis")
    one("ArgMax", lambda x: x.argmax(-1), written=rows * 8, form="last axis")
    one("Transpose", lambda x: x.t().contiguous(), form="2-D")
    tokens = max(1, count // (16 * 64 * 8))
    one("Transpose", lambda x: x.transpose(1, 2).contiguous(), ((8, tokens, 16, 64),), form="0213")
    one("Concat", lambda x, y: torch.cat([x, y], -1), ((rows, 512), (rows, 512)))
    one("Slice", lambda x: x[:, :512].contiguous(), ((rows, 1024),), written=nbytes // 2)
    one("Split", lambda x: [p.contiguous() for p in x.split(256, -1)], ((rows, 1024),))
    one("Expand", lambda x: x.expand(rows, 1024).contiguous(), ((1024,),))
    one("CumSum", lambda x: x.cumsum(-1))
    one("Gather", lambda table, index: table[index % 30522], ((30522, 1024), (rows,)), [kind, torch.int64], form="rows of a table")
    one("TopK", lambda x: torch.topk(x, 2, -1), ((max(1, count // 64), 64),), written=0, form="2 of 64")
    channels = max(1, count // (32 * 56 * 56))
    image = (32, channels, 56, 56)
    one("MaxPool", lambda x: F.max_pool2d(x, 3, 2, 1), (image,), written=nbytes // 4)
    one("AveragePool", lambda x: F.avg_pool2d(x, 2), (image,), written=nbytes // 4)
    vector = (channels,)
    one("BatchNormalization", lambda x, m, w, b: F.batch_norm(x, m, w * w + 1, w, b), (image, vector, vector, vector))
    one("GroupNormalization", lambda x: F.group_norm(x, 1), (image,))


def attention(out, length, depth, causal):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    heads, batch = 2048 // depth, max(1, 16384 // length)
    shape = (batch, heads, length, depth)
    nbytes = 8 * math.prod(shape)
    for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
        row = {"kind": "attention", "dtype": "bf16", "batch": batch, "heads": heads, "length": length, "depth": depth,
               "causal": causal, "kernel": backend.name.lower()}

        def forward(mode):
            sets = [tuple(random(shape, torch.bfloat16) for _ in range(3)) for _ in range(copies(mode, nbytes))]

            def run(q, k, v):
                with sdpa_kernel(backend):
                    return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
            return run, sets

        out.measure(forward, {**row, "pass": "forward"})
        if out.clock.over():
            return
        try:
            q, k, v = (random(shape, torch.bfloat16).requires_grad_() for _ in range(3))
            with sdpa_kernel(backend):
                y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
            out.write(**row, **{"pass": "backward"}, residence="hot",
                      **time_eagerly(lambda: torch.autograd.grad(y, (q, k, v), y, retain_graph=True), 5, 20))
        except Exception as error:
            out.write(**row, **{"pass": "backward"}, failed=f"{type(error).__name__}: {str(error)[:200]}")


def time_eagerly(function, least, most, least_ms=30):
    """Device time between events, and the wall clock, of a call that is issued kernel by kernel."""
    for _ in range(2):
        function()
    torch.cuda.synchronize()
    samples, walls, total = [], [], 0.0
    start, end = torch.cuda.Event(True), torch.cuda.Event(True)
    while len(samples) < least or (total < least_ms and len(samples) < most):
        begin = time.perf_counter()
        start.record()
        function()
        end.record()
        end.synchronize()
        walls.append((time.perf_counter() - begin) * 1e6)
        elapsed = start.elapsed_time(end)
        total += elapsed
        samples.append(elapsed * 1e3)
        if total > 3000 and len(samples) >= 3:
            break
    median = statistics.median(samples)
    return {"time_us": round(median, 2), "mad_us": round(statistics.median(abs(s - median) for s in samples), 2),
            "wall_us": round(statistics.median(walls), 2), "samples": len(samples)}


def convolutions(out, tiny):
    shapes = [(32, 3, 224, 64, 7, 2, 1), (32, 64, 56, 64, 1, 1, 1), (32, 64, 56, 64, 3, 1, 1), (32, 64, 56, 256, 1, 1, 1),
              (32, 128, 28, 128, 3, 1, 1), (32, 512, 28, 128, 1, 1, 1), (32, 256, 14, 256, 3, 1, 1), (32, 1024, 14, 2048, 1, 2, 1),
              (32, 512, 7, 512, 3, 1, 1), (32, 320, 56, 640, 3, 1, 1), (32, 640, 56, 1280, 1, 1, 1), (8, 3, 224, 1280, 14, 14, 1),
              (32, 96, 56, 96, 7, 1, 96), (32, 144, 56, 144, 3, 1, 144)]
    for batch, inputs, side, outputs, kernel, stride, groups in shapes[:1] if tiny else shapes:
        for dtype, use_tf32 in (("bf16", False), ("f32", True), ("f32", False)):
            for layout in ("nchw", "nhwc"):
                kind = FLOATS[dtype]
                memory = torch.channels_last if layout == "nhwc" else torch.contiguous_format
                nbytes = kind.itemsize * batch * side * side * (inputs + outputs // stride ** 2)

                def make(mode):
                    sets = []
                    for _ in range(copies(mode, nbytes)):
                        x = random((batch, inputs, side, side), kind).to(memory_format=memory)
                        w = random((outputs, inputs // groups, kernel, kernel), kind).to(memory_format=memory)
                        sets.append((x, w))
                    pad = 0 if kernel == stride else kernel // 2
                    return (lambda x, w: F.conv2d(x, w, None, stride, pad, 1, groups)), sets

                with tf32(use_tf32):
                    out.measure(make, {"kind": "convolution", "dtype": dtype, "tf32": use_tf32, "batch": batch, "inputs": inputs,
                                       "side": side, "outputs": outputs, "kernel": kernel, "stride": stride, "groups": groups,
                                       "layout": layout})


# --------------------------------------------------------------------------------------------------------------- models


def small_gpt2():
    from make_models import gpt_like
    return gpt_like(12, 768, 12, 50257, loss=False)


def small_gpt2_loss():
    from make_models import gpt_like
    return gpt_like(12, 768, 12, 50257, loss=True)


def llama_1b():
    from make_models import llama_like
    return llama_like(16, 2048, 8192, 32, 8, positions=2048)


def resnet50():
    from export_models import Full
    from torchvision.models import resnet50 as make
    return Full(lambda: make(weights=None), {"image": (torch.float32, (32, 3, 224, 224))}, ["logits"], "torchvision resnet50")


def resnet50_loss():
    from export_models import Full
    from make_models import ClassifierLoss
    from torchvision.models import resnet50 as make
    return Full(lambda: ClassifierLoss(make(weights=None)),
                {"image": (torch.float32, (32, 3, 224, 224)), "labels": (torch.int64, (32,))}, ["loss"],
                "torchvision resnet50, cross entropy", training=True)


def factory(name):
    import make_models
    own = {"gpt2-124m": small_gpt2, "gpt2-124m-loss": small_gpt2_loss, "llama-1b": llama_1b, "resnet50": resnet50,
           "resnet50-loss": resnet50_loss}
    return own[name] if name in own else make_models.FULL[name]


def build(full, dtype, attention=None):
    torch.set_default_dtype(dtype)
    try:
        with torch.device("cuda"):
            module = full.build()
    finally:
        torch.set_default_dtype(torch.float32)
    module.train(full.training)
    if attention:
        from make_models import CausalOutput, Output
        if isinstance(module, CausalOutput):  # the mask of its own would keep the fused kernels away
            module = Output(module.model, list(full.inputs), full.outputs[0], use_cache=False)
            module.train(full.training)
        for child in module.modules():
            if hasattr(child, "config") and hasattr(child.config, "_attn_implementation"):
                child.config._attn_implementation = attention
    return module


def inputs_of(full, batch, dtype):
    tensors = []
    for name, (kind, shape) in full.inputs.items():
        shape = (batch, *shape[1:])
        if name == "attention_mask":
            tensors.append(torch.ones(shape, device="cuda", dtype=kind))
        elif kind == torch.int64:
            tensors.append(torch.randint(0, 500, shape, device="cuda"))
        else:
            tensors.append(torch.randn(shape, device="cuda", dtype=dtype))
    return tensors


def clean():
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()


def kernels_of(function):
    """Device time by kernel name of one call."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as seen:
        function()
        torch.cuda.synchronize()
    rows = {}
    for event in seen.key_averages():
        time_us = getattr(event, "self_device_time_total", 0)
        if time_us > 0:
            rows[event.key[:120]] = [event.count, round(time_us, 1)]
    return dict(sorted(rows.items(), key=lambda r: -r[1][1])[:40])


def time_graph(function):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(2):
            function()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        kept = function()
    result = time_eagerly(graph.replay, 5, 50, 100)
    graph.reset()
    del kept
    return result


def run_model(out, name, dtype_name, batch, use_tf32=False, attention=None, profile=False, channels_last=False, compiled=None):
    row = {"kind": "model", "model": name, "dtype": dtype_name, "tf32": use_tf32, "batch": batch,
           "attention": attention or "eager", "channels_last": channels_last}
    if out.clock.over():
        return
    try:
        clean()
        full = factory(name)()
        dtype = FLOATS[dtype_name]
        module = build(full, dtype, attention)
        if channels_last:
            module = module.to(memory_format=torch.channels_last)
        weights = torch.cuda.memory_allocated()
        tensors = inputs_of(full, batch, dtype)
        if channels_last:
            tensors = [t.to(memory_format=torch.channels_last) if t.dim() == 4 else t for t in tensors]
        with tf32(use_tf32), torch.no_grad():
            if compiled is None:
                torch.cuda.reset_peak_memory_stats()
                out.write(**row, runtime="eager", weight_bytes=weights, **time_eagerly(lambda: module(*tensors), 5, 50, 100),
                          peak_bytes=torch.cuda.max_memory_allocated())
                if profile:
                    out.write(**row, runtime="eager", kernels=kernels_of(lambda: module(*tensors)))
                try:
                    out.write(**row, runtime="eager in a graph", **time_graph(lambda: module(*tensors)))
                except Exception as error:
                    out.write(**row, runtime="eager in a graph", failed=f"{type(error).__name__}: {str(error)[:300]}")
            else:
                begin = time.perf_counter()
                fast = torch.compile(module, mode=compiled)
                fast(*tensors)
                torch.cuda.synchronize()
                spent = time.perf_counter() - begin
                torch.cuda.reset_peak_memory_stats()
                result = time_eagerly(lambda: fast(*tensors), 5, 50, 100)
                out.write(**row, runtime=f"compiled, {compiled}", compile_seconds=round(spent, 1), weight_bytes=weights,
                          peak_bytes=torch.cuda.max_memory_allocated(), **result)
                if profile:
                    out.write(**row, runtime=f"compiled, {compiled}", kernels=kernels_of(lambda: fast(*tensors)))
                torch._dynamo.reset()
    except Exception as error:
        out.write(**row, runtime=compiled or "eager", failed=f"{type(error).__name__}: {str(error)[:300]}")
    module = tensors = fast = None
    clean()


def models(out, tiny):
    cases = [("bert-large", "f32", 8, {}), ("bert-large", "f32", 8, dict(use_tf32=True)), ("gpt-1.3b", "f16", 8, dict(profile=True)),
             ("gpt-1.3b", "f16", 1, {}), ("gpt-1.3b", "f16", 8, dict(attention="sdpa")),
             ("gpt2-124m", "f32", 8, dict(use_tf32=True, profile=True)), ("gpt2-124m", "bf16", 8, {}),
             ("gpt2-124m", "f32", 1, {}),
             ("resnet50", "f32", 32, dict(profile=True)), ("resnet50", "f32", 32, dict(use_tf32=True)),
             ("resnet50", "bf16", 32, dict(channels_last=True)),
             ("vit-huge", "f32", 8, {}), ("vit-huge", "f32", 8, dict(use_tf32=True)), ("vit-huge", "bf16", 8, {}),
             ("llama3-8b", "bf16", 1, dict(profile=True)), ("llama3-8b", "bf16", 1, dict(attention="sdpa", profile=True)),
             ("llama3-8b", "bf16", 4, {}),
             ("wideresnet-1b", "f32", 32, {}), ("wideresnet-1b", "f32", 32, dict(use_tf32=True)),
             ("gpt2-xl", "f32", 8, {}), ("gpt2-xl", "f32", 8, dict(use_tf32=True)), ("gpt2-xl", "bf16", 8, {}),
             ("llama-1b", "bf16", 8, {}), ("llama-1b", "bf16", 1, dict(attention="sdpa")), ("llama-1b", "bf16", 8, dict(attention="sdpa")),
             ("gpt-2.6b", "f16", 8, {}), ("bert-large", "f32", 1, {}), ("bert-large", "bf16", 8, dict(attention="sdpa")),
             ("bert-large", "f32", 32, dict(use_tf32=True)), ("gpt-1.3b", "f16", 32, {}),
             ("resnet50", "f32", 256, dict(use_tf32=True)), ("vit-huge", "bf16", 8, dict(attention="sdpa"))]
    for name, dtype, batch, more in cases[:1] if tiny else cases:
        run_model(out, name, dtype, batch, **more)


def compiled(out, tiny):
    cases = [("gpt-1.3b", "f16", 8, dict(attention="sdpa", profile=True)), ("gpt-1.3b", "f16", 8, {}),
             ("resnet50", "f32", 32, dict(use_tf32=True)), ("bert-large", "f32", 8, dict(use_tf32=True)),
             ("llama3-8b", "bf16", 1, dict(attention="sdpa", profile=True)), ("gpt2-124m", "bf16", 8, dict(attention="sdpa")),
             ("vit-huge", "bf16", 8, dict(attention="sdpa")), ("llama-1b", "bf16", 8, dict(attention="sdpa"))]
    for name, dtype, batch, more in cases[:1] if tiny else cases:
        run_model(out, name, dtype, batch, compiled="default", **more)


def run_training(out, name, dtype_name, batch, use_tf32=False, attention=None, compiled=None):
    row = {"kind": "training", "model": name, "dtype": dtype_name, "tf32": use_tf32, "batch": batch, "attention": attention or "eager"}
    if out.clock.over():
        return
    try:
        clean()
        full = factory(name)()
        full.training = True
        module = build(full, FLOATS[dtype_name], attention)
        tensors = inputs_of(full, batch, FLOATS[dtype_name])
        optimizer = torch.optim.AdamW(module.parameters(), lr=1e-5, fused=True, capturable=True)
        forward = torch.compile(module) if compiled else module

        def step():
            loss = forward(*tensors)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

        def both():
            forward(*tensors).backward()
            optimizer.zero_grad(set_to_none=True)

        with tf32(use_tf32):
            begin = time.perf_counter()
            step()
            torch.cuda.synchronize()
            spent = time.perf_counter() - begin
            torch.cuda.reset_peak_memory_stats()
            whole = time_eagerly(step, 5, 20, 200)
            peak = torch.cuda.max_memory_allocated()
            out.write(**row, runtime="compiled, default" if compiled else "eager", what="forward, backward, AdamW",
                      first_seconds=round(spent, 1), peak_bytes=peak, **whole)
            out.write(**row, runtime="compiled, default" if compiled else "eager", what="forward, backward",
                      **time_eagerly(both, 5, 20, 200))
            if not compiled:
                with torch.no_grad():
                    out.write(**row, runtime="eager", what="forward without gradients", **time_eagerly(lambda: module(*tensors), 5, 20, 100))
                forward(*tensors).backward()
                out.write(**row, runtime="eager", what="AdamW", **time_eagerly(optimizer.step, 5, 20, 100),
                          parameters=sum(p.numel() for p in module.parameters()))
            torch._dynamo.reset()
    except Exception as error:
        out.write(**row, failed=f"{type(error).__name__}: {str(error)[:300]}")
    module = optimizer = forward = tensors = step = both = None
    clean()


def training(out, tiny):
    cases = [("gpt-1.3b-loss", "bf16", 4, {}), ("gpt2-124m-loss", "f32", 8, dict(use_tf32=True)), ("resnet50-loss", "f32", 32, dict(use_tf32=True)),
             ("gpt-1.3b-loss", "bf16", 4, dict(attention="sdpa")), ("gpt2-124m-loss", "bf16", 8, {}),
             ("wideresnet-1b-train", "f32", 32, dict(use_tf32=True)), ("resnet50-loss", "f32", 32, {}), ("gpt2-124m-loss", "f32", 8, {}),
             ("gpt2-124m-loss", "bf16", 8, dict(attention="sdpa", compiled=True)), ("resnet50-loss", "f32", 32, dict(use_tf32=True, compiled=True))]
    for name, dtype, batch, more in cases[:1] if tiny else cases:
        run_training(out, name, dtype, batch, **more)


def collect(files, output):
    """One JSON document of several files of rows, a table for each kind; a machine's files may be of several runs."""
    machines = {}
    for path in files:
        with open(path, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        first = rows[0]
        machine = machines.setdefault(first["device"], {key: first[key] for key in MACHINE} | {"tables": {}, "failed": []})
        for row in rows[1:]:
            kind = row.pop("kind")
            if "failed" in row:
                machine["failed"].append({"kind": kind, **row})
            elif "kernels" in row:
                machine["tables"].setdefault("kernels of models", []).append(row)
            elif kind in COLUMNS:
                if row.pop("tf32", False):
                    row["dtype"] = "tf32"
                machine["tables"].setdefault(kind, []).append([row.get(key) for key in COLUMNS[kind]])
    with open(output, "w", encoding="utf-8") as file:
        file.write('{\n "schema": "metadist-data/gpu-torch/1",\n')
        for key, text in ABOUT.items():
            file.write(f' "{key}": {json.dumps(text)},\n')
        file.write(f' "columns": {json.dumps(COLUMNS)},\n "machines": [')
        for i, machine in enumerate(machines.values()):
            file.write((",\n" if i else "\n") + "  {")
            for key in MACHINE:
                file.write(f'"{key}": {json.dumps(machine[key])}, ')
            file.write('"tables": {')
            for t, (kind, rows) in enumerate(sorted(machine["tables"].items())):
                lines = ",\n".join("    " + json.dumps(row, separators=(",", ":")) for row in rows)
                file.write((",\n" if t else "\n") + f'   "{kind}": [\n{lines}\n   ]')
            failed = ",\n".join("    " + json.dumps(row, separators=(",", ":")) for row in machine["failed"])
            file.write(f'}},\n   "failed": [\n{failed}\n   ]}}')
        file.write("\n ]\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["measure", "collect"])
    parser.add_argument("what", nargs="+", metavar="PART|FILE")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--models", default=".", metavar="FOLDER")
    parser.add_argument("-o", "--output", required=True, metavar="FILE")
    parser.add_argument("--tiny", action="store_true", help="one small case of each kind, to try the script")
    arguments = parser.parse_args()
    if arguments.command == "collect":
        return collect(arguments.what, arguments.output)
    parts = {f.__name__: f for f in (operators, grid, models, training, compiled)}
    if len(arguments.what) != 1 or arguments.what[0] not in parts:
        parser.error("measure takes one of " + ", ".join(parts))
    part = arguments.what[0]
    sys.path.insert(0, arguments.models)
    torch.manual_seed(20261126)
    begin = time.monotonic()
    out = Out(arguments.output, Clock(arguments.seconds))
    out.write(kind="machine", part=part, **machine())
    parts[part](out, arguments.tiny)
    out.write(kind="machine", part=part, at="end", **machine())
    print(f"{part}: {out.rows} rows, {out.failed} failed, {time.monotonic() - begin:.0f} s, {'cut by time' if out.clock.over() else 'whole'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
