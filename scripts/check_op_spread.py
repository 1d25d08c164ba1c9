# SPDX-License-Identifier: Apache-2.0
"""No rule and no special case for an operator outside its own files, and no operator knows of sharding.

A special case needs the operator's name. So:
  * Where product code may not name operators (see exempt()), none of ops.def is a string of its own, ops::Name, or a part of an identifier
    (kName, IsName, NameRule). The name of a node that is written (Add("Mul", ...) of a GraphBuilder, Apply("Mul", ...) of a Term) is none of these: it decides nothing.
  * Nothing decides by a name that it reads of a node or a definition (Node::op, OpDef::name): compares it, looks it up, takes it apart. Two nodes
    may be compared. DECIDES lists the files that look names up, and what they find.
  * Kernels name the operators that they implement: those of kernels.def.
Many names are ordinary words (Max, Where, Split); those in WORDS count as strings only.
"""

import os
import re

import member_reads
import source_tree

TABLE = "metair/ops/ops.def"
KERNELS = "executor/cpu/kernels.def"
NODE = "metair/ir/graph.h"
DEFINITION = "metair/ops/op_def.h"

# Names that also mean something else here: reductions, combines, kinds of a thing.
WORDS = {"Add", "And", "Cast", "Concat", "Constant", "Equal", "Expand", "Floor", "Gather", "Identity", "If", "Log", "Loop", "Max", "Mean", "Min", "Mul", "Not",
         "Or", "Pad", "Range", "Round", "Scan", "Scatter", "Shape", "Shrink", "Size", "Slice", "Split", "Sub", "Sum", "Tile", "Unique", "Where",
         "Xor"}  # fmt: skip

# Files that use a name for a thing of their own.
ALSO = {
    "metair/training/optimizers.cc": {"AdamW", "Sgd"},  # writes the nodes of updates
    "metair/spmd/collective.cc": {"Slice"},  # the step that drops what a rank no longer needs, before it lowers to the operator
    "planner/space/around.cc": {"LocalIndex"},  # writes the node that counts indices from the start of a rank's piece
}

# Files that look operators up by name, and what they find.
DECIDES = {
    "cli/rules.cc": "the operator of --op",
    "executor/cpu/kernels.cc": "its rows in kernels.def",
    "metair/ir/text_print.cc": "whether a name needs quotes",
    "metair/spmd/collective.cc": "the kind of a step of a program",
}

_LITERAL = re.compile(r'(?<![A-Za-z0-9_"])"([A-Za-z0-9]+)"')
_WRITTEN = re.compile(r"(?:(?:\.|->)(?:Add|AddAll|Fold)|\b(?:Apply|With))\(\s*$")
_FUNCTION = re.compile(r"\bops::([A-Z][A-Za-z0-9]*)\b")
_IDENTIFIER = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]*\b")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")
_COPY = re.compile(r"(?:std::string(?:_view)?|auto)[&\s]+(\w+)\s*(?:=|\{|\()\s*$")
_BEFORE = re.compile(r"(?:(?:==|!=)\s*|\b(?:at|compare|contains|count|find|Match\w*|Is[A-Z]\w*)\([^();]*|\[[{\s]*)$")
_AFTER = re.compile(r"\s*(?:(==|!=)\s*([^;&|?]*)|(?:\.|->)(?:at|compare|contains|ends_with|find|front|rfind|starts_with|substr)\(|\[)")
_SHARD = re.compile(r"shard", re.IGNORECASE)


def flat(name):
    """File and operator names compare without case and underscores: MatMul is mat_mul."""
    return name.replace("_", "").lower()


def base(path):
    return flat(os.path.splitext(os.path.basename(path))[0])


def recognises(path):
    """Passes recognise patterns; foreign names and older versions become ours."""
    return path.startswith("metair/passes/") or (path.startswith("importers/") and (re.search(r"adapt", path) is not None or path.endswith("aten.def")))


def exempt(path, operators, kernels):
    """The operators that a file may name."""
    folder = os.path.dirname(path)
    if folder == "metair/ops":  # its own file; there, others in its gradient and decomposition
        return set(operators) if path == TABLE or base(path) in {flat(name) for name in operators} else set()
    if recognises(path):
        return set(operators)
    if re.match(r"executor/[a-z]+(/|$)", folder):
        return kernels | {name for name in operators if flat(name) == base(path)}
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


