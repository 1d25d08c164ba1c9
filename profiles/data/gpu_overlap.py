# SPDX-License-Identifier: Apache-2.0
"""What a GPU does at the same time: copies to and from the host, graphs of small kernels, a kernel beside another one."""

import statistics

import torch
import torch.nn.functional as F
from gpu_measuring import random, time_eagerly


def overlap(out, tiny):
    for nbytes in [1 << b for b in ((16,) if tiny else range(10, 31, 2))]:
        transfers(out, nbytes)
    for count in (10,) if tiny else (1, 10, 100, 1000):
        graphs(out, count)
    beside(out, tiny)


def transfers(out, nbytes):
    """Pinned host memory; both ways: two copies at once, each of so many bytes."""
    host, other_host = (torch.empty(nbytes, dtype=torch.uint8, pin_memory=True) for _ in range(2))
    device, other_device = (torch.empty(nbytes, dtype=torch.uint8, device="cuda") for _ in range(2))
    up, down = torch.cuda.Stream(), torch.cuda.Stream()

    def both():
        now = torch.cuda.current_stream()
        up.wait_stream(now)
        down.wait_stream(now)
        with torch.cuda.stream(up):
            device.copy_(host, non_blocking=True)
        with torch.cuda.stream(down):
            other_host.copy_(other_device, non_blocking=True)
        now.wait_stream(up)
        now.wait_stream(down)

    ways = {"to the device": lambda: device.copy_(host, non_blocking=True), "to the host": lambda: host.copy_(device, non_blocking=True), "both ways": both}
    for how, copy in ways.items():
        out.write(kind="transfer", how=how, bytes=nbytes, **time_eagerly(copy, 9, 50, 20))


def graphs(out, count):
    x, y = torch.zeros(1024, device="cuda"), torch.zeros(1024, device="cuda")

    def chain():
        for _ in range(count):
            x.add_(1)

    def two_streams():
        side, now = torch.cuda.Stream(), torch.cuda.current_stream()
        for _ in range(count):
            side.wait_stream(now)
            with torch.cuda.stream(side):
                y.add_(1)
            now.wait_stream(side)
            x.add_(1)

    out.write(kind="graph", how="no graph: a chain", nodes=count, **time_eagerly(chain, 20, 200, 20))
    for how, make, nodes in (("a chain", chain, count), ("a chain over two streams, an event a node", two_streams, 2 * count)):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            make()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            make()
        out.write(kind="graph", how=how, nodes=nodes, **time_eagerly(graph.replay, 20, 200, 20))


def copiers(count):
    """What keeps the memory busy meanwhile: copies of device memory by all units and by few blocks, and one to the host."""
    import triton
    import triton.language as tl

    source, target = (torch.empty(2 * count, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    device = torch.empty(count, dtype=torch.uint8, device="cuda")
    host = torch.empty(count, dtype=torch.uint8, pin_memory=True)

    @triton.jit
    def few(source, target, count, block: tl.constexpr, blocks: tl.constexpr):
        for base in range(tl.program_id(0) * block, count, blocks * block):
            at = base + tl.arange(0, block)
            tl.store(target + at, tl.load(source + at, mask=at < count), mask=at < count)

    def by(blocks):
        return lambda: few[(blocks,)](source, target, count, block=4096, blocks=blocks, num_warps=16)

    return {"a copy by all units": (lambda: target.copy_(source), 8), **{f"a copy by {blocks} blocks": (by(blocks), 4) for blocks in (4, 8, 16, 32)},
            "a copy to the host": (lambda: host.copy_(device, non_blocking=True), 4)}


def beside(out, tiny):
    def product(m, n, k):
        a, b = random((m, k), torch.bfloat16), random((k, n), torch.bfloat16)
        c = torch.empty((m, n), device="cuda", dtype=torch.bfloat16)
        return lambda: torch.matmul(a, b, out=c)

    source, target = random((1 << 26,), torch.bfloat16), torch.empty(1 << 26, device="cuda", dtype=torch.bfloat16)
    heads = [random((16, 16, 1024, 128), torch.bfloat16) for _ in range(3)]
    mains = {f"product {m}x{n}x{k}": product(m, n, k) for m, n, k in ((8192, 8192, 8192), (4096, 4096, 4096), (2048, 2048, 2048), (128, 4096, 4096))}
    mains["copy of 128 MiB"] = lambda: target.copy_(source)
    mains["attention 16x16x1024x128"] = lambda: F.scaled_dot_product_attention(*heads)
    for main, run in list(mains.items())[: 1 if tiny else None]:
        for name, (other, count) in copiers(1 << (24 if tiny else 28)).items():
            if out.clock.over():
                return
            alone, _ = busy_time(run, None, 0)
            together, covered = busy_time(run, other, count)
            row = {"kind": "overlap", "main": main, "beside": name, "time_us": round(alone, 2), "beside_us": round(together, 2)}
            out.write(**row, **({} if covered else {"failed": "the other one ended first"}))


def busy_time(run, other, count):
    """Median time of a call of three in a row while `other` runs `count` times on another stream, and whether it ran on all along."""
    one, two = torch.cuda.Stream(), torch.cuda.Stream()
    start, end = torch.cuda.Event(True), torch.cuda.Event(True)
    samples, covered = [], True
    for _ in range(9):
        torch.cuda.synchronize()
        with torch.cuda.stream(two):
            for _ in range(count):
                other()
        with torch.cuda.stream(one):
            run()
            start.record(one)
            for _ in range(3):
                run()
            end.record(one)
        end.synchronize()
        covered = covered and (count == 0 or not two.query())
        samples.append(start.elapsed_time(end) * 1e3 / 3)
    return statistics.median(samples), covered
