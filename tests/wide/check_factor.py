# SPDX-License-Identifier: Apache-2.0
"""One factor of one call: all readings of the rule's text that its words leave open, and the pieces of every rank under a reading."""

import dataclasses
import itertools
import math

import numpy as np

import check_text

MOST_READINGS = 5000


class NotCheckable(Exception):
    """args[0]: the form, as it is counted."""


@dataclasses.dataclass
class Reading:
    """What the text says, with what it leaves open decided.

    moves: {place: what an integer of the call does}; a place is (input, entry) or (attribute, entry). widths: {(side, tensor): (before, behind)}.
    """

    sizes: dict
    moves: dict
    widths: dict
    spare: bool = True
    from_end: bool = True
    folds: dict = dataclasses.field(default_factory=dict)  # output -> operations that still fit


def aligned(rule, call):
    """Index of the input that each bracket of the rule stands for."""
    present = [at for at, one in enumerate(call.inputs) if one is not None and one.value is None]
    # Constants whose values the report does not tell have no bracket.
    late = {"Resize": (1, 2), "Dropout": (2,), "Clip": ()}.get(call.op, ())
    options = []
    for chosen in itertools.combinations(present, len(rule.inputs)):
        if all(len(dims) == len(call.inputs[at].shape) for dims, at in zip(rule.inputs, chosen)):
            options.append((sum(at in late for at in chosen), chosen))
    if not options:
        # A small constant that is no integer of a size has a bracket too.
        present = [at for at, one in enumerate(call.inputs) if one is not None]
        for chosen in itertools.combinations(present, len(rule.inputs)):
            if all(len(dims) == len(call.inputs[at].shape) for dims, at in zip(rule.inputs, chosen)):
                options.append((0, chosen))
    if not options:
        raise NotCheckable("brackets do not fit the inputs")
    return min(options)[1]


def literals_of(call, tensors):
    """{place: value} of all integers of the call."""
    found = {}
    for at, one in enumerate(call.inputs):
        if one is not None and one.value is not None and at not in tensors and one.dtype in ("i64", "i32"):
            found.update({(at, entry): int(value) for entry, value in enumerate(one.value)})
    for name, value in call.attributes.items():
        if isinstance(value, int) and not isinstance(value, bool):
            found[(name, None)] = value
        elif isinstance(value, list) and value and all(isinstance(one, int) for one in value):
            found.update({(name, entry): one for entry, one in enumerate(value)})
    return found


