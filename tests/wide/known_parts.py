# SPDX-License-Identifier: Apache-2.0
"""Calls of Slice, Gather, LSTM, GRU and RNN for completeness.py, each with the cuts that are known of it."""

import functools
import itertools

import numpy
from known_calls import LEAST_WINDOWS, Call, Known, filled, known_list
from known_cuts import Search, bounds, execute, near, windows_suffice

FAR = 2**63 - 1

# --- Slice


def draw_range(random, size):
    """(start, end, step) of a part that is not empty."""
    while True:
        kind = random.randrange(8)
        step = random.choice((1, 1, 1, 1, 2, 3, 5))
        start, end = random.randrange(size), random.choice((FAR, 2**31 - 1, size, size + 5, random.randrange(1, size + 1)))
        if kind == 0:
            start, end = 0, random.randrange(1, size + 1)
        elif kind == 1:
            start, end = -random.randrange(1, size + 1), random.choice((FAR, size, 2**31 - 1))
        elif kind == 2:
            start, end = random.randrange(size), -random.randrange(1, size)
        elif kind == 3:
            start, end = -random.randrange(1, size + 1), -random.randrange(1, size)
        elif kind == 4:
            start, end, step = random.choice((size - 1, -1, FAR, random.randrange(size))), random.choice((-FAR, -size - 1, random.randrange(size))), -random.choice((1, 1, 2, 3))
        elif kind == 5:
            start, end, step = random.choice(((13, 77, 1), (1, 33, 1), (-32, FAR, 1), (0, 77, 1), (5, FAR, 4), (1, -1, 1)))
        if len(range(size)[slice(start, end, step)]) and range(size)[slice(start, end, step)] != range(size):
            return start, end, step


@functools.lru_cache(maxsize=None)
def slice_known(size, start, end, step):
    """(whether pieces suffice, number of results)."""
    data = numpy.arange(1, size + 1, dtype=numpy.float32)
    whole = data[slice(start, end, step)]
    if len(whole) < LEAST_WINDOWS:
        return False, len(whole)

    def local(begin, stop, way):
        return data[begin:stop][:: 1 if step > 0 else -1][way :: abs(step)]

    return windows_suffice(size, whole, local, lambda first, last: range(abs(step))), len(whole)


@functools.lru_cache(maxsize=None)
def known_beside_slice(rank, axes):
    """Dims that are not sliced and can be cut."""
    shape = [(5, 7, 3, 11)[dim] for dim in range(rank)]
    parts = [numpy.array([value] * len(axes)) for value in (0, 2)] + [numpy.array(axes), numpy.ones(len(axes), numpy.int64)]
    search = Search("Slice", {}, [filled("f", shape), *parts], literals=(1, 2, 3, 4))
    return [dim for dim in range(rank) if dim not in axes and any(("out", 0, dim) in cut for cut in search.cuts(shape[dim]))]


def slices(random, count):
    for _ in range(count):
        rank = random.choice((1, 2, 2, 3, 4))
        shape = [random.choice((1, 2, 3, 4, 8, 12, 33, 48, 64, 101, 128, 197)) for _ in range(rank)]
        shape[random.randrange(rank)] = random.choice((7, 8, 33, 64, 77, 96, 101, 128, 197, 1024))
        axes = [d for d in range(rank) if shape[d] > 2 and random.random() < 0.6] or [numpy.argmax(shape)]
        ranges = [draw_range(random, shape[d]) for d in axes]
        given = [int(d) - rank if random.random() < 0.3 else int(d) for d in axes]
        inputs = [("f", shape), *(numpy.array([one[at] for one in ranges]) for at in (0, 1)), numpy.array(given), numpy.array([one[2] for one in ranges])]
        if all(one[2] == 1 for one in ranges) and random.random() < 0.5:
            inputs.pop()
            if given == list(range(len(given))) and random.random() < 0.5:
                inputs.pop()
        text = f"Slice {shape} " + ", ".join(f"{axis}: {start}:{end}:{step}" for axis, (start, end, step) in zip(given, ranges))
        call = Call("Slice", {}, inputs, ["y"], text=text.replace(str(FAR), "end"))
        beside = known_beside_slice(rank, tuple(int(d) for d in axes))
        for dim, size in enumerate(shape):
            if dim not in axes:
                if size > 1 and dim in beside:
                    call.known.append(Known("other dim", [frozenset({("in", 0, dim), ("out", 0, dim)})], size))
                continue
            suffice, results = slice_known(size, *ranges[axes.index(dim)])
            if suffice and results >= LEAST_WINDOWS:
                call.known.append(Known("sliced dim", [frozenset({("in", 0, dim), ("out", 0, dim)})], results))
        yield call


