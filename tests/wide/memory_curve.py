#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows how the plan of a training step changes as the memory limit shrinks: a table, and a plot.

    tests/wide/memory_curve.py [--binary FILE] [--limits 40,30,20,10] [--svg FILE] [--json] MODEL ARGUMENTS...

ARGUMENTS are those of `metadist plan`, such as --train adamw --cluster 8xh100. Limits are in GiB, in falling order; the first limit that nothing
fits ends the table. Exit 1 if less memory gives a faster plan than the gap of the slower one explains.
"""

import argparse
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GIB = 1 << 30
WIDTH, HEIGHT, MARGIN = 640, 400, 60


def plan(binary, arguments, limit):
    """The report of a plan under a limit in GiB, or None if none fits; and the seconds it took."""
    began = time.monotonic()
    done = subprocess.run([binary, "plan", *arguments, "--memory", f"{limit}GiB", "--no-alternatives", "--json", "-q"], stdout=subprocess.PIPE,
                          text=True, check=False)  # fmt: skip
    if done.returncode not in (0, 4):
        raise SystemExit(f"plan: exit {done.returncode}")
    return (json.loads(done.stdout) if done.returncode == 0 else None), time.monotonic() - began


def ticks(low, high):
    """Round numbers between two."""
    step = 10 ** len(str(int(high - low))) / 20 or 1
    step = max(step, 1)
    return [n * step for n in range(int(low // step), int(high // step) + 2) if low <= n * step <= high]


def svg(rows):
    """Step time over peak memory."""
    xs, ys = [row["peak"] for row in rows], [row["ms"] for row in rows]
    low_x, high_x, low_y, high_y = 0, max(xs) * 1.05, min(ys) * 0.9, max(ys) * 1.05

    def place(x, y):
        return MARGIN + (x - low_x) / (high_x - low_x) * (WIDTH - 2 * MARGIN), HEIGHT - MARGIN - (y - low_y) / (high_y - low_y) * (HEIGHT - 2 * MARGIN)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']  # fmt: skip
    for x in ticks(low_x, high_x):
        at, bottom = place(x, low_y)
        out.append(f'<text x="{at:.1f}" y="{bottom + 18:.1f}" text-anchor="middle">{x:g}</text>')
        out.append(f'<line x1="{at:.1f}" y1="{bottom:.1f}" x2="{at:.1f}" y2="{MARGIN}" stroke="#ddd"/>')
    for y in ticks(low_y, high_y):
        left, at = place(low_x, y)
        out.append(f'<text x="{left - 6:.1f}" y="{at + 4:.1f}" text-anchor="end">{y:g}</text>')
        out.append(f'<line x1="{left:.1f}" y1="{at:.1f}" x2="{WIDTH - MARGIN}" y2="{at:.1f}" stroke="#ddd"/>')
    points = [place(x, y) for x, y in zip(xs, ys)]
    out.append('<polyline fill="none" stroke="#1f77b4" stroke-width="2" points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) + '"/>')
    for (x, y), row in zip(points, rows):
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#1f77b4"/>')
        out.append(f'<text x="{x + 5:.1f}" y="{y - 6:.1f}" font-size="10">{row["again"]}</text>')
    out.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 16}" text-anchor="middle">peak memory per rank, GiB (labels: blocks that run again)</text>')
    out.append(f'<text x="16" y="{HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 16 {HEIGHT / 2})">predicted step, ms</text></svg>')
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--limits", default="70,50,40,30,25,20,15,10,8,6")
    parser.add_argument("--svg", help="file of the plot")
    parser.add_argument("--json", action="store_true", help="the rows as JSON, after the table")
    options, arguments = parser.parse_known_args()
    rows, wrong = [], 0
    print("| limit, GiB | mesh | step, ms | gap | peak, GiB | parameters | optimizer | activations | run again | seconds |\n" + "|---" * 10 + "|")
    for limit in options.limits.split(","):
        report, seconds = plan(options.binary, arguments, limit)
        if report is None:
            print(f"| {limit} | none fits |  |  |  |  |  |  |  | {seconds:.0f} |")
            break
        memory = {kind: size / GIB for kind, size in report["memory"].items()}
        row = {"limit": float(limit), "mesh": report["mesh"], "ms": 1e3 * report["step_seconds"], "gap": report["unrestricted"]["gap"],
               "peak": report["peak_bytes"] / GIB, "again": report.get("recompute", "none"), "cost": report["cost"]}  # fmt: skip
        faster = bool(rows) and row["cost"] < rows[-1]["cost"] * (1 - rows[-1]["gap"])
        wrong += faster
        print(f"| {limit} | {row['mesh']} | {row['ms']:.0f} | {100 * row['gap']:.1f} % | {row['peak']:.1f} | {memory['parameters']:.2f} | "
              f"{memory['optimizer']:.2f} | {memory['activations']:.1f} | {row['again']} | {seconds:.0f} |{' FASTER' if faster else ''}",
              flush=True)  # fmt: skip
        rows.append(row)
    if options.svg and rows:
        with open(options.svg, "w", encoding="utf-8") as file:
            file.write(svg(rows))
    if options.json:
        print(json.dumps(rows))
    print(f"{len(rows)} limits, {wrong} faster with less memory than their gaps explain")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