class Factor:
    def __init__(self, call, rule, name):
        self.call, self.rule, self.name = call, rule, name
        self.letters = name.split("+")
        self.tensors = aligned(rule, call)
        self.inputs = {at: dims for dims, at in zip(rule.inputs, self.tensors)}
        self.in_shapes = [call.inputs[at].shape for at in self.tensors]
        self.out_shapes = [one.shape for one in call.outputs]
        self.windows = check_text.windows_of(rule, self.in_shapes, self.out_shapes)
        self.window = self.letters[0] if self.letters[0] in self.windows else None
        self.literals = literals_of(call, self.tensors)
        self.operations = rule.reduction.get(name) or []
        self.offsets = rule.off.get(name, [])
        self.counted, self.shifts = [], []  # inputs of indices, with a column or without; integers, with a step
        for operand, step in self.offsets:
            owner, _, entry = operand.partition(".")
            if owner.isdigit() and int(owner) in self.tensors:
                if step != -1:
                    raise check_text.Unreadable("indices are counted from the start of a piece, not past it")
                self.counted.append((int(owner), int(entry) if entry else None))
            else:
                self.shifts.append((self.place_of(operand), step))
        self.partial = rule.partial.get(name, []) or rule.partial.get(self.letters[0], [])

    def place_of(self, operand):
        """The integer that `1`, `1.0`, `k` or `start.0` names."""
        owner, _, entry = operand.partition(".")
        owner = int(owner) if owner.isdigit() else owner
        entry = int(entry) if entry else 0
        for place in ((owner, entry), (owner, None)):
            if place in self.literals:
                return place
        if not isinstance(owner, int):
            return (owner, None)  # an attribute that the call leaves at 0
        raise NotCheckable("an integer that is shifted is not told")

    def may_be_in_any_order(self):
        rule, letter = self.rule, self.letters[0]
        return len(self.letters) == 1 and not (letter in rule.row or self.offsets or self.window)

    # --- readings

    def readings(self):
        found = []
        for sizes in check_text.solve_sizes(self.rule, self.in_shapes, self.out_shapes, self.windows):
            if any(letter not in sizes for letter in self.letters):
                continue
            for moves, widths in itertools.product(self.all_moves(sizes), self.all_widths()):
                for spare in (True, False) if self.counts() else (False,):
                    for from_end in (True, False) if self.counts() else (True,):
                        found.append(Reading(sizes, moves, widths, spare, from_end))
                if len(found) > MOST_READINGS:
                    return found
        return found

    def counts(self):
        return bool(self.counted) or bool(self.shifts)

    def all_moves(self, sizes):
        """Every way in which the integers of the call may follow the piece."""
        options = {place: [("shift", step), ("shift end", step), ("index",)] if step == -1 else [("shift", step), ("shift end", step)]
                   for place, step in self.shifts}
        options.update({self.place_of(operand): [("within",)] for operand in self.rule.within.get(self.window, [])})
        follow = [letter for letter in self.letters if letter in self.rule.attr]
        for place, value in self.literals.items():
            if place in options:
                continue
            if self.window:
                ways = self.window_moves(place, value, bool(follow))
            else:
                ways = self.plain_moves(value, follow, sizes)
            if len(ways) > 1:
                options[place] = ways
        found = []
        for chosen in itertools.product(*options.values()):
            # An integer or two follow the size of a window's piece.
            if sum(way[0] == "follow" for way in chosen) <= 2:
                found.append(dict(zip(options, chosen)))
            if len(found) >= MOST_READINGS:
                break
        return found

    def plain_moves(self, value, follow, sizes):
        ways = [("scale", letter) for letter in follow if value > 0 and value % sizes[letter] == 0]
        ways.sort(key=lambda way: sizes[way[1]] != value)
        if len(follow) > 1 and value == sum(sizes[letter] for letter in follow):
            ways.insert(0, ("sum",))
        # A size of the call that is the letter's own most likely follows it.
        return [*ways, ("keep",)] if any(sizes[letter] > 1 for letter in follow) else [("keep",)]

    def window_moves(self, place, value, follows):
        owner, entry = place
        if owner == "ceil_mode":  # padding at the end, as much as the last window needs
            return [("keep",), ("last",)] if value else [("keep",)]
        axis = self.pad_of(place)
        if axis is not None and value != 0:
            return [("first",), ("keep",)] if axis[1] == "begin" else [("last",), ("keep",)]
        if follows and abs(value) < 2**31 and (isinstance(owner, int) or entry is not None):
            return [("follow", step) for step in sorted({1, self.out_unit()})] + [("keep",), ("follow", -1)]
        return [("keep",)]

    def out_unit(self):
        """Elements of an output that one group of the window makes."""
        for dims in self.rule.outputs:
            for dim in dims:
                place = dim.place(self.letters)
                if place is not None and all(isinstance(part, int) for part in dim.parts[place + 1 :]):
                    return math.prod(dim.parts[place + 1 :])
        return 1

    def pad_of(self, place):
        """(dim, end) if this integer is padding of the window's dim, by the ONNX specification."""
        owner, entry = place
        call, rank = self.call, len(self.in_shapes[0])
        dims = {at for at, dim in enumerate(self.inputs[self.tensors[0]]) if dim.place(self.letters) is not None}
        if owner == "pads" or owner == "output_padding":
            spatial = rank - 2
            dim, end = 2 + entry % spatial, "end" if entry >= spatial or owner == "output_padding" else "begin"
            if call.op == "Col2Im":
                return None
        elif call.op == "Pad" and owner == 1:
            count = len(call.inputs[1].value)
            axes = call.inputs[3].value if len(call.inputs) > 3 and call.inputs[3] is not None else list(range(rank))
            dim, end = axes[entry % (count // 2)] % rank, "begin" if entry < count // 2 else "end"
        else:
            return None
        return (dim, end) if dim in dims else None

    def all_widths(self):
        """Every way to share the widths that the text names among the tensors that the window slides over."""
        if not self.window:
            return [{}]
        options = {}
        for side, held, clause in (("in", self.inputs.items(), self.rule.halo), ("out", enumerate(self.rule.outputs), self.rule.crop)):
            widths = clause.get(self.window, [])
            holding = [at for at, dims in held if any(dim.place(self.letters) is not None for dim in dims)]
            for at in holding:
                options[(side, at)] = [*widths, (0, 0)] if len(holding) > 1 or not widths else widths
        return [dict(zip(options, chosen)) for chosen in itertools.product(*options.values())]

    # --- pieces

    def groups(self, reading):
        return min(reading.sizes[letter] for letter in self.letters)

    def pieces(self, reading, ranks, how, rng):
        """{letter: groups of every rank}: balanced runs, or drawn at random."""
        pieces = {}
        for letter in self.letters:
            size = reading.sizes[letter]
            if how == "any order":
                order = rng.permutation(size)
                owner = np.concatenate([np.arange(ranks), rng.integers(0, ranks, size - ranks)])
                pieces[letter] = [np.sort(order[owner == rank]) for rank in range(ranks)]
                continue
            bounds = [rank * (size // ranks) + min(rank, size % ranks) for rank in range(ranks + 1)]
            pieces[letter] = [np.arange(bounds[rank], bounds[rank + 1]) for rank in range(ranks)]
        return pieces

    def held(self, dim, size, reading, own, side, at, halo=True):
        """Indices that a rank holds of a dim under the factor; own: its groups by letter."""
        place = dim.place(self.letters)
        if place is None:
            return np.arange(size)
        before = math.prod(check_text.Dim.part_size(part, reading.sizes) for part in dim.parts[:place])
        unit = unit_of(dim, place, reading.sizes)
        if self.window:
            return self.slid(unit, size, reading, own, side, at, halo)
        indices, offset = [], 0
        for _ in range(before):
            for own_unit, letter in dim.parts[place]:
                groups = own[letter] if letter in own else np.arange(reading.sizes[letter])
                step = unit * own_unit
                indices.append((offset + groups[:, None] * step + np.arange(step)[None, :]).ravel())
                offset += reading.sizes[letter] * step
        return np.concatenate(indices)

    def slid(self, unit, size, reading, own, side, at, halo):
        groups = own[self.window]
        low, high = reading.widths[(side, at)] if halo else (0, 0)
        begin, end = groups[0] * unit - low, (groups[-1] + 1) * unit + high
        if self.window in self.rule.around:
            return np.arange(begin, end) % size
        if side == "in" and self.window in self.rule.mirror:
            begin, end = size - end, size - begin
        return np.arange(max(begin, 0), min(end, size))

    def fits(self, reading, pieces, ranks):
        """Whether pieces are large enough: none empty, no halo wider than a piece, none beyond the ends but at the ends (metair/spmd/sharding.h)."""
        if any(len(own) == 0 for letter in self.letters for own in pieces[letter]):
            return False
        for (side, at), (low, high) in reading.widths.items():
            dims, shape = (self.inputs[at], self.call.inputs[at].shape) if side == "in" else (self.rule.outputs[at], self.call.outputs[at].shape)
            for dim, size in zip(dims, shape):
                place = dim.place(self.letters)
                if place is not None and not self.run_fits(unit_of(dim, place, reading.sizes), size, pieces[self.window], (low, high), side):
                    return False
        return True

    def run_fits(self, unit, size, owned, width, side):
        low, high = width
        runs = [(own[0] * unit, (own[-1] + 1) * unit) for own in owned]
        if max(low, high) > runs[-1][1] - runs[-1][0]:
            return False
        if self.window in self.rule.around and (low, high) != (0, 0):
            return all(end - begin + low + high <= size for begin, end in runs)
        if (low, high) != (0, 0) and (any(begin < low for begin, _ in runs[1:]) or any(end + high > size for _, end in runs[:-1])):
            return False
        return all(max(begin - low, 0) < min(end + high, size) for begin, end in runs)

    def own_integers(self, reading, pieces, rank, ranks):
        """(attributes, {input: array}) of a rank's call."""
        attributes, values = dict(self.call.attributes), {}
        for place, move in reading.moves.items():
            if move[0] == "keep":
                continue
            value = self.moved(self.literals.get(place, 0), move, reading, pieces, rank, ranks)
            owner, entry = place
            if isinstance(owner, int):
                values.setdefault(owner, self.call.inputs[owner].array().copy()).reshape(-1)[entry] = value
            elif entry is None:
                attributes[owner] = value
            else:
                attributes[owner] = [value if at == entry else one for at, one in enumerate(attributes[owner])]
        return attributes, values

    def moved(self, value, move, reading, pieces, rank, ranks):
        kind = move[0]
        letter = self.letters[0]
        own, size = pieces[letter][rank], reading.sizes[letter]
        if kind == "scale":
            own, size = pieces[move[1]][rank], reading.sizes[move[1]]
            return value // size * (len(own) + (1 if reading.spare and value == size and self.counted else 0))
        if kind == "sum":
            return sum(len(pieces[one][rank]) for one in self.letters)
        if kind == "first":
            return value if rank == 0 else 0
        if kind == "last":
            return value if rank == ranks - 1 else 0
        if kind in ("follow", "within"):
            held, whole = self.window_piece(reading, pieces, rank)
            if kind == "within":  # a place in the dim, counted from the start of the piece, no further than its ends
                value = min(max(value + whole if value < 0 else value, 0), whole)
                return min(max(value - int(held[0]), 0), len(held))
            return value + move[1] * (len(held) - whole)
        unit = self.shift_unit(reading)
        begin, end, whole = int(own[0]) * unit, (int(own[-1]) + 1) * unit, size * unit
        if kind == "index":
            return int(counted_from(np.array([value]), begin, end - begin, whole if reading.from_end else 0)[0])
        return value + move[1] * (begin if kind == "shift" else end - whole)

    def shift_unit(self, reading):
        """Elements of a group, in the dim that an integer or an index points into."""
        for at, dims in [*self.inputs.items(), *((at, dims) for at, dims in enumerate(self.rule.outputs))]:
            for dim in dims:
                place = dim.place(self.letters)
                if place is not None:
                    return unit_of(dim, place, reading.sizes)
        return 1

    def window_piece(self, reading, pieces, rank):
        """Of the window's dim of the first input: what the rank holds, and the whole size."""
        for at, dims in self.inputs.items():
            for dim, size in zip(dims, self.call.inputs[at].shape):
                if dim.place(self.letters) is not None:
                    own = {letter: pieces[letter][rank] for letter in self.letters}
                    return self.held(dim, size, reading, own, "in", at), size
        return [], 0


def unit_of(dim, place, sizes):
    """Elements of a group of the part at `place`."""
    return math.prod(check_text.Dim.part_size(part, sizes) for part in dim.parts[place + 1 :])


def counted_from(indices, begin, count, whole):
    """Indices counted from the start of a piece; those outside of it point at the element behind it."""
    at = np.where((indices < 0) & (whole > 0), indices + whole, indices)
    at = np.where((indices < 0) & (whole == 0), -1, at) - begin
    return np.where((at < 0) | (at >= count), count, at).astype(indices.dtype)