def parts(identifier, operators):
    """The operators of which an identifier has the name as words of its own: IsSoftmax, kMatMulRows."""
    words = _CAMEL.findall(identifier)
    spans = [(i, j) for i in range(len(words)) for j in range(i + 1, len(words) + 1) if words[i][0].isupper() and "".join(words[i:j]) in operators]
    longest = [(i, j) for i, j in spans if not any(a <= i and j <= b and (a, b) != (i, j) for a, b in spans)]  # AdamW is not Adam
    return {"".join(words[i:j]) for i, j in longest} - WORDS


def check_names(path, text, operators, allowed):
    problems = []

    def add(name, match):
        if name in operators and name not in allowed:
            line = source_tree.line_of(text, match.start())
            problems.append(f"{path}:{line}: names the operator {name} ({match.group(0)})")

    for match in _LITERAL.finditer(text):
        if not _WRITTEN.search(text, 0, match.start()):
            add(match.group(1), match)
    for match in _FUNCTION.finditer(text):
        add(match.group(1), match)
    if not path.startswith(("metair/ops/", "importers/")):
        code = source_tree.blank(text)
        for match in _IDENTIFIER.finditer(code):
            if not code.endswith("ops::", 0, match.start()):
                for name in sorted(parts(match.group(0), operators)):
                    add(name, match)
    return problems


class Deciding:
    """Finds what is decided by an operator's name."""

    def __init__(self, root):
        structs = {}
        for path in (NODE, DEFINITION):
            if os.path.isfile(os.path.join(root, path)):
                structs.update(member_reads.structs_of(source_tree.blank(source_tree.read(root, path))))
        wanted = {name: members for name, members in structs.items() if name in ("Node", "Graph", "OpCall", "OpDef")}
        self.reads = member_reads.Reads(wanted) if wanted else None
        self.shared = {}  # by folder: what its headers declare

    def declare(self, path, text):
        if self.reads and path.endswith(".h"):
            self.shared.setdefault(os.path.dirname(path), {}).update(self.reads.names(text))

    def names_in(self, path, text):
        """Where the name of an operator is read: (begin, end)."""
        known = self.shared.get(os.path.dirname(path), {})
        found = set(self.reads.spans(text, known, {"Node::op", "OpDef::name"}))
        for begin, end in sorted(found):
            copy = _COPY.search(text, 0, begin)
            if copy:
                found |= {match.span() for match in re.compile(rf"\b{copy.group(1)}\b").finditer(text, end)}
        return found

    def check(self, path, text):
        if not self.reads or path in DECIDES or recognises(path):
            return []
        found = self.names_in(path, text)
        lines = set()
        for begin, end in found:
            after = _AFTER.match(text, end)
            other = after.group(2) if after else None
            if other is not None and re.search(r"(?:\.|->)op\s*\)*$", other.strip()):
                continue  # two nodes
            before = _BEFORE.search(text, 0, begin)
            if before and before.group(0)[0] in "=!" and re.search(r"(?:\.|->)op\s*$", text[: before.start()]):
                continue
            if after or before:
                lines.add(source_tree.line_of(text, begin))
        return [f"{path}:{line}: decides by an operator's name: say it by a property of the definition, or DECIDES names the file" for line in sorted(lines)]


def check(root):
    if not os.path.isfile(os.path.join(root, TABLE)):
        return [f"{TABLE}:1: not found"]
    table = source_tree.blank(source_tree.read(root, TABLE), strings=False)
    operators = re.findall(r"^\s*[A-Z_]*OP\((\w+)\)", table, re.MULTILINE)
    if not operators:
        return [f"{TABLE}:1: holds no operator"]
    problems = check_table(root, table, operators)
    known = dict.fromkeys(operators)
    kernels = set()
    if os.path.isfile(os.path.join(root, KERNELS)):
        kernels = set(re.findall(r"^KERNEL\((\w+),", source_tree.read(root, KERNELS), re.MULTILINE))
    product = tuple(folder + "/" for folder in source_tree.PRODUCT)
    texts = {path: source_tree.read(root, path) for path in source_tree.files(root, source_tree.CXX) if path.startswith(product)}
    code = {path: source_tree.blank(text) for path, text in texts.items()}
    deciding = Deciding(root)
    for path, text in code.items():
        deciding.declare(path, text)
    for path, whole in texts.items():
        problems += check_names(path, source_tree.blank(whole, strings=False), known, exempt(path, known, kernels))
        problems += deciding.check(path, code[path])
        if path.startswith("metair/ops/"):
            for match in _SHARD.finditer(whole):
                line = source_tree.line_of(whole, match.start())
                problems.append(f"{path}:{line}: speaks of sharding; rules are discovered by running the kernel")
    return problems


if __name__ == "__main__":
    source_tree.run(check, __doc__)