# --- Gather


@functools.lru_cache(maxsize=None)
def known_of_gather(data_ones, index_ones, axis):
    """By place of the data or the indices."""
    primes = iter((5, 7, 3, 11, 4, 13, 17))
    shape = [1 if one else next(primes) for one in data_ones]
    index = [1 if one else next(primes) for one in index_ones]
    indices = numpy.random.default_rng(5).integers(-shape[axis], shape[axis], index)
    search = Search("Gather", {"axis": axis}, [filled("f", shape), indices], indices={1: (0, axis)})
    known = {}
    for tensor, sizes in enumerate((shape, index)):
        for dim, size in enumerate(sizes):
            if size > 1:
                role = "index" if tensor else "gathered dim" if dim == axis else "other dim"
                known[tensor, dim] = (role, search.cuts(size))
    return known


def gathers(random, count):
    for _ in range(count):
        rank = random.choice((1, 2, 2, 3, 4))
        shape = [random.choice((1, 2, 3, 4, 8, 12, 64)) for _ in range(rank)]
        axis = random.randrange(rank)
        shape[axis] = random.choice((2, 3, 5, 9, 12, 77, 128, 1000))
        index_shape = [random.choice((1, 2, 3, 4, 7, 16)) for _ in range(random.choice((0, 0, 1, 1, 2, 3)))]
        constant = random.random() < 0.6
        values = numpy.array([random.randrange(-shape[axis] if random.random() < 0.3 else 0, shape[axis]) for _ in range(int(numpy.prod(index_shape)))])
        indices = values.reshape(index_shape).astype(numpy.int64)
        given = axis - rank if random.random() < 0.4 else axis
        call = Call("Gather", {} if axis == 0 and random.random() < 0.5 else {"axis": given}, [("f", shape), indices if constant else ("i", index_shape)], ["y"])
        call.text = f"Gather {shape} axis {given}, index {index_shape}" + (f" = {values.tolist()[:6]}" if constant else "")
        known = known_of_gather(tuple(size == 1 for size in shape), tuple(size == 1 for size in index_shape), axis)
        for (tensor, dim), (role, choices) in known.items():
            if choices:
                call.known.append(Known(role, choices, (index_shape if tensor else shape)[dim]))
        yield call


# --- LSTM, GRU, RNN

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
FUNCTIONS = {
    "Sigmoid": lambda x: 1 / (1 + numpy.exp(-x)),
    "Tanh": numpy.tanh,
    "Relu": lambda x: numpy.maximum(x, 0),
    "Softsign": lambda x: x / (1 + abs(x)),
    "HardSigmoid": lambda x: numpy.clip(0.2 * x + 0.5, 0, 1),
}
DEFAULTS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}


def own_part(array, gates, span):
    """A piece of the hidden size inside of each gate, along dim 0."""
    return array.reshape(gates, -1, *array.shape[1:])[:, span[0] : span[1]]


