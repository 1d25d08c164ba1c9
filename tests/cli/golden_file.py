# SPDX-License-Identifier: Apache-2.0
"""The text of a golden: what was typed, what came back.

    # comment; `# mask: REGEX` replaces what matches by <...>, in what is expected and in what came
    # times: predicted
    $ metadist plan models/gpt2.onnx --cluster cpu:4 -o a.json \\
        --mesh 2x2
    lines of stdout, as they are
    ! lines of stderr
    [exit 2]

Several commands may follow each other. A line of stdout that begins like one of these marks has a `\\` before it. Blank lines at the end of
an output do not count; `[exit 0]` is not written. Times differ from run to run, so they are masked everywhere: `12.3 ms` reads `<time>`, and
so does every number of the JSON key `seconds`. With `times: predicted` only those that a clock told are masked, what solving or planning took in
`auto (12 us)` and `(planned in 3 ms)`: predictions are the same in every run. How far off a run that PASSED was is masked too: it depends on
the kernels, and these on the CPU.
"""

import dataclasses
import re

_MARKS = ("#", "$ ", "! ", "[exit ", "\\")
_ONE = r"(?<![\w.\-<])\d+(?:\.\d+)?(?:e[+-]?\d+)? ?(?:ns|us|µs|ms|s|min|h)\b"
_TIME = re.compile(rf"( *){_ONE}( *)")
_CLOCK = re.compile(rf"(\((?:planned in )?){_ONE}(?=\))")
_PASSED = re.compile(r"(PASSED: .*largest error )\S+ \(relative [^ ,)]+")
_SECONDS = re.compile(r'("seconds"\s*:\s*)(\{[^{}]*\}|\[[^\[\]]*\]|[-+.\deE]+)')
_NUMBER = re.compile(r'(?<![\w"<.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w"])')


@dataclasses.dataclass
class Step:
    """One command and what it is to answer; before: the comments and blank lines above it."""

    command: str
    before: list = dataclasses.field(default_factory=list)
    stdout: list = dataclasses.field(default_factory=list)
    stderr: list = dataclasses.field(default_factory=list)
    exit: int = 0

    def answer(self):
        """The lines below the command."""
        lines = [("\\" + line if line.startswith(_MARKS) else line) for line in self.stdout]
        lines += ["! " + line if line else "!" for line in self.stderr]
        return lines + ([f"[exit {self.exit}]"] if self.exit else [])


def parse(text):
    """The steps of a golden, and the comments below the last one."""
    steps, above, lines = [], [], iter(text.split("\n"))
    for number, line in enumerate(lines, 1):
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command = command + "\n" + next(lines)
            steps.append(Step(command, above))
            above = []
        elif line.startswith("#") or (not steps and not line):
            above.append(line)
        elif not steps:
            raise ValueError(f"line {number}: an answer before the first command: {line}")
        elif line == "!" or line.startswith("! "):
            steps[-1].stderr.append(line[2:])
        elif re.fullmatch(r"\[exit \d+\]", line):
            steps[-1].exit = int(line[6:-1])
        else:
            steps[-1].stdout.append(line[1:] if line.startswith("\\") else line)
    for step in steps:
        step.stdout, step.stderr = trim(step.stdout), trim(step.stderr)
    return steps, above


def trim(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def render(steps, below):
    """The text that parse() reads, one blank line between commands."""
    parts = []
    for step in steps:
        parts.append("\n".join(trim(step.before) + ["$ " + step.command] + step.answer()))
    return "\n\n".join(parts + (["\n".join(trim(below))] if trim(below) else [])) + "\n"


@dataclasses.dataclass
class Masks:
    """The `# mask:` patterns of a golden, and whether it shows predicted times."""

    patterns: list
    predicted: bool


def masks(text):
    patterns = [re.compile(pattern) for pattern in re.findall(r"^# mask: (.+)$", text, re.MULTILINE)]
    return Masks(patterns, re.search(r"^# times: predicted$", text, re.MULTILINE) is not None)


def mask(text, hidden):
    """An output with what changes from run to run replaced. Masking twice is masking once."""
    text = _SECONDS.sub(lambda m: m.group(1) + _NUMBER.sub("<time>", m.group(2)), text)
    text = _PASSED.sub(r"\1<...> (relative <...>", text)
    for pattern in hidden.patterns:
        text = pattern.sub("<...>", text)
    if hidden.predicted:
        return _CLOCK.sub(lambda m: m.group(1) + "<time>", text)
    text = _TIME.sub(lambda m: (" " if m.group(1) else "") + "<time>" + (" " if m.group(2) else ""), text)
    return re.sub(r"<time> +$", "<time>", text, flags=re.MULTILINE)


def lines(text):
    return trim(text.split("\n"))
