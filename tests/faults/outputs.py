#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes where it cannot be written, over what is there already, and is ended in the middle: what arrives is whole, all else is told.

    tests/faults/outputs.py --binary FILE [--kills N] [--moments M]

Terminals, disks that are full (/dev/full, and a small file system in memory where one may be mounted) or fill at M moments, folders, links, pipes, devices,
permissions, SIGKILL at N moments, and the saved profile of the machine: damaged, of another version, wanted by several programs at once. Exit 1 if
anything is not as docs/cli.md says.
"""

import argparse
import fcntl
import json
import os
import pty
import random
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODEL = os.path.join(ROOT, "models/mlp.onnx")
PROFILE = os.path.join(ROOT, "tests/cli/fixtures/cpu.profile.json")


class Failure(Exception):
    pass


def expect(is_so, what, seen=""):
    if not is_so:
        raise Failure(f"{what}\n{seen}")


class Place:
    """A folder of its own to run in."""

    def __init__(self, binary, **environment):
        self.binary = binary
        self._temporary = tempfile.TemporaryDirectory(prefix="metadist-outputs-")
        self.path = self._temporary.name
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.path, "METADIST_CPU_PROFILE": PROFILE, "TMPDIR": self.sub("tmp"), **environment}
        self.environment = {name: value for name, value in self.environment.items() if value is not None}

    def sub(self, name):
        path = os.path.join(self.path, name)
        os.makedirs(path, exist_ok=True)
        return path

    def file(self, name):
        return os.path.join(self.path, name)

    def plan(self, *flags, cluster="cpu:2", stdout=subprocess.PIPE):
        command = [self.binary, "plan", MODEL, "--bind", "batch=8", "--cluster", cluster, "--no-alternatives", *flags]
        return subprocess.run(command, cwd=self.path, env=self.environment, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)

    def files(self):
        return sorted(name for name in os.listdir(self.path) if name != "tmp")


def ends(done, code, *texts):
    expect(done.returncode == code, f"exit {done.returncode}, expected {code}: {' '.join(map(str, done.args))}", done.stderr)
    for text in texts:
        expect(text in done.stderr, f"{text!r} is not told", done.stderr)


def whole(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["schema"] == "metadist.plan"


def stdout_is_full(binary):
    with open("/dev/full", "w", encoding="utf-8") as full:
        for flags in ((), ("--json",), ("-o", "-"), ("--text",)):
            ends(Place(binary).plan(*flags, stdout=full), 1, "stdout: cannot write: No space left on device")
        done = subprocess.run([binary, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        ends(done, 1, "stdout: cannot write")


def streams_are_closed(binary):
    """The shell's >&- and 2>&-: no file takes what is printed."""
    place = Place(binary)

    def plan(closed, *flags):
        command = ["sh", "-c", f'exec "$@" {closed}', "sh", binary, "plan", MODEL, "--bind", "batch=8", "--cluster", "16xh100", *flags]
        return subprocess.run(command, cwd=place.path, env=place.environment, capture_output=True, text=True, check=False)

    ends(plan(">&-", "-o", "a.json"), 1, "stdout: cannot write")
    ends(plan("<&- >&- 2>&-", "-o", "b.json"), 1)
    expect(whole(place.file("a.json")) and whole(place.file("b.json")), "a plan is not whole")
    for name, closed in (("open.log", ""), ("closed.log", "2>&-")):
        ends(plan(closed, "--log-file", name), 0)
    lines = [open(place.file(name), encoding="utf-8").read() for name in ("open.log", "closed.log")]
    expect(lines[0] and lines[0] == lines[1], "a log takes what is printed", lines)


def a_reader_goes_away(binary):
    place = Place(binary)
    out, into = os.pipe()
    os.close(out)
    done = place.plan("--json", stdout=into)
    os.close(into)
    expect(done.returncode == -signal.SIGPIPE and done.stderr == "", f"exit {done.returncode}", done.stderr)


def what_is_lost_is_kept(binary):
    place = Place(binary)
    done = place.plan("-o", "/dev/full")
    ends(done, 1, "/dev/full: cannot write: No space left on device")
    expect("step" in done.stdout, "the report is not printed", done.stdout)
    ends(place.plan("--log-file", "/dev/full", "-v"), 1, "--log-file")
    command = [binary, "profile", "--quick", "--ranks", "1", "--time-limit", "10ms", "--json", "--force", "-o"]
    for file in ("/dev/full", "p.json"):
        done = subprocess.run([*command, file], cwd=place.path, env=place.environment, capture_output=True, text=True, check=False)
        ends(done, file == "/dev/full", *(["/dev/full: cannot write"] if file == "/dev/full" else []))
        named = json.loads(done.stdout)["file"]
        expect(named == (None if file == "/dev/full" else file), f"the report names {named!r} as its file")


