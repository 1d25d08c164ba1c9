# SPDX-License-Identifier: Apache-2.0
"""What C++ text reads of some structs: types followed through declarations, members and `auto`, without a compiler."""

import re

_STRUCT = re.compile(r"\bstruct (\w+) \{")
_POINTER = re.compile(r"\(\*(\w+)\)\s*\(")
_METHOD = re.compile(r"\b(\w+)\([^()]*\)\s*const\s*[;{]")
_DATA = re.compile(r"([\w:<>,*&\s]+?)[\s*&](\w+)\s*(?:=[^;]*)?;")
_AUTO = re.compile(r"\bauto\b[&*\s]*(\w+)\s*(?:=|:)\s*([^;]*)")
_CHAIN = re.compile(r"(\w+)((?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]|(?:\.|->)\w+)*)")
_LINK = re.compile(r"(?:\.|->)(\w+)")


def block(text, begin):
    """The end of the braces that open at `begin`."""
    depth = 0
    for at in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def structs_of(text, outer=""):
    """By qualified name of a struct: its members, each with the struct that it is or holds, or None."""
    found = {}
    rest = text
    for match in _STRUCT.finditer(text):
        if rest[match.start()] == " ":
            continue  # inside of another
        end = block(text, match.end() - 1)
        name = outer + match.group(1)
        found.update(structs_of(text[match.end() : end], name + "::"))
        own = text[match.end() : end]
        for inner in re.finditer(r"\b(?:struct|enum class) [^;{]*\{", own):
            stop = block(own, inner.end() - 1)
            own = own[: inner.start()] + " " * (stop - inner.start()) + own[stop:]
        found[name] = members_of(own)
        rest = rest[: match.start()] + " " * (end - match.start()) + rest[end:]
    return found


def members_of(body):
    members = {}
    for match in _POINTER.finditer(body):
        members[match.group(1)] = body[body.rfind(";", 0, match.start()) + 1 : match.start()]
    for match in _METHOD.finditer(body):
        members[match.group(1)] = body[body.rfind(";", 0, match.start()) + 1 : match.start()]
    flat = re.sub(r"[^;{}]*\(\*\w+\)\([^;]*;", "", body)
    for pattern in (r"\([^()]*\)", r"\{[^{}]*\}"):
        while re.search(pattern, flat):
            flat = re.sub(pattern, "", flat)
    for match in _DATA.finditer(flat):
        if match.group(2) != "const" and match.group(1).strip() != "return":
            members.setdefault(match.group(2), match.group(1))
    return members


class Reads:
    """What some files read of the structs."""

    def __init__(self, structs, common=None):
        """structs: as of structs_of. common: members that other types have too; one of another name counts whatever it is read of. None: all are."""
        self.structs = structs
        self.unique = {}
        for struct, members in structs.items():
            for member in members:
                if common is not None and member not in common:
                    self.unique.setdefault(member, []).append(struct)
        names = sorted(structs, key=len, reverse=True)
        self.declared = re.compile(rf"\b({'|'.join(names)})\b(?!::)[>\s&*]*(?:const\s)?\s*(\w+)")

    def held(self, scope, text):
        """The struct that a declared type is or holds."""
        for name in sorted(self.structs, key=len, reverse=True):
            short = name[len(scope) + 2 :] if scope and name.startswith(scope + "::") else name
            if re.search(rf"(?<![\w:]){short}\b(?!::)", text):
                return name
        return None

    def names(self, text):
        """The struct of every variable, member and function that the text declares."""
        return {match.group(2): match.group(1) for match in self.declared.finditer(text)}

    def walk(self, known, root, links, note=None):
        """The struct that a chain of members leads to; note(struct, member, end in links) for all on the way."""
        now = known.get(root)
        for link in _LINK.finditer(links):
            member = link.group(1)
            if member == "value":  # of a result
                continue
            if now is None or member not in self.structs[now]:
                now = known.get(member)
                continue
            if note:
                note(now, member, link.end())
            now = self.held(now, self.structs[now][member])
        return now

    def chains(self, text, known):
        """All that a file reads, in order: the struct, the member, and where the expression begins and ends."""
        known = {**known, **self.names(text)}
        for match in _AUTO.finditer(text):
            chain = _CHAIN.match(match.group(2).strip().lstrip("*&"))
            if chain:
                struct = self.walk(known, chain.group(1), chain.group(2))
                if struct:
                    known.setdefault(match.group(1), struct)
        found = []
        for start in re.finditer(r"(?<![\w.>])(?<!::)\w+", text):  # a chain may hold others, in its arguments
            chain = _CHAIN.match(text, start.start())

            def note(struct, member, end, chain=chain):
                found.append((struct, member, chain.start(), chain.start(2) + end))

            self.walk(known, chain.group(1), chain.group(2), note)
        return found

    def of(self, text, known):
        """Pairs (offset, struct::member) of what a file reads."""
        found = [(begin, f"{struct}::{member}") for struct, member, begin, _ in self.chains(text, known)]
        seen = {name.split("::")[-1] for _, name in found}
        for match in _LINK.finditer(text):
            if match.group(1) in self.unique and match.group(1) not in seen:
                found.append((match.start(), f"{self.unique[match.group(1)][0]}::{match.group(1)}"))
        return found

    def spans(self, text, known, wanted):
        """Where the file reads one of these members: (begin, end) of the expression."""
        return [(begin, end) for struct, member, begin, end in self.chains(text, known) if f"{struct}::{member}" in wanted]
