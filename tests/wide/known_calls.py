# SPDX-License-Identifier: Apache-2.0
"""Calls of the families of completeness.py, each with the cuts that are known of it."""

import functools
import itertools
from dataclasses import dataclass, field

import numpy
from known_cuts import Search, execute, windows_suffice

LEAST_WINDOWS = 3  # of a dim with fewer, no cut is expected


@dataclass
class Known:
    """Of a role: the places that are cut together, one choice of several; and how many pieces there can be."""

    role: str
    choices: list
    groups: int


@dataclass
class Call:
    """One node. inputs: arrays (constants), (kind, shape), or None. outputs: names wanted, "" for those that are not."""

    op: str
    attributes: dict
    inputs: list
    outputs: list
    known: list = field(default_factory=list)
    text: str = ""


def filled(kind, shape, seed=1):
    random = numpy.random.default_rng(seed)
    if kind == "f":
        return random.integers(-9, 10, shape).astype(numpy.float32)
    return numpy.zeros(shape, numpy.int64)


# --- Reshape, Transpose

PRIMES = {"batch": 5, "sequence": 7, "heads": 11, "head size": 13, "three": 3}
B, S, H, D, T = PRIMES
FORMS = {
    "split": ([[B], [S], [H, D]], [[B], [S], [H], [D]]),
    "split, flat": ([[B], [S], [H, D]], [[B, S], [H], [D]]),
    "flat, split": ([[B, S], [H, D]], [[B], [S], [H], [D]]),
    "flat, split, flat": ([[B, S], [H, D]], [[B, S], [H], [D]]),
    "flatten": ([[B], [S], [H, D]], [[B, S], [H, D]]),
    "unflatten": ([[B, S], [H, D]], [[B], [S], [H, D]]),
    "merge": ([[B], [S], [H], [D]], [[B], [S], [H, D]]),
    "merge, flat": ([[B], [S], [H], [D]], [[B, S], [H, D]]),
    "flat, merge": ([[B, S], [H], [D]], [[B], [S], [H, D]]),
    "qkv": ([[B], [S], [T, H, D]], [[B], [S], [T], [H], [D]]),
    "qkv, heads first": ([[B], [S], [H, T, D]], [[B], [S], [H], [T], [D]]),
    "qkv, flat": ([[B, S], [T, H, D]], [[B], [S], [T], [H], [D]]),
    "heads to batch": ([[B], [H], [S], [D]], [[B, H], [S], [D]]),
    "heads from batch": ([[B, H], [S], [D]], [[B], [H], [S], [D]]),
}
PERMUTATIONS = {
    "heads out": ([B, S, H, D], (0, 2, 1, 3)),
    "heads back": ([B, H, S, D], (0, 2, 1, 3)),
    "keys": ([B, S, H, D], (0, 2, 3, 1)),
    "keys, heads": ([B, H, S, D], (0, 1, 3, 2)),
    "qkv": ([B, S, T, H, D], (2, 0, 3, 1, 4)),
    "sequence first": ([B, S, H, D], (1, 0, 2, 3)),
}
SIZES = {
    B: (1, 2, 3, 8, 12, 16),
    S: (1, 24, 48, 64, 127, 128, 256, 512, 1024),
    H: (8, 12, 16, 32, 40),
    D: (8, 64, 80, 96, 128),
    T: (3,),
}


def product(names, sizes):
    return int(numpy.prod([sizes[name] for name in names], dtype=numpy.int64))


def roles_of(search, sizes, primes):
    """What is known of every factor: its prime tells it apart in the generic instance."""
    return {role: search.cuts(prime) for role, prime in primes.items() if sizes[role] > 1}


@functools.lru_cache(maxsize=None)
def known_of_reshape(form, ones):
    source, target = FORMS[form]
    sizes = {role: 1 if role in ones else prime for role, prime in PRIMES.items()}
    data = numpy.arange(numpy.prod([product(one, sizes) for one in source]), dtype=numpy.float32).reshape([product(one, sizes) for one in source])
    search = Search("Reshape", {}, [data, numpy.array([product(one, sizes) for one in target])], literals=(1,))
    used = {name for one in source for name in one}
    return {role: search.cuts(prime) for role, prime in PRIMES.items() if role in used and role not in ones}


@functools.lru_cache(maxsize=None)
def known_of_transpose(form, ones):
    names, perm = PERMUTATIONS[form]
    shape = [1 if role in ones else PRIMES[role] for role in names]
    search = Search("Transpose", {"perm": list(perm)}, [numpy.arange(numpy.prod(shape), dtype=numpy.float32).reshape(shape)])
    return {role: search.cuts(PRIMES[role]) for role in names if role not in ones}


