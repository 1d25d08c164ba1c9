# SPDX-License-Identifier: Apache-2.0
"""Rules that are made wrong on purpose: the checker must see it."""

import re

import check_text


def clause(text, name):
    match = re.search(rf" {name}=\{{([^}}]*)\}}", text)
    return match.group(1) if match else None


def replaced(text, name, new):
    old = clause(text, name)
    return text.replace(f" {name}={{{old}}}", f" {name}={{{new}}}" if new else "")


def head_of(text):
    end = re.match(r"\(.*?\)->\(.*?\)(?= \w+=|$)", text).end()
    return text[:end], text[end:]


def swapped(text):
    """Two letters of one bracket exchanged, the others left as they are."""
    head, tail = head_of(text)
    for match in re.finditer(r"\[([a-z]),([a-z])([,\]])", head):
        yield head[: match.start()] + f"[{match.group(2)},{match.group(1)}{match.group(3)}" + head[match.end() :] + tail


def uncut(text):
    """An output that is cut is said to be whole."""
    head, tail = head_of(text)
    at = head.index("->")
    for match in re.finditer(r"(?<=[\[,])[a-z](?=[,\]])", head[at:]):
        yield head[: at + match.start()] + "_" + head[at + match.end() :] + tail


def shifted(text, name):
    for match in re.finditer(r"(-?\d+)/(-?\d+)", clause(text, name) or ""):
        before, behind = (int(one) for one in match.groups())
        inside = clause(text, name)
        for new in ((before - 1, behind), (before, behind - 1), (before + 1, behind - 1), (before - 1, behind + 1)):
            yield replaced(text, name, inside[: match.start()] + f"{new[0]}/{new[1]}" + inside[match.end() :])


def dropped(text, name):
    items = check_text.split_outside(clause(text, name) or "")
    for at in range(len(items)):
        yield replaced(text, name, ",".join(items[:at] + items[at + 1 :]))


def folded(text):
    """Another operation than the one that is right."""
    for old, new in (("MAX", "MIN"), ("MIN", "MAX"), ("PROD", "SUM")):
        inside = clause(text, "reduction") or ""
        if f":{old}" in inside:
            yield replaced(text, "reduction", inside.replace(old, new))
    inside = clause(text, "reduction")
    if inside and ":" not in inside:
        yield replaced(text, "reduction", ",".join(f"{one}:MAX" for one in inside.split(",")))


def claimed(text, inputs):
    """Sums pass through an input that does not let them."""
    held = clause(text, "linear") or ""
    alone = set(held.split(","))
    for at in inputs:
        if str(at) not in alone and not any(str(at) in one.split("+") for one in alone):
            yield replaced(text, "linear", f"{held},{at}") if held else text + f" linear={{{at}}}"


def turned(text):
    inside = clause(text, "off")
    if inside:
        yield replaced(text, "off", inside.replace("-", "*").replace("+", "-").replace("*", "+"))


def broken(text, floats):
    """(what was done, the altered text)."""
    ways = [("letters swapped", swapped(text)), ("an output whole", uncut(text)), ("halo shifted", shifted(text, "halo")),
            ("crop shifted", shifted(text, "crop")),
            ("reduction dropped", dropped(text, "reduction")), ("another reduction", folded(text)), ("partial dropped", dropped(text, "partial")),
            ("off dropped", dropped(text, "off")), ("off turned", turned(text)), ("mirror dropped", dropped(text, "mirror")),
            ("around dropped", dropped(text, "around")), ("attr dropped", dropped(text, "attr")), ("a pass claimed", claimed(text, floats))]
    return [(what, altered) for what, all_altered in ways for altered in all_altered if altered != text]
