# SPDX-License-Identifier: Apache-2.0
"""Who may include whom (docs/architecture.md): our own folders, their rooms, and each third-party header in its one place."""

import os
import re

import source_tree

# Folder -> what its files may include of ours, besides themselves. The longest folder that fits a file counts.
_METAIR = ("metair/ir", "metair/json", "metair/ops", "metair/passes", "metair/spmd", "metair/training")
_PLAIN = ("metair/ir/check.h", "metair/ir/error.h", "metair/ir/result.h", "metair/ir/multiversion.h", "metair/ir/sanitizers.h")
LAYERS = {
    "metair/ir": (),
    "metair/json": ("metair/ir",),
    "metair/ops": ("metair/ir",),
    "metair/passes": ("metair/ir", "metair/ops"),
    "metair/spmd": ("metair/ir", "metair/ops"),
    "metair/training": ("metair/ir", "metair/ops"),
    "importers": _METAIR,
    "profiles": _METAIR,
    "planner": _METAIR + ("profiles", "planner/solvers"),
    "planner/solvers": _PLAIN,  # a solver sees plain numbers
    "executor": _METAIR + ("profiles",),
    "cli": _METAIR + ("importers", "profiles", "planner", "executor"),
    "tests": _METAIR + ("importers", "profiles", "planner", "executor", "cli"),
}

# Folder -> its rooms (sub-folders), lowest first; "." stands for the folder's own files. A file may include files of its own room and of
# the rooms before it, so no include runs up and rooms make no circle.
ROOMS = {
    "executor": ("cpu", "comm", "device", "host", "measure", "run"),
    "importers": (".", "arrays", "onnx"),
    "planner": ("redistribute", "rules", "solvers", "space", "lower", "simulate", "plan", "search", "."),
    "planner/redistribute": (".", "baselines"),
    "planner/rules": ("factor", "probe", "instance", "search", "compose", "book"),
    "planner/solvers": ("problem", "reduce", "bounds", "moves", "."),
}

# Headers of other projects (as written between the brackets) -> the folders that may include them.
THIRD_PARTY = {
    r"onnx/|google/protobuf/": ("importers", "tests/importers"),
    r"zlib\.h|minizip/|zip\.h|unzip\.h|ioapi\.h": ("importers",),
    r"coin/|(Cbc|Clp|Osi|Coin|Cgl)\w*\.(h|hpp)$": ("planner/solvers",),
    r"dnnl|oneapi/dnnl": ("executor/cpu",),
    r"cuda|cublas|cudnn|nvrtc|nccl|cub/": ("executor/cuda",),
    r"nettle/": ("importers",),
    r"mpi\.h": ("executor/comm",),
    r"CLI/": ("cli",),
    r"gtest/|gmock/|benchmark/": ("tests",),
}

# Costly to compile: never in a header of ours, where everybody pays.
HEAVY = {r"nlohmann/json\.hpp": "nlohmann/json_fwd.hpp"}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def layer_of(path):
    fitting = [folder for folder in LAYERS if inside(path, folder)]
    return max(fitting, key=len) if fitting else None


def check_own(root, path, header):
    if not os.path.isfile(os.path.join(root, header)):
        return f'"{header}" is not a file below the root (write the whole path; <> for other projects)'
    layer, target = layer_of(path), layer_of(header)
    if layer is None or target is None or layer == target:
        return None
    if any(inside(header, folder) for folder in LAYERS[layer]):
        return None
    return f'{layer} may not include "{header}" ({target})'


def room_of(path, folder):
    room, slash, _ = path[len(folder) + 1:].partition("/")
    return room if slash else "."


def check_rooms(path, header):
    for folder, rooms in ROOMS.items():
        if not inside(path, folder) or not inside(header, folder):
            continue
        own, other = room_of(path, folder), room_of(header, folder)
        if own in rooms and other in rooms and rooms.index(own) < rooms.index(other):
            return f'{folder}: room {own} may not include "{header}": {other} is above it'
    return None


def check_place(path):
    for folder, rooms in ROOMS.items():
        if inside(path, folder) and room_of(path, folder) not in rooms:
            return f"{path}:1: {folder} has no room {room_of(path, folder)}: expected one of {', '.join(rooms)}"
    return None


def check_foreign(path, header):
    for pattern, folders in THIRD_PARTY.items():
        if re.match(pattern, header) and not any(inside(path, folder) for folder in folders):
            return f"<{header}> belongs in {' or '.join(folders)}"
    for pattern, instead in HEAVY.items():
        if re.match(pattern, header) and path.endswith(".h"):
            return f"<{header}> does not belong in a header: include <{instead}>"
    return None


def check(root):
    problems = []
    for path in source_tree.files(root, source_tree.CXX):
        if layer_of(path) is None:
            continue
        place = check_place(path)
        if place:
            problems.append(place)
        text = source_tree.blank(source_tree.read(root, path), strings=False)
        for match in _INCLUDE.finditer(text):
            bracket, header = match.groups()
            problem = (check_own(root, path, header) or check_rooms(path, header)) if bracket == '"' else None
            problem = problem or check_foreign(path, header)
            if problem:
                problems.append(f"{path}:{source_tree.line_of(text, match.start())}: {problem}")
    return problems


if __name__ == "__main__":
    source_tree.run(check, __doc__)