def spellings(source, target):
    """(name, target, attributes) of all ways to write the target."""
    yield "sizes", target, {}
    yield "allowzero", target, {"allowzero": 1}
    same = [at for at in range(min(len(source), len(target))) if source[at] == target[at]]
    for at in same:
        yield f"0 at {at}", [0 if d == at else size for d, size in enumerate(target)], {}
    if len(same) > 1:
        yield "0 wherever it can be", [0 if d in same else size for d, size in enumerate(target)], {}
    for rest in range(len(target)):
        inferred = [-1 if d == rest else size for d, size in enumerate(target)]
        yield f"-1 at {rest}", inferred, {}
        yield f"-1 at {rest}, allowzero", inferred, {"allowzero": 1}
        zeros = [0 if d in same and d != rest else size for d, size in enumerate(inferred)]
        if zeros != inferred:
            yield f"-1 at {rest}, 0 wherever it can be", zeros, {}


def known_list(cuts, sizes):
    return [Known(role, choices, sizes[role]) for role, choices in cuts.items() if choices]


def reshapes(random, count):
    """All of them, or `count` drawn."""
    grid = [dict(zip(SIZES, pick)) for pick in itertools.product(*SIZES.values())]
    for sizes in grid if count is None else (random.choice(grid) for _ in range(count)):
        ones = frozenset(role for role, size in sizes.items() if size == 1)
        forms = list(FORMS) if count is None else [random.choice(list(FORMS))]
        for form in forms:
            source, target = ([product(one, sizes) for one in side] for side in FORMS[form])
            ways = list(spellings(source, target))
            for name, written, attributes in ways if count is None else [random.choice(ways)]:
                call = Call("Reshape", attributes, [("f", source), numpy.array(written)], ["y"], text=f"{form}, {name}: {source} -> {written}")
                call.known = known_list(known_of_reshape(form, ones), sizes)
                yield call
        if count is None or random.random() < 0.2:
            for form in list(PERMUTATIONS) if count is None else [random.choice(list(PERMUTATIONS))]:
                names, perm = PERMUTATIONS[form]
                call = Call("Transpose", {"perm": list(perm)}, [("f", [sizes[name] for name in names])], ["y"], text=f"{form}: {[sizes[n] for n in names]} {perm}")
                call.known = known_list(known_of_transpose(form, ones), sizes)
                yield call


# --- Conv, ConvTranspose, pooling


@dataclass(frozen=True)
class Window:
    """One spatial dim."""

    size: int
    kernel: int
    stride: int
    dilation: int
    begin: int
    end: int
    more: int = 0  # output padding

    @property
    def extent(self):
        return (self.kernel - 1) * self.dilation + 1


CORNERS = [(10, 5, 1), (5, 3, 1), (3, 1, 7), (2, 1, 8), (3, 2, 7), (3, 1, 9), (7, 2, 1), (16, 16, 1), (4, 4, 1), (3, 3, 1), (1, 2, 1), (2, 2, 1)]


