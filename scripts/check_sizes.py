# SPDX-License-Identifier: Apache-2.0
"""Files of at most 800 lines (headers 250), functions of at most 80 lines and 6 parameters, no utils.h or common.h.

Functions are found by their braces, without a compiler: text before a `{` at namespace or class level that holds a parameter list is
a function's head, and what stands in its body is its own. In headers, declarations count too.
"""

import os
import re

import source_tree

FILE_LINES = 800
HEADER_LINES = 250
FUNCTION_LINES = 80
PARAMETERS = 6
BAD_NAMES = re.compile(r"(^|/)(utils?|common|misc|helpers?)\.(h|cc)$")

_NOT_A_NAME = {"alignas", "decltype", "explicit", "noexcept", "requires", "__attribute__", "if", "while", "for", "switch"}
_TYPE = re.compile(r"^(typedef\s+)?(class|struct|union|enum)\b")
_MEMBER_INIT = re.compile(r"\)[\s\w]*:(?!:)(.*,)?\s*[\w:]+(<.*>)?\s*$", re.DOTALL)
_NAMESPACE = re.compile(r'\bnamespace\b|\bextern\s*"\s*"\s*$')


def without_directives(text):
    """Text with preprocessor lines, continued ones too, turned to spaces."""
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.MULTILINE)


def closing(text, start):
    """Offset of the bracket that closes the one at start, or len(text)."""
    depth = 0
    for offset in range(start, len(text)):
        if text[offset] in "([{":
            depth += 1
        elif text[offset] in ")]}":
            depth -= 1
            if depth == 0:
                return offset
    return len(text)


def bare(head):
    """A head without what may stand before it: access labels, attributes, template parameters."""
    while True:
        head = head.lstrip()
        label = re.match(r"(public|private|protected)\s*:(?!:)|\[\[[^\]]*\]\]", head)
        if label:
            head = head[label.end() :]
        elif re.match(r"template\s*<", head):
            head = head[closing_angle(head, head.index("<")) + 1 :]
        else:
            return head


def closing_angle(text, start):
    """Offset of the `>` that closes the `<` at start, or len(text)."""
    depth = 0
    for offset in range(start, len(text)):
        depth += {"<": 1, ">": -1}.get(text[offset], 0)
        if depth == 0:
            return offset
    return len(text)


def parameter_list(head):
    """The text between the parentheses of a function's bare head, or None if it has none."""
    head = re.sub(r"\boperator\s*\(\s*\)", "operator_call", head)
    for match in re.finditer(r"([A-Za-z_0-9>\]]+|operator\s*\W{1,3})\s*\(", head):
        if match.group(1) in _NOT_A_NAME:
            continue
        if re.search(r"(?<![=!<>])=(?!=)", head[: match.start()]) and not re.search(r"\[[^\]]*\]\s*$", head[: match.end() - 1]):
            return None  # an initialiser, not a head
        return head[match.end() : closing(head, match.end() - 1)]
    return None


def parameters(listed):
    """How many parameters a parameter list holds."""
    if listed.strip() in ("", "void"):
        return 0
    depth = count = 0
    for char in listed.replace("->", "  ").replace("<=", "  ").replace(">=", "  "):
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        elif char == "," and depth == 0:
            count += 1
    return count + 1


def functions(text, declarations):
    """Yields (offset of the head, offset of the end, parameters); declarations too if asked."""
    text = without_directives(source_tree.blank(text))
    start = offset = 0
    while offset < len(text):
        char = text[offset]
        if char == "(":
            offset = closing(text, offset)
        elif char in "{};":
            head = bare(text[start:offset])
            if char == "{" and _MEMBER_INIT.search(head):  # A(int a) : a_{a} {
                offset = closing(text, offset) + 1
                continue
            kind = "scope" if _TYPE.match(head) or _NAMESPACE.search(head) else "function"
            listed = parameter_list(head) if kind == "function" else None
            end = closing(text, offset) if char == "{" and kind == "function" else offset
            if listed is not None and (char == "{" or (char == ";" and declarations)):
                yield offset - len(head), end, parameters(listed)
            offset = end
            start = offset + 1
        offset += 1


def check_functions(path, text):
    problems = []
    for start, end, count in functions(text, declarations=path.endswith(".h")):
        line = source_tree.line_of(text, start)
        lines = source_tree.line_of(text, end) - line + 1
        if lines > FUNCTION_LINES:
            problems.append(f"{path}:{line}: function of {lines} lines (limit {FUNCTION_LINES})")
        if count > PARAMETERS:
            problems.append(f"{path}:{line}: {count} parameters (limit {PARAMETERS}): pass a struct")
    return problems


def check(root):
    problems = []
    for path in source_tree.files(root, (".cc", ".h", ".cu", ".cuh")):
        text = source_tree.read(root, path)
        lines = text.count("\n")
        limit = HEADER_LINES if path.endswith((".h", ".cuh")) else FILE_LINES
        if lines > limit:
            problems.append(f"{path}:1: {lines} lines (limit {limit})")
        if BAD_NAMES.search(path):
            problems.append(f"{path}:1: {os.path.basename(path)} says nothing; name the one thing it holds")
        problems += check_functions(path, text)
    return problems


if __name__ == "__main__":
    source_tree.run(check, __doc__)
