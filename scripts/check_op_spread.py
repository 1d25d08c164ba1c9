# SPDX-License-Identifier: Apache-2.0
"""One file names an operator, and no operator knows of sharding.

Operator names come from metair/ops/ops.def. Product code may not hold one as a whole string literal, as kName or as ops::Name outside
the places listed in exempt(). Many names are ordinary words (Max, Where, Split): kName of those in WORDS is not taken for an operator.
"""

import os
import re

import source_tree

TABLE = "metair/ops/ops.def"

# Names that also mean something else here: reductions, combines, kinds of a thing.
WORDS = {"Add", "And", "Concat", "Constant", "Gather", "Identity", "Max", "Mean", "Min", "Mul", "Not", "Or", "Range",
         "Scatter", "Shape", "Size", "Slice", "Split", "Sum", "Tile", "Unique", "Where", "Xor"}

# Files that use a name for a thing of their own.
ALSO = {"metair/spmd/collective.cc": {"Slice"}}  # the step that drops what a rank no longer needs, before it lowers to the operator

_LITERAL = re.compile(r'(?<![A-Za-z0-9_"])"([A-Za-z0-9]+)"')
_CONSTANT = re.compile(r"\b(?:k|ops::)([A-Z][A-Za-z0-9]*)\b")
_SHARD = re.compile(r"shard", re.IGNORECASE)


def flat(name):
    """File and operator names compare without case and underscores: MatMul is mat_mul."""
    return name.replace("_", "").lower()


def base(path):
    return flat(os.path.splitext(os.path.basename(path))[0])


def exempt(path, operators):
    """The operators that a file may name."""
    folder = os.path.dirname(path)
    if folder == "metair/ops":  # its own file; there, others in its gradient and decomposition
        return set(operators) if path == TABLE or base(path) in {flat(name) for name in operators} else set()
    if folder.startswith("metair/passes"):  # passes recognise patterns
        return set(operators)
    if path.startswith("importers/") and (re.search(r"adapt", path) or path.endswith("aten.def")):
        return set(operators)  # foreign names and older versions become ours
    if re.match(r"executor/[a-z]+(/|$)", folder):  # faster kernels of the same base name
        return {name for name in operators if flat(name) == base(path)}
    return ALSO.get(path, set())


def check_table(root, text, operators):
    problems = []
    for before, after in zip(operators, operators[1:]):
        if before >= after:
            problems.append(f"{TABLE}:1: {after} comes after {before}: lines are alphabetical, each once")
    bases = {base(path) for path in source_tree.files(root, ".cc") if os.path.dirname(path) == "metair/ops"}
    for name in operators:
        if flat(name) not in bases:
            line = source_tree.line_of(text, text.index(f"({name})"))
            problems.append(f"{TABLE}:{line}: {name} has no file of its name in metair/ops")
    return problems


def check_names(path, text, operators):
    allowed = exempt(path, operators)
    problems = []
    for pattern, words in ((_LITERAL, set()), (_CONSTANT, WORDS)):
        for match in pattern.finditer(text):
            name = match.group(1)
            by_word = name in words and match.group(0).startswith("k")
            if name in operators and name not in allowed and not by_word:
                line = source_tree.line_of(text, match.start())
                problems.append(f"{path}:{line}: names the operator {name} ({match.group(0)})")
    return problems


def check(root):
    if not os.path.isfile(os.path.join(root, TABLE)):
        return [f"{TABLE}:1: not found"]
    table = source_tree.blank(source_tree.read(root, TABLE), strings=False)
    operators = re.findall(r"^\s*[A-Z_]*OP\((\w+)\)", table, re.MULTILINE)
    if not operators:
        return [f"{TABLE}:1: holds no operator"]
    problems = check_table(root, table, operators)
    known = dict.fromkeys(operators)
    for path in source_tree.files(root, source_tree.CXX):
        if not path.startswith(tuple(folder + "/" for folder in source_tree.PRODUCT)):
            continue
        whole = source_tree.read(root, path)
        problems += check_names(path, source_tree.blank(whole, strings=False), known)
        if path.startswith("metair/ops/"):
            for match in _SHARD.finditer(whole):
                line = source_tree.line_of(whole, match.start())
                problems.append(f"{path}:{line}: speaks of sharding; rules are discovered by running the kernel")
    return problems


if __name__ == "__main__":
    source_tree.run(check, __doc__)
