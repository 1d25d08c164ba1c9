# SPDX-License-Identifier: Apache-2.0
"""What the parts of measure_gpu.py share: rows, clocks, data and the machine."""

import contextlib
import json
import math
import statistics
import subprocess
import time

import torch

STATE = "clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit,temperature.gpu"
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
