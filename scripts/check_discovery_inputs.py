# SPDX-License-Identifier: Apache-2.0
"""docs/discovery.md lists all that discovery reads of an operator.

Every member of the structs in metair/ops/op_def.h stands there once: in the table under "## What is read", or in the list under "## What is not
read". What planner/rules reads must be in the table: a member of one of these structs, or a function of metair/ops that is given a call or a
definition. A struct of which nothing is read is named as a whole.

Types are followed through declarations, members and `auto`. A member of a name that nothing else has counts whatever it is read of.
"""

import re

import member_reads
import source_tree

DEFINITIONS = "metair/ops/op_def.h"
READER = "planner/rules/"
LIST = "docs/discovery.md"
READ = "## What is read"
NOT_READ = "## What is not read"

# Members that other types have too.
COMMON = {"attributes", "bounds", "bytes", "constant", "context", "dim", "distinct", "domain", "flops", "has", "high", "input", "inputs", "k", "kind",
          "low", "m", "n", "name", "op", "present", "rank", "regions", "shape", "step", "type", "view", "work"}  # fmt: skip

_NAMED = re.compile(r"`([\w:]+)(?:\(\))?`")


def functions(root):
    """Names of functions of metair/ops that are given a call or a definition."""
    found = set()
    for path in source_tree.files(root, ".h"):
        if path.startswith("metair/ops/"):
            text = source_tree.blank(source_tree.read(root, path))
            found |= {match.group(1) for match in re.finditer(r"^\w[^(\n]*\b([A-Z]\w+)\((?=[^;{)]*\b(?:OpCall|OpDef)\b)", text, re.MULTILINE)}
    return found


def sections(text):
    """Names in backticks: those in the first cells of the table of what is read, and those of what is not."""
    parts = {}
    for part in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        parts[part.split("\n", 1)[0]] = part
    rows = [line.split("|")[1] for line in parts.get(READ, "").split("\n") if line.startswith("| `")]
    return set(_NAMED.findall(" ".join(rows))), set(_NAMED.findall(parts.get(NOT_READ, "")))


def check_list(structs, listed, unread):
    problems = [f"{LIST}:1: {name} is said to be read, and not to be" for name in sorted(listed & unread)]
    for struct, members in structs.items():
        if struct in unread or struct.split("::", maxsplit=1)[0] in unread:
            continue
        for member in members:
            if f"{struct}::{member}" not in listed | unread:
                problems.append(f"{LIST}:1: {struct}::{member} is in neither list: say what discovery reads it for, or that it does not")
    known = {f"{struct}::{member}" for struct, members in structs.items() for member in members} | set(structs)
    for name in sorted(listed | unread):
        if "::" in name and name not in known:
            problems.append(f"{LIST}:1: {DEFINITIONS} has no {name}")
    return problems


def check(root):
    structs = member_reads.structs_of(source_tree.blank(source_tree.read(root, DEFINITIONS)))
    listed, unread = sections(source_tree.read(root, LIST))
    if "OpDef" not in structs or not listed:
        return [f"{LIST}:1: expected a table under '{READ}' and OpDef in {DEFINITIONS}"]
    problems = check_list(structs, listed, unread)
    reads = member_reads.Reads(structs, COMMON)
    texts = {path: source_tree.blank(source_tree.read(root, path)) for path in source_tree.files(root, (".h", ".cc")) if path.startswith(READER)}
    shared = {}
    for path, text in texts.items():
        if path.endswith(".h"):
            shared.update(reads.names(text))
    own = set(re.findall(r"\b\w+::([A-Z]\w+)\(", "\n".join(texts.values())))  # members of the reader's own classes
    given = functions(root) - own
    for path, text in texts.items():
        found = reads.of(text, shared)
        found += [(match.start(), match.group(1)) for match in re.finditer(r"\b([A-Z]\w+)\(", text) if match.group(1) in given]
        for name in sorted({name for _, name in found} - listed):
            line = source_tree.line_of(text, min(at for at, one in found if one == name))
            problems.append(f"{path}:{line}: reads {name}: {LIST} must say what for, and why it is no rule")
    return problems


if __name__ == "__main__":
    source_tree.run(check, __doc__)
