# SPDX-License-Identifier: Apache-2.0
"""Kernels of a GPU: products, operators bound by memory, attention, convolutions, copies, launches."""

import math
import time

import torch
import torch.nn.functional as F
from gpu_measuring import FLOATS, copies, random, tf32, time_eagerly


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
