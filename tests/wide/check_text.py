# SPDX-License-Identifier: Apache-2.0
"""Reads a rule's one-line text, as docs/sharding.md describes it. Knows nothing else of the program."""

import dataclasses
import itertools
import math
import re

CLAUSE = re.compile(r" (\w+)=\{([^}]*)\}")
LETTER = re.compile(r"[a-z]\d*")
WINDOW_CLAUSES = ("halo", "crop", "mirror", "around", "within")


class Unreadable(Exception):
    pass


def split_outside(text, mark=","):
    """Parts of the text between marks that stand outside of brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(char, 0)
        if char == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part for part in parts if part]


def with_owner(items):
    """{letters: [what stands behind the colon, and items without a colon that follow]}."""
    found, owner = {}, None
    for item in items:
        if ":" in item:
            owner, item = item.split(":", 1)
            found.setdefault(owner, [])
        if owner is None:
            raise Unreadable(item)
        found[owner].append(item)
    return found


class Dim:
    """`_`, or a product of parts, outer to inner: an integer, or a sum of (unit, letter)."""

    def __init__(self, text):
        inside = text[1:-1] if text.startswith("(") else text
        self.parts = []
        for part in inside.split() if inside != "_" else []:
            if part.isdigit():
                self.parts.append(int(part))
                continue
            terms = []
            for term in part.split("+"):
                unit, _, letter = term.rpartition("*")
                if not LETTER.fullmatch(letter):
                    raise Unreadable(text)
                terms.append((int(unit or 1), letter))
            self.parts.append(terms)

    def letters(self):
        return [letter for part in self.parts if isinstance(part, list) for _, letter in part]

    def place(self, letters):
        """Index of the part that holds the factor, or None."""
        for at, part in enumerate(self.parts):
            if isinstance(part, list) and any(letter in letters for _, letter in part):
                return at
        return None

    @staticmethod
    def part_size(part, sizes):
        if isinstance(part, int):
            return part
        if any(letter not in sizes for _, letter in part):
            return None
        return sum(unit * sizes[letter] for unit, letter in part)

    def size(self, sizes):
        product = 1
        for part in self.parts:
            own = self.part_size(part, sizes)
            if own is None:
                return None
            product *= own
        return product


def dims_of(text):
    if not (text.startswith("[") and text.endswith("]")):
        raise Unreadable(text)
    return [Dim(one.strip()) for one in split_outside(text[1:-1])]


@dataclasses.dataclass
class Rule:
    text: str
    inputs: list  # of lists of Dim: of the inputs that are no integers of the call
    outputs: list
    clauses: dict  # name -> text inside the braces
    combine: dict  # letters -> what is exchanged, as text
    reduction: dict  # letters -> operations
    partial: dict  # letters -> inputs
    attr: set
    off: dict  # letters -> [(operand, sign and step)]
    within: dict  # letter -> operands
    halo: dict  # letter -> [(before, behind)]
    crop: dict
    mirror: set
    around: set
    row: set
    least: dict  # letter -> groups that every rank must have
    even: set
    dead: set
    passes: list  # (operation, inputs)


def parse(text):
    match = re.match(r"\((.*?)\)->\((.*?)\)(?= \w+=|$)", text)
    if not match:
        raise Unreadable(text)
    left, right = (split_outside(side) for side in match.groups())
    clauses = dict(CLAUSE.findall(text[match.end() :]))
    items = {name: split_outside(inside) for name, inside in clauses.items()}
    names = lambda clause: set(items.get(clause, []))
    pairs = lambda clause: {
        owner: [tuple(int(one) for one in item.split("/")) for item in widths] for owner, widths in with_owner(items.get(clause, [])).items()
    }
    passes = []
    for clause, operation in (("linear", "SUM"), ("max", "MAX"), ("min", "MIN")):
        passes += [(operation, tuple(int(one) for one in item.split("+"))) for item in items.get(clause, [])]
    least = {letter: int(groups) for letter, _, groups in (item.partition(":") for item in items.get("least", []))}
    partial = {}
    for item in items.get("partial", []):
        number, _, letter = item.partition(":")
        partial.setdefault(letter, []).append(int(number))
    off = {}
    for item in items.get("off", []):
        owner, operand = item.split(":", 1)
        shift = re.fullmatch(r"(.+?)([+-])(\d*)", operand)
        if not shift:
            raise Unreadable(item)
        off.setdefault(owner, []).append((shift.group(1), int(shift.group(2) + (shift.group(3) or "1"))))
    return Rule(text, [dims_of(one) for one in left], [dims_of(one) for one in right], clauses,
                {owner: ",".join(steps) for owner, steps in with_owner(items.get("combine", [])).items()}, reductions(items.get("reduction", [])),
                partial, names("attr"), off, with_owner(items.get("within", [])), pairs("halo"), pairs("crop"), names("mirror"), names("around"), names("row"), least, names("even"), names("dead"), passes)


def reductions(items):
    """`a,b:MAX` -> {a: [SUM], b: [MAX]}; an operation alone belongs to the letters before it."""
    found, owner = {}, None
    for item in items:
        name, _, operation = item.partition(":")
        if name.isupper():
            found[owner].append(name)
            continue
        owner = name
        found[owner] = [operation or "SUM"]
    return found


def solve_sizes(rule, input_shapes, output_shapes, windows):
    """[sizes of the letters]: what the shapes leave open is one of all divisors."""
    rows, known = [], window_groups(rule, output_shapes, windows)
    for side, shapes in ((rule.outputs, output_shapes), (rule.inputs, input_shapes)):
        for dims, shape in zip(side, shapes):
            for dim, size in zip(dims, shape):
                # What a window takes and makes need not be a multiple of its stride.
                if dim.parts and not set(dim.letters()) & windows:
                    rows.append((dim, size))
    return list(itertools.islice(solutions(rows, known), 64)) if known is not None else []


def window_groups(rule, output_shapes, windows):
    """{letter: groups} of the windows, the last of which may be cut short; None where outputs differ."""
    found = {}
    for dims, shape in zip(rule.outputs, output_shapes):
        for dim, size in zip(dims, shape):
            for letter in set(dim.letters()) & windows:
                unit = math.prod(part for part in dim.parts if isinstance(part, int))
                if found.setdefault(letter, -(-size // unit)) != -(-size // unit):
                    return None
    return found


def solutions(rows, sizes):
    sizes = dict(sizes)
    moved = True
    while moved:
        moved = False
        for dim, size in rows:
            open_letters = [letter for letter in dict.fromkeys(dim.letters()) if letter not in sizes]
            if len(open_letters) != 1:
                if not open_letters and dim.size(sizes) != size:
                    return
                continue
            value = solve_one(dim, size, sizes, open_letters[0])
            if value is None:
                return
            sizes[open_letters[0]] = value
            moved = True
    for dim, size in rows:
        free = [letter for letter in dim.letters() if letter not in sizes]
        if free:
            for guess in (n for n in range(1, size + 1) if size % n == 0):
                yield from solutions(rows, {**sizes, free[0]: guess})
            return
    yield sizes


def solve_one(dim, size, sizes, letter):
    known, unit_here = 1, 1
    rest = 0
    for part in dim.parts:
        if isinstance(part, list) and any(name == letter for _, name in part):
            unit_here = sum(unit for unit, name in part if name == letter)
            rest = sum(unit * sizes[name] for unit, name in part if name != letter)
        else:
            known *= Dim.part_size(part, sizes)
    if known == 0 or size % known:
        return None
    left = size // known - rest
    return left // unit_here if left > 0 and left % unit_here == 0 else None


def windows_of(rule, input_shapes, output_shapes):
    """Letters of windows: those with a halo, and those whose input is no multiple of the groups."""
    found = {letter for clause in WINDOW_CLAUSES for letter in (getattr(rule, clause))}
    for letter in {letter for dims in rule.inputs for dim in dims for letter in dim.letters()} - found:
        outs = [(dim, size) for dims, shape in zip(rule.outputs, output_shapes) for dim, size in zip(dims, shape) if dim.letters() == [letter]]
        ins = [(dim, size) for dims, shape in zip(rule.inputs, input_shapes) for dim, size in zip(dims, shape) if dim.letters() == [letter]]
        for dim, size in outs:
            unit = math.prod(part for part in dim.parts if isinstance(part, int))
            groups = -(-size // unit)
            if groups * unit != size or any(one.size({letter: groups}) != whole for one, whole in ins):
                found.add(letter)
    return found