class Layer:
    """One direction of a layer, on ranks that each make a piece of the hidden size or of a contraction, and exchange what a step needs."""

    def __init__(self, op, attributes, arrays):
        self.op, self.gates = op, GATES[op]
        self.functions = [FUNCTIONS[name] for name in attributes.get("activations", DEFAULTS[op])]
        self.clip, self.after = attributes.get("clip"), attributes.get("linear_before_reset", 0)
        self.x, self.w, self.r = arrays[0], arrays[1][0], arrays[2][0]
        self.hidden = self.r.shape[1]
        bias = numpy.zeros(2 * self.gates * self.hidden) if arrays[3] is None else arrays[3][0]
        self.bias_w, self.bias_r = bias.reshape(2, -1)
        self.lengths, self.peepholes = arrays[4], None
        batch = self.x.shape[1]
        self.h, self.c = ((numpy.zeros((batch, self.hidden)) if len(arrays) <= at or arrays[at] is None else arrays[at][0]) for at in (5, 6))
        if len(arrays) > 7 and arrays[7] is not None:
            self.peepholes = arrays[7][0]

    def cut(self, value):
        return value if self.clip is None else numpy.clip(value, -self.clip, self.clip)

    def summed(self, left, weight, spans):
        """A product whose inner dim is cut: a sum over the ranks."""
        return sum(left[:, a:b] @ weight[..., a:b].transpose(0, 2, 1) for a, b in spans)

    def step(self, x, h, c, hidden, inner_x, inner_h):
        """(h, c); each rank makes a piece of the hidden size, which all gather."""
        f = self.functions
        ranks = []
        for span in hidden:
            w, r = own_part(self.w, self.gates, span), own_part(self.r, self.gates, span)
            bw, br = own_part(self.bias_w, self.gates, span)[:, None], own_part(self.bias_r, self.gates, span)[:, None]
            ranks.append((span, self.summed(x, w, inner_x) + bw, r, br, own_part(self.peepholes, 3, span) if self.peepholes is not None else numpy.zeros((3, span[1] - span[0]))))
        new_h, new_c, reset = [], [], []
        for (a, b), from_x, r, br, _ in ranks:
            if self.op == "GRU":
                reset.append(f[0](self.cut(from_x[1] + self.summed(h, r[1:2], inner_h)[0] + br[1])))
        reset = numpy.concatenate(reset, 1) if reset else None  # gathered
        for (a, b), from_x, r, br, p in ranks:
            if self.op == "RNN":
                new_h.append(f[0](self.cut(from_x[0] + self.summed(h, r, inner_h)[0] + br[0])))
            elif self.op == "GRU":
                z = f[0](self.cut(from_x[0] + self.summed(h, r[0:1], inner_h)[0] + br[0]))
                own = reset[:, a:b] * (self.summed(h, r[2:3], inner_h)[0] + br[2]) if self.after else self.summed(reset * h, r[2:3], inner_h)[0] + br[2]
                new_h.append((1 - z) * f[1](self.cut(from_x[2] + own)) + z * h[:, a:b])
            else:
                gates = from_x + self.summed(h, r, inner_h) + br
                i, forget = f[0](self.cut(gates[0] + p[0] * c[:, a:b])), f[0](self.cut(gates[2] + p[2] * c[:, a:b]))
                new_c.append(forget * c[:, a:b] + i * f[1](self.cut(gates[3])))
                new_h.append(f[0](self.cut(gates[1] + p[1] * new_c[-1])) * f[2](new_c[-1]))
        return numpy.concatenate(new_h, 1), numpy.concatenate(new_c, 1) if new_c else c

    def run(self, hidden=1, inner_x=1, inner_h=1, sequence=1):
        """Y, cut in so many pieces. A rank of a sequence begins where the one before it ends."""
        h, c, made = self.h, self.c, []
        for start, stop in bounds(len(self.x), sequence):
            piece = self.x[start:stop]
            lengths = None if self.lengths is None else self.lengths - start
            for at, x in enumerate(piece):
                spans = bounds(self.hidden, hidden), bounds(x.shape[1], inner_x), bounds(self.hidden, inner_h)
                next_h, next_c = self.step(x, h, c, *spans)
                live = numpy.full((len(h), 1), True) if lengths is None else (at < lengths)[:, None]
                h, c = numpy.where(live, next_h, h), numpy.where(live, next_c, c)
                made.append(numpy.where(live, next_h, 0))
        return numpy.stack(made)