def a_full_disk(binary):
    place = Place(binary)
    disk = place.sub("disk")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", disk], capture_output=True, check=False)
    if mounted.returncode != 0:
        return "no file system can be mounted here"
    try:
        done = place.plan("-o", os.path.join(disk, "p.json"))
        ends(done, 1, "cannot write: No space left on device", "it was written to")
        kept = done.stderr.split("it was written to '")[1].split("'")[0]
        expect(whole(kept), "what was kept is no plan")
        expect(os.listdir(disk) == [], "something is left on the full disk", os.listdir(disk))
    finally:
        subprocess.run(["umount", disk], check=True)
    return None


# What writes files of hundreds of kilobytes.
WRITERS = {
    "plan": ["plan", os.path.join(ROOT, "models/gpt2.onnx"), "--cluster", "4xh100", "--no-alternatives"],
    "rules": ["rules", os.path.join(ROOT, "models/unet.onnx")],
    "solve": ["solve", os.path.join(ROOT, "tests/data/problems/asplos-2025-iopddl-V.json.gz"), "--time-limit", "1s"],
    "profile": ["profile", "--quick", "--ranks", "1"],
}


def fills(binary, command, pages):
    """Whether the file was written to a disk of so many pages that holds an older one."""
    place = Place(binary)
    disk = place.sub("disk")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={4 * pages}k", "none", disk], check=True)
    try:
        target = os.path.join(disk, "out.json")
        with open(target, "w", encoding="utf-8") as file:
            file.write("old")
        done = subprocess.run(
            [binary, *command, "--force", "-o", target], cwd=place.path, env=place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
        )
        with open(target, encoding="utf-8") as file:
            text = file.read()
        expect(os.listdir(disk) == ["out.json"], "something is left on the full disk", os.listdir(disk))
        if done.returncode == 0:
            json.loads(text)
            return True
        ends(done, 1, "cannot write: No space left on device")
        # A profile is written as it grows: what was measured so far is there, whole.
        expect(text == "old" or (command[0] == "profile" and json.loads(text)["schema"] == "metadist.profile"), "the older file is lost", text[:100])
        return False
    finally:
        subprocess.run(["umount", disk], check=True)


