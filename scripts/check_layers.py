# SPDX-License-Identifier: Apache-2.0
"""Who may include whom (docs/architecture.md): our own folders, and each third-party header in its one place."""

import os
import re

import source_tree

# Folder -> what its files may include of ours, besides themselves. The longest folder that fits a file counts.
_METAIR = ("metair/ir", "metair/json", "metair/ops", "metair/passes", "metair/spmd")
_PLAIN = ("metair/ir/check.h", "metair/ir/error.h", "metair/ir/result.h", "metair/ir/multiversion.h", "metair/ir/sanitizers.h")
LAYERS = {
    "metair/ir": (),
    "metair/json": ("metair/ir",),
    "metair/ops": ("metair/ir",),
    "metair/passes": ("metair/ir", "metair/ops"),
    "metair/spmd": ("metair/ir", "metair/ops"),
    "importers": _METAIR,
    "profiles": _METAIR,
    "planner": _METAIR + ("profiles",),
    "planner/solvers": _PLAIN,  # a solver sees plain numbers
    "executor": _METAIR + ("profiles",),
    "cli": _METAIR + ("importers", "profiles", "planner", "executor"),
    "tests": _METAIR + ("importers", "profiles", "planner", "executor", "cli"),
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
    # A layer's folders with rules of their own are open to the rest of the layer, not the other way round.
    if inside(target, layer):
        return None
    return f'{layer} may not include "{header}" ({target})'


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
        text = source_tree.blank(source_tree.read(root, path), strings=False)
        for match in _INCLUDE.finditer(text):
            bracket, header = match.groups()
            problem = check_own(root, path, header) if bracket == '"' else None
            problem = problem or check_foreign(path, header)
            if problem:
                problems.append(f"{path}:{source_tree.line_of(text, match.start())}: {problem}")
    return problems


if __name__ == "__main__":
    source_tree.run(check, __doc__)