def geometry(random, rank, taps=1):
    """(kernel, stride, dilation); `taps` elements of the kernel lie in the dims before. Reference kernels take long over large ones."""
    most = min(16, max(2, (16, 30, 12)[rank - 1] // taps))
    corners = [one for one in CORNERS if one[0] <= most and (rank < 3 or one[2] == 1)]
    if random.random() < 0.3:
        return random.choice(corners)
    kernel = random.choice([k for k in (1, 2, 3, 3, 3, 4, 5, 7, 9, 10) if k <= most])
    return kernel, random.choice((1, 1, 1, 2, 2, 3, 4, 5)), random.choice((1, 1, 1, 1, 2, 3, 7, 8)) if rank < 3 else 1


def same_pads(size, kernel, stride, dilation, auto):
    extent = (kernel - 1) * dilation + 1
    total = max((-(-size // stride) - 1) * stride + extent - size, 0)
    return (total // 2, total - total // 2) if auto == "SAME_UPPER" else (total - total // 2, total // 2)


def draw_windows(random, rank, pooling=False):
    """(windows, auto_pad)."""
    auto = random.choice(("NOTSET", "NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"))
    windows, taps = [], 1
    for _ in range(rank):
        kernel, stride, dilation = geometry(random, rank, taps)
        taps *= kernel
        if auto.startswith("SAME"):
            stride, dilation = random.choice((1, 2, 2, 3)), 1
        extent = (kernel - 1) * dilation + 1
        size = extent + random.choice((4, 7, 10, 15, 21, 22, 31)) * (stride if random.random() < 0.5 else 1) if rank < 3 else extent + random.randrange(4, 12) * stride
        begin = end = 0
        if auto.startswith("SAME"):
            begin, end = same_pads(size, kernel, stride, dilation, auto)
        elif auto == "NOTSET":
            most = kernel - 1 if pooling else extent
            kind = random.choice(("none", "none", "same", "same", "causal", "any", "any"))
            begin = {"none": 0, "same": (extent - 1) // 2, "causal": extent - 1}.get(kind, random.randrange(most + 1))
            end = {"none": 0, "same": extent // 2, "causal": random.choice((0, 0, 1, most))}.get(kind, random.randrange(most + 1))
            begin, end = min(begin, most), min(end, most)
        windows.append(Window(size, kernel, stride, dilation, begin, end))
    return windows, auto


def written(random, windows, auto, pooling=False):
    """Attributes; what has its default is sometimes left out."""
    attributes = {"strides": [w.stride for w in windows], "dilations": [w.dilation for w in windows], "kernel_shape": [w.kernel for w in windows]}
    for name in ("strides", "dilations"):
        if set(attributes[name]) == {1} and random.random() < 0.5:
            del attributes[name]
    if not pooling and random.random() < 0.4:
        del attributes["kernel_shape"]
    if auto != "NOTSET":
        attributes["auto_pad"] = auto
    elif any(w.begin or w.end for w in windows) or random.random() < 0.5:
        attributes["pads"] = [w.begin for w in windows] + [w.end for w in windows]
    return attributes


def spatial_run(op, window, options, first, last):
    """The 1-D call with its padding kept where a piece is the first, the last one."""
    attributes = dict(options, strides=[window.stride], dilations=[window.dilation], kernel_shape=[window.kernel])
    attributes["pads"] = [window.begin if first else 0, window.end if last else 0]
    if op == "ConvTranspose":
        attributes["output_padding"] = [window.more]
    return attributes


@functools.lru_cache(maxsize=None)
def windows_known(op, window, options, indices):
    """(whether pieces suffice, number of results)."""
    random = numpy.random.default_rng(3)
    data = random.permutation(window.size * 4)[: window.size].astype(numpy.float32).reshape(1, 1, -1) - window.size
    weights = [] if "Pool" in op else [random.permutation(window.kernel * 4)[: window.kernel].astype(numpy.float32).reshape(1, 1, -1) + 1]

    def local(begin, end, way):
        try:
            made = execute(op, spatial_run(op, window, dict(options), *way), [data[:, :, begin:end], *weights], "fi" if indices else "f")
        except Exception:  # noqa: BLE001, too small a piece
            return None
        # An index tells its element.
        return made[1].reshape(-1) + float(begin) if indices else made[0].reshape(-1)

    whole = local(0, window.size, (True, True))
    if whole is None or len(whole) < LEAST_WINDOWS:
        return False, 0 if whole is None else len(whole)
    ways = lambda first, last: dict.fromkeys([(first, last), (True, True)])  # noqa: E731
    return windows_suffice(window.size, whole, local, ways), len(whole)


def spatial_known(op, windows, options=(), indices=False, outputs=1):
    known = []
    for at, window in enumerate(windows):
        suffice, results = windows_known(op, window, options, indices)
        if not results:
            return None
        if suffice and results >= LEAST_WINDOWS:
            known.append(Known("spatial", [frozenset({("in", 0, at + 2)} | {("out", o, at + 2) for o in range(outputs)})], results))
    return known


CHANNELS = {"batch": 5, "group": 3, "channel in": 7, "channel out": 11}


@functools.lru_cache(maxsize=None)
def known_of_channels(op, ones, bias):
    n, g, c, k = (1 if role in ones else prime for role, prime in CHANNELS.items())
    weight = (g * k, c, 2) if op == "Conv" else (g * c, k, 2)
    arrays = [filled("f", (n, g * c, 2), 1), filled("f", weight, 2), filled("f", (g * k,), 3) if bias else None]
    search = Search(op, {"group": g}, arrays, sized=("group",))
    return {role: search.cuts(prime) for role, prime in CHANNELS.items() if role not in ones}


def channels(random):
    kind = random.choice(("one", "groups", "depthwise", "one"))
    g = 1 if kind == "one" else random.choice((2, 4, 6, 8))
    c = 1 if kind == "depthwise" else random.choice((1, 2, 3, 4, 8))
    k = random.choice((1, 1, 2)) if kind == "depthwise" else random.choice((1, 2, 3, 4, 8))
    return {"batch": random.choice((1, 2, 4, 8)), "group": g, "channel in": c, "channel out": k}


def convolution(random, op, rank, windows, attributes):
    sizes = channels(random)
    n, g, c, k = sizes.values()
    bias = random.random() < 0.5
    if g > 1 or random.random() < 0.3:
        attributes["group"] = g
    weight = (g * k, c) if op == "Conv" else (g * c, k)
    inputs = [("f", [n, g * c, *(w.size for w in windows)]), ("f", [*weight, *(w.kernel for w in windows)])]
    if bias:
        inputs.append(("f", [g * k]))
    call = Call(op, attributes, inputs, ["y"], text=f"{op} {inputs[0][1]} {inputs[1][1]} {attributes}")
    spatial = spatial_known(op, windows)
    if spatial is None:
        return None
    ones = frozenset(role for role, size in sizes.items() if size == 1)
    call.known = known_list(known_of_channels(op, ones, bias), sizes) + spatial
    return call


def convs(random, count):
    while count > 0:
        rank = random.choice((1, 1, 2, 2, 2, 3))
        windows, auto = draw_windows(random, rank)
        call = convolution(random, "Conv", rank, windows, written(random, windows, auto))
        if call:
            count -= 1
            yield call


def transposed_windows(random, rank):
    """(windows, attributes)."""
    windows, attributes, taps = [], {}, 1
    way = random.choice(("plain", "more", "shape", "same"))
    for _ in range(rank):
        kernel, stride, dilation = geometry(random, rank, taps)
        taps *= kernel
        extent, size = (kernel - 1) * dilation + 1, random.choice((4, 5, 7, 8, 12) if rank < 3 else (4, 5))
        begin, end = (random.randrange(min(extent, 4)) for _ in range(2))
        more = random.randrange(max(stride, dilation)) if way == "more" else 0
        if way in ("shape", "same"):
            natural = (size - 1) * stride + extent
            shape = size * stride if way == "same" else natural - random.randrange(min(natural - 1, stride + 2))
            total = natural - shape
            if total < 0:
                return None, None
            upper = way == "same"
            begin, end = (total // 2, total - total // 2) if upper else (total - total // 2, total // 2)
            attributes.setdefault("output_shape", []).append(shape)
        windows.append(Window(size, kernel, stride, dilation, begin, end, more))
    if way == "same":
        del attributes["output_shape"]
        attributes["auto_pad"] = "SAME_UPPER"
    elif way != "shape" and (any(w.begin or w.end for w in windows)):
        attributes["pads"] = [w.begin for w in windows] + [w.end for w in windows]
    if way == "more":
        attributes["output_padding"] = [w.more for w in windows]
    attributes.update({"strides": [w.stride for w in windows], "dilations": [w.dilation for w in windows]})
    if random.random() < 0.5:
        attributes["kernel_shape"] = [w.kernel for w in windows]
    return windows, attributes


def transposed_convs(random, count):
    while count > 0:
        rank = random.choice((1, 1, 1, 2, 2, 3))
        windows, attributes = transposed_windows(random, rank)
        call = windows and convolution(random, "ConvTranspose", rank, windows, attributes)
        if call:
            count -= 1
            yield call


@functools.lru_cache(maxsize=None)
def known_of_pool(op, indices):
    """Batch and channels. Indices are left out where pieces count from their own start."""
    search = Search(op, {"kernel_shape": [2]}, [filled("f", (5, 7, 4))])
    assert not indices or op == "MaxPool"
    return {"batch": search.cuts(5), "channel in": search.cuts(7)}


def pools(random, count):
    while count > 0:
        rank = random.choice((1, 2, 2, 3))
        op = random.choice(("MaxPool", "MaxPool", "AveragePool", "AveragePool", "LpPool"))
        windows, auto = draw_windows(random, rank, pooling=True)
        attributes = written(random, windows, auto, pooling=True)
        options, indices = {}, op == "MaxPool" and random.random() < 0.5
        if auto in ("NOTSET", "VALID") and random.random() < 0.4:
            options["ceil_mode"] = 1
        if op == "AveragePool" and random.random() < 0.5:
            options["count_include_pad"] = 1
        if op == "LpPool" and random.random() < 0.5:
            options["p"] = random.choice((1, 3))
        known = spatial_known(op, windows, tuple(sorted(options.items())), indices, 2 if indices else 1)
        if known is None:
            continue
        shape = [random.choice((1, 2, 4, 8)), random.choice((1, 3, 4, 8)), *(w.size for w in windows)]
        call = Call(op, attributes | options, [("f", shape)], ["y", "indices"] if indices else ["y"])
        call.text = f"{op} {shape} {call.attributes}{' with indices' if indices else ''}"
        outs = range(len(call.outputs))
        call.known = known + [
            Known(role, [frozenset({("in", 0, dim)} | {("out", o, dim) for o in outs})], shape[dim])
            for dim, (role, cuts) in enumerate(known_of_pool(op, indices).items())
            if shape[dim] > 1 and cuts
        ]
        count -= 1
        yield call