def disks_that_fill(binary, moments):
    """The disk is full after so many pages, evenly up to what takes the file and the one that it replaces, which a profile's parts are as large as."""
    if os.getuid() != 0:
        return "no file system can be mounted here"
    told = []
    for name, command in WRITERS.items():
        place = Place(binary)
        out = place.file("out.json")
        subprocess.run([binary, *command, "-o", out], cwd=place.path, env=place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        most = 2 * os.path.getsize(out) // 4096 + 4
        written = [fills(binary, command, 1 + round(i * most / (moments - 1))) for i in range(moments)]
        expect(written[-1] and not written[0], f"{name}: written {written}")
        told.append(f"{name} {len(written) - sum(written)} of {moments} full")
    return ", ".join(told)


def what_is_there(binary):
    place = Place(binary)
    path = place.file("p.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write("mine")
    os.chmod(path, 0o600)
    os.symlink(place.file("victim"), place.file("p.json.part"))
    ends(place.plan("-o", "p.json"), 2, "p.json: file exists already", "--force")
    expect(open(path, encoding="utf-8").read() == "mine", "the file was changed")
    ends(place.plan("-o", "p.json", "--force"), 0)
    expect(whole(path) and stat.S_IMODE(os.stat(path).st_mode) == 0o600, "the file's permissions were changed")
    os.symlink("p.json", place.file("link.json"))
    ends(place.plan("-o", "link.json"), 2, "file exists already")
    ends(place.plan("-o", "link.json", "--force"), 0)
    expect(os.path.islink(place.file("link.json")) and whole(path), "the link was replaced")
    os.symlink("nowhere", place.file("dangling.json"))
    ends(place.plan("-o", "dangling.json", "--force"), 2, "a dangling symbolic link")
    ends(place.plan("-o", "new.json"), 0)
    mask = os.umask(0)
    os.umask(mask)
    expect(stat.S_IMODE(os.stat(place.file("new.json")).st_mode) == 0o666 & ~mask, "permissions of a new file")
    expect(place.files() == ["dangling.json", "link.json", "new.json", "p.json", "p.json.part"], "files are left", place.files())


def no_file(binary):
    place = Place(binary)
    ends(place.plan("-o", "."), 2, "a folder has this name")
    ends(place.plan("-o", "no/such/p.json"), 2, "there is no folder")
    ends(place.plan("-o", "/dev/null"), 0)
    expect(stat.S_ISCHR(os.stat("/dev/null").st_mode), "/dev/null is no device any more")
    os.mkfifo(place.file("pipe"))
    read = []
    reader = threading.Thread(target=lambda: read.append(open(place.file("pipe"), encoding="utf-8").read()))
    reader.start()
    ends(place.plan("-o", "pipe"), 0)
    reader.join()
    expect(json.loads(read[0])["schema"] == "metadist.plan" and stat.S_ISFIFO(os.stat(place.file("pipe")).st_mode), "the pipe")
    expect(place.files() == ["pipe"], "files are left", place.files())
    ends(place.plan("-o", b"m\xfcller.json"), 0)  # no UTF-8
    name = os.fsdecode(b"m\xfcller.json")
    expect(whole(place.file(name)), "a name that is no UTF-8")
    done = subprocess.run([place.binary, "run", name], cwd=place.path, env=place.environment, capture_output=True, check=False)
    expect(done.returncode == 0, "a plan whose name is no UTF-8 does not run", done.stderr)


def killed(binary, kills):
    dice = random.Random(1)
    for _ in range(kills):
        place = Place(binary)
        command = [binary, "plan", MODEL, "--bind", "batch=8", "--cluster", "cpu:2", "-o", "p.json", "-q"]
        process = subprocess.Popen(command, cwd=place.path, env=place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(dice.uniform(0, 0.15))
        process.kill()
        process.wait()
        left = place.files()
        expect(left == [] or (left == ["p.json"] and whole(place.file("p.json"))), "a killed program leaves", left)


def profiles(folder):
    return [name for name in os.listdir(folder) if name.endswith(".json")]


def kept_profile(binary):
    place = Place(binary, METADIST_CPU_PROFILE=None)
    place.environment["METADIST_CACHE_DIR"] = cache = place.sub("cache")
    command = [binary, "plan", MODEL, "--bind", "batch=8", "--cluster", "cpu:2", "--no-alternatives", "--json"]
    runs = [subprocess.Popen(command, env=place.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(8)]
    steps, measured = set(), 0
    for run in runs:
        out, error = run.communicate()
        expect(run.returncode == 0, "a first run fails", error)
        steps.add(json.loads(out)["step_seconds"])
        measured += "measuring this machine" in error
    expect(len(steps) == 1 and measured == 1, f"{measured} programs measured, {len(steps)} predictions")
    expect(len(profiles(cache)) == 1, "files of the cache", profiles(cache))
    path = os.path.join(cache, profiles(cache)[0])
    text = open(path, encoding="utf-8").read()
    for what, changed in (
        ("cannot be read; measuring again", text[: len(text) // 2]),
        ("another machine or version", text.replace('"tool_version":"', '"tool_version":"9.')),
        ("another machine or version", text.replace('"device_model":"', '"device_model":"other ')),
        ("another machine or version", text.replace('"cores":', '"cores":9')),
    ):
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed)
        done = place.plan()
        ends(done, 0, what, "measuring this machine")
    with open(path, encoding="utf-8") as file:
        kept = json.load(file)
    kept["factors"] = [factor for factor in kept["factors"] if factor["name"] != "busy_share"]
    kept["factors"].append({"name": "busy_share", "value": 0.25, "origin": kept["factors"][0]["origin"]})
    with open(path, "w", encoding="utf-8") as file:
        json.dump(kept, file)
    ends(place.plan(), 0, "other programs used 25 % of the CPU", f"remove {path} to measure again")
    ends(place.plan(), 0)
    expect("measuring" not in place.plan().stderr, "it is measured again")
    ends(place.plan(cluster="cpu:9999"), 2, "at most 1024 ranks")


def no_home(binary):
    place = Place(binary, METADIST_CPU_PROFILE=None, HOME=None)
    ends(place.plan(), 0, "not saved: there is no HOME")
    expect(place.files() == [], "files are left", place.files())


def on_a_terminal(binary):
    """Progress is one line that is replaced, never longer than the terminal is wide; nothing of it is left."""
    place = Place(binary, TERM="xterm")
    program, terminal = pty.openpty()
    columns = 30
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [binary, "plan", os.path.join(ROOT, "models/gpt2.onnx"), "--cluster", "8xh100", "-o", "p.json"]
    done = subprocess.run(command, cwd=place.path, env=place.environment, stdout=subprocess.DEVNULL, stderr=terminal, check=False)
    os.close(terminal)
    said = b""
    try:
        while part := os.read(program, 4096):
            said += part
    except OSError:  # nobody writes any more
        pass
    os.close(program)
    steps = said.decode().split("\r\x1b[K")
    expect(done.returncode == 0 and steps[-1] == "", "a line is left", steps)
    expect(max(map(len, steps)) < columns, "a line is too long", steps)
    for phase in ("discover", "formulate", "solve", "lower"):
        expect(any(phase in step for step in steps), f"no progress of {phase}", steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--moments", type=int, default=3, help="at which a disk becomes full, at least 2")
    options = parser.parse_args()
    if options.moments < 2:
        parser.error("--moments: at least 2, one with room for nothing and one with enough")
    binary = os.path.abspath(options.binary)
    cases = [stdout_is_full, streams_are_closed, a_reader_goes_away, what_is_lost_is_kept, a_full_disk, what_is_there, no_file, kept_profile, no_home, on_a_terminal]
    failed = 0
    counted = {"killed": lambda b: killed(b, options.kills), "disks_that_fill": lambda b: disks_that_fill(b, options.moments)}
    for name, case in [*((case.__name__, case) for case in cases), *counted.items()]:
        try:
            print(f"{name}: {case(binary) or 'as it should be'}", flush=True)
        except Failure as failure:
            failed += 1
            print(f"{name}: FAILED: {failure}", flush=True)
    print(f"{len(cases) + len(counted) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