@functools.lru_cache(maxsize=None)
def known_of_layer(op, bias, lengths, states, peepholes, attributes, one_step):
    """Roles whose pieces make the whole, found by running."""
    steps, batch, inner, hidden = 1 if one_step else 4, 3, 5, 7
    random, gates = numpy.random.default_rng(7), GATES[op]
    draw = lambda *shape: random.normal(size=shape).astype(numpy.float32)  # noqa: E731
    arrays = [draw(steps, batch, inner), draw(1, gates * hidden, inner), draw(1, gates * hidden, hidden), draw(1, 2 * gates * hidden) if bias else None]
    arrays.append(numpy.array([steps, max(1, steps - 2), steps], numpy.int32) if lengths else None)
    arrays += [draw(1, batch, hidden) if states else None for _ in range(2 if op == "LSTM" else 1)]
    if op == "LSTM":
        arrays.append(draw(1, 3 * hidden) if peepholes else None)
    attributes = {name: list(value) if isinstance(value, tuple) else value for name, value in attributes} | {"hidden_size": hidden}
    while arrays[-1] is None:
        arrays.pop()
    whole = execute(op, attributes, arrays, "f")[0][:, 0]
    layer = Layer(op, attributes, arrays + [None] * (8 - len(arrays)))
    many = [None if one is None else numpy.repeat(one, 4, 0 if at == 4 else 1)[(slice(None),) * (at != 4) + (slice(11),)] if at in (0, 4, 5, 6) else one
            for at, one in enumerate(arrays)]
    many = [random.permuted(one, axis=1) if at in (0, 5, 6) and one is not None else one for at, one in enumerate(many)]
    known = {"batch"} if Search(op, attributes, many).cuts(11) else set()
    for role, cut in {"hidden": "hidden", "input": "inner_x", "recurrent": "inner_h", "sequence": "sequence"}.items():
        if not (role == "sequence" and one_step) and all(near(layer.run(**{cut: count}).astype(numpy.float32), whole) for count in (1, 2, 3)):
            known.add(role)
    pair = [one if one is None or at in (0, 4) else numpy.concatenate([one, one[:, ::-1]]) for at, one in enumerate(arrays)]
    if peers_make(op, attributes, pair):
        known.add("direction")
    return known


def peers_make(op, attributes, arrays):
    """Whether a layer of each direction makes what a layer of both does."""
    names = {"activations": attributes["activations"] * 2} if "activations" in attributes else {}
    whole = execute(op, attributes | names | {"direction": "bidirectional"}, arrays)[0]
    parts = []
    for at, direction in enumerate(("forward", "reverse")):
        own = [one if one is None or i in (0, 4) else one[at : at + 1].copy() for i, one in enumerate(arrays)]
        parts.append(execute(op, attributes | {"direction": direction}, own)[0])
    return near(numpy.concatenate(parts, 1), whole)


def places_of_layer(op, call, layout, roles):
    """{role: dims that it divides}, of dims that the call has."""
    step, batch = (1, 0) if layout else (0, 1)
    has = {at for at, one in enumerate(call.inputs) if one is not None}
    outs = {at for at, name in enumerate(call.outputs) if name}
    y_batch, y_step = (0, 1) if layout else (2, 0)
    state_batch = 0 if layout else 1
    last = {("out", 0, 3)} | {("out", at, 2) for at in outs - {0}}
    if 0 not in outs:
        last.discard(("out", 0, 3))
    places = {
        "batch": {("in", 0, batch)} | {("in", at, 0 if at == 4 else state_batch) for at in has & {4, 5, 6}} | {("out", at, state_batch if at else y_batch) for at in outs},
        "hidden": {("in", 1, 1)} | last,
        "gate rows": {("in", 2, 1)},
        "input": {("in", 0, 2), ("in", 1, 2)},
        "recurrent": {("in", 2, 2)},
        "sequence": {("in", 0, step)} | ({("out", 0, y_step)} if 0 in outs else set()),
    }
    for at, dim in ((3, 1), (7, 1)):
        if at in has:
            places["gate " + ("bias" if at == 3 else "peepholes")] = {("in", at, dim)}
    if 5 in has:
        places["initial state"] = {("in", 5, 2)}
    shown = {"hidden": {"hidden", "gate rows", "gate bias", "gate peepholes", "initial state"}}
    wanted = set().union(*(shown.get(role, {role}) for role in roles))
    return {role: dims for role, dims in places.items() if role in wanted}


