# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a golden without a shell: metadist, and a few helpers that make and show files.

    NAME=VALUE metadist ...      a variable for one command
    mpirun N metadist ...        as N processes under MPI; of stderr what ranks say, in their order, but not what they heard from others
    COMMAND > FILE               stdout into a file (any command)
    cp A B, mkdir D, rm F..., cat F..., echo WORD..., head -c N F, tail -c N F
    cmp A B                      exit 1 and a line if the files differ
    replace F OLD NEW            changes bytes in a file; exit 1 if OLD is not there
    json F KEY...                values of a JSON file, a key written a.b.0
    compile F.c F.so             a shared library, with the headers of the repository
    scale A.npz B.npz BY [PART]  the f32 arrays of A times BY, or only those elements that are below PART of the largest, into B
    zeros N                      a choice of N zeros
    hostile NAME                 a bad ONNX file NAME.onnx and what lies beside it (tests/hostile/cases.py)
"""

import array
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile

for _folder in ("faults", "hostile"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), _folder))

import cases  # noqa: E402
import mpi_launch  # noqa: E402

KEPT = ("PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")
PROGRAM = ("metadist", "iopddl")
OF_RANKS, HEARSAY = re.compile(rb"\[rank \d+\] "), re.compile(rb"error: rank \d+: ")
TIMEOUT_SECONDS = 1200  # only to end what hangs: sanitizers on a busy machine take minutes


class Failed(Exception):
    """A helper command that fails: its message is the command's stderr, its exit status 1."""


def _cut(arguments, start):
    flag, count, path = arguments
    if flag != "-c":
        raise Failed("only -c is known")
    with open(path, "rb") as file:
        data = file.read()
    return data[: int(count)] if start else data[-int(count) :]


def _cat(arguments):
    parts = []
    for path in arguments:
        with open(path, "rb") as file:
            parts.append(file.read())
    return b"".join(parts)


def _write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def _cmp(arguments):
    first, second = arguments
    if _cat([first]) != _cat([second]):
        raise Failed(f"{first} {second} differ")
    return b""


def _compile(arguments):
    source, library = arguments
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    done = subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-I", root, "-o", library, source], capture_output=True, check=False)
    if done.returncode != 0:
        raise Failed(done.stderr.decode())
    return b""


def _replace(arguments):
    path, old, new = arguments
    data = _cat([path])
    if old.encode() not in data:
        raise Failed(f"{path} does not hold {old}")
    _write(path, data.replace(old.encode(), new.encode()))
    return b""


def _scale(arguments):
    source, target, by, part = [*arguments, "inf"][:4]
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            begin = 10 + int.from_bytes(data[8:10], "little")
            if b"'<f4'" not in data[:begin]:
                raise Failed(f"{name} of {source} is not of f32")
            numbers = array.array("f", data[begin:])
            most = float(part) * max(map(abs, numbers))
            scaled = array.array("f", (x * float(by) if abs(x) < most else x for x in numbers))
            new.writestr(name, data[:begin] + scaled.tobytes())
    return b""


def _json(arguments):
    document = json.loads(_cat(arguments[:1]))
    shown = []
    for key in arguments[1:]:
        value = document
        for part in key.split("."):
            value = value[int(part)] if isinstance(value, list) else value[part]
        shown.append(f"{key}: {json.dumps(value, sort_keys=True)}\n")
    return "".join(shown).encode()


HELPERS = {
    "cat": _cat,
    "cmp": _cmp,
    "compile": _compile,
    "cp": lambda arguments: shutil.copyfile(*arguments) and b"",
    "echo": lambda arguments: (" ".join(arguments) + "\n").encode(),
    "head": lambda arguments: _cut(arguments, True),
    "hostile": lambda arguments: cases.write(*arguments) or b"",
    "json": _json,
    "mkdir": lambda arguments: [os.makedirs(path, exist_ok=True) for path in arguments] and b"",
    "replace": _replace,
    "rm": lambda arguments: [os.remove(path) for path in arguments] and b"",
    "scale": _scale,
    "tail": lambda arguments: _cut(arguments, False),
    "zeros": lambda arguments: (json.dumps([0] * int(arguments[0])) + "\n").encode(),
}


class Shell:
    """A temporary folder with models/, problems/ and tests/data/ linked and fixtures/ copied; METADIST_CPU_PROFILE is in that copy, so that nothing is measured."""

    def __init__(self, binary, root):
        self._binary = os.path.abspath(binary)
        self._temporary = tempfile.TemporaryDirectory(prefix="metadist-golden-")
        self._root = os.path.abspath(root)
        self.folder = os.path.realpath(self._temporary.name)
        os.mkdir(os.path.join(self.folder, "tests"))
        for name, source in (("models", "models"), ("problems", "tests/data/problems"), ("tests/data", "tests/data")):
            source = os.path.join(self._root, source)
            if os.path.isdir(source):
                os.symlink(source, os.path.join(self.folder, name))
        fixtures = os.path.join(self.folder, "fixtures")
        if os.path.isdir(os.path.join(self._root, "tests/cli/fixtures")):
            shutil.copytree(os.path.join(self._root, "tests/cli/fixtures"), fixtures)
        os.makedirs(fixtures, exist_ok=True)
        self._environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        self._environment.update(HOME=self.folder, LC_ALL="C.UTF-8", COLUMNS="100", METADIST_CACHE_DIR=fixtures,
                                 METADIST_CPU_PROFILE=os.path.join(fixtures, "cpu.profile.json"))

    def close(self):
        self._temporary.cleanup()

    def run(self, command):
        """(stdout, stderr, exit status) of one command line."""
        words = shlex.split(command.replace("\\\n", " "))
        into = None
        if len(words) > 1 and words[-2] == ">":
            into = os.path.join(self.folder, words[-1])
            words = words[:-2]
        variables = {}
        while words and re.match(r"[A-Z_]+=", words[0]):
            name, _, value = words.pop(0).partition("=")
            variables[name] = value
        if not words:
            return "", "golden: no command\n", 127
        if words[0] in PROGRAM:
            out, err, status = self._program(words, self._binary, variables)
        elif words[0] == "mpirun" and words[2:3] == ["metadist"]:
            started = mpi_launch.command(words[1], self._binary, *words[3:])
            out, err, status = self._program(started, None, {**mpi_launch.VARIABLES, **variables})
            err = b"".join(sorted(line for line in err.splitlines(keepends=True) if OF_RANKS.match(line) and not HEARSAY.search(line)))
        else:
            out, err, status = self._helper(words)
        if into:
            _write(into, out)
            out = b""
        return self._tidy(out), self._tidy(err), status

    def _tidy(self, data):
        text = data.decode("utf-8", errors="backslashreplace")
        return text.replace(self.folder, "<tmp>").replace(self._root, "<root>")

    def _program(self, words, executable, variables):
        try:
            done = subprocess.run(
                words,
                executable=executable,
                cwd=self.folder,
                env={**self._environment, **variables},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return b"", f"golden: no end after {TIMEOUT_SECONDS} s\n".encode(), 124
        except OSError as error:
            return b"", f"golden: {error}\n".encode(), 127
        status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        return done.stdout, done.stderr, status

    def _helper(self, words):
        if words[0] not in HELPERS:
            return b"", f"golden: unknown command {words[0]}\n".encode(), 127
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            return HELPERS[words[0]](words[1:]), b"", 0
        except (Failed, OSError, ValueError, KeyError, IndexError, TypeError) as error:
            return b"", f"{words[0]}: {error}\n".encode(), 1
        finally:
            os.chdir(before)
