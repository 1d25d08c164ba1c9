#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No two files define one type name in one namespace: a linker may merge their members, and the program runs one for the other.

Types in namespaces without a name belong to their file and do not count, nor do those inside functions. Aliases count: two headers that give
one name two meanings cannot be included together. tests/ is one program for every folder of it, so each folder is held against the product.
"""

import collections
import os
import re

import source_tree

_WORD = re.compile(
    r"(?P<namespace>\b(?:inline\s+)?namespace\b\s*(?P<path>[\w:]*)\s*\{)"
    r"|(?P<type>\b(?:enum\s+class|enum\s+struct|enum|class|struct|union)\s+(?:alignas\([^)]*\)\s*|\[\[[^\]]*\]\]\s*)*(?P<name>\w+)\s*"
    r"(?:final\s*)?(?::(?!:)[^;{}]*)?\{)"
    r"|(?P<alias>\busing\s+(?P<given>\w+)\s*=)"
    r"|(?P<open>\{)|(?P<close>\})"
)
_TEMPLATE = re.compile(r"\btemplate\s*<>\s*$")


def definitions(text):
    """(namespace, name, line) of every type that is visible outside its file."""
    found = []
    scopes = []  # the name of a namespace ("" without one); None for any other brace
    text = source_tree.blank(text)
    for match in _WORD.finditer(text):
        visible = all(scopes)
        if match["namespace"]:
            scopes.append(match["path"])
            continue
        if match["close"]:
            if scopes:
                scopes.pop()
            continue
        name = match["name"] or match["given"]
        if name and visible and not _TEMPLATE.search(text[max(0, match.start() - 20) : match.start()]):
            found.append(("::".join(scopes), name, source_tree.line_of(text, match.start())))
        if not match["alias"]:
            scopes.append(None)
    return found


def program(path):
    """The product is one program, every folder of tests is linked with it alone."""
    return os.path.dirname(path) if path.startswith("tests/") else ""


def check(root):
    places = collections.defaultdict(list)  # of (namespace, name)
    for path in source_tree.files(root, (".cc", ".h", ".cu", ".cuh")):
        for namespace, name, line in definitions(source_tree.read(root, path)):
            places[namespace, name].append((path, line))
    problems = []
    for (namespace, name), where in sorted(places.items()):
        for at, (path, line) in enumerate(where):
            others = [f"{other}:{number}" for other, number in where[:at] if program(other) in ("", program(path)) or program(path) == ""]
            if others:
                problems.append(f"{path}:{line}: {namespace}::{name} is defined in {', '.join(others)} too: give one its own name or namespace")
    return problems


if __name__ == "__main__":
    source_tree.run(check, __doc__.split("\n", maxsplit=1)[0])