def layer_attributes(random, op, both):
    attributes = {}
    if random.random() < 0.25:
        names = random.choice((["Sigmoid", "Softsign", "Tanh"], ["HardSigmoid", "Relu", "Softsign"], ["Tanh", "Tanh", "Tanh"]))[: len(DEFAULTS[op])]
        attributes["activations"] = names * (2 if both else 1)
    if random.random() < 0.25:
        attributes["clip"] = 1.5
    if op == "GRU" and random.random() < 0.5:
        attributes["linear_before_reset"] = 1
    return attributes


def layers(random, count):
    wanted = {op: [w for w in itertools.product((True, False), repeat=3 if op == "LSTM" else 2) if any(w)] for op in GATES}
    for _ in range(count):
        op = random.choice(list(GATES))
        layout, direction = random.choice((0, 0, 1)), random.choice(("forward", "forward", "reverse", "bidirectional"))
        directions = 2 if direction == "bidirectional" else 1
        steps, batch, inner, hidden = random.choice((1, 2, 5, 16, 24)), random.choice((1, 2, 4, 8)), random.choice((4, 6, 10)), random.choice((5, 8, 16))
        attributes = layer_attributes(random, op, directions == 2)
        bias, lengths, states, peepholes = (random.random() < share for share in (0.6, 0.3, 0.5, 0.4 if op == "LSTM" else 0))
        gates = GATES[op]
        order = (lambda a, b: [b, a]) if layout else (lambda a, b: [a, b])
        state = ("f", [*order(directions, batch), hidden])
        inputs = [("f", [*order(steps, batch), inner]), ("f", [directions, gates * hidden, inner]), ("f", [directions, gates * hidden, hidden])]
        inputs.append(("f", [directions, 2 * gates * hidden]) if bias else None)
        inputs.append(("n", [batch]) if lengths else None)
        inputs += [state if states else None] * (2 if op == "LSTM" else 1)
        inputs.append(("f", [directions, 3 * hidden]) if peepholes else None)
        while inputs[-1] is None:
            inputs.pop()
        outputs = [name if keep else "" for name, keep in zip(("y", "yh", "yc"), random.choice(wanted[op]))]
        written = attributes | {"hidden_size": hidden}
        if layout:
            written["layout"] = 1
        if direction != "forward" or random.random() < 0.3:
            written["direction"] = direction
        call = Call(op, written, inputs, outputs)
        given = {"bias": bias, "lengths": lengths, "states": states, "peepholes": peepholes}
        call.text = f"{op} steps {steps}, batch {batch}, input {inner}, hidden {hidden}, {written}, {[k for k, v in given.items() if v]} -> {[o for o in outputs if o]}"
        once = {name: tuple(value[: len(DEFAULTS[op])]) if isinstance(value, list) else value for name, value in attributes.items()}
        roles = known_of_layer(op, bias, lengths, states, peepholes, tuple(sorted(once.items())), steps == 1)
        sizes = {"batch": batch, "input": inner, "sequence": steps}
        for role, dims in places_of_layer(op, call, layout, roles).items():
            if sizes.get(role, hidden) > 1:
                call.known.append(Known(role, [frozenset(dims)], sizes.get(role, hidden)))
        if directions == 2 and "direction" in roles:
            call.known.append(Known("direction", [frozenset({("in", 1, 0)})], 2))
        yield call
