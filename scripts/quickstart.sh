#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to a checked plan: installs packages, builds, plans a GPT-2 exported by PyTorch for four ranks of this
# machine, runs the plan on four threads and compares it with the one-device run.
#   scripts/quickstart.sh [MODEL] [CLUSTER]    default: models/gpt2.onnx cpu:4
set -euo pipefail
cd "$(dirname "$0")/.."

model=${1:-models/gpt2.onnx}
cluster=${2:-cpu:4}
start=$SECONDS
scripts/build.sh release --target metadist
built=$((SECONDS - start))

metadist=build/release/bin/metadist
plan=build/quickstart.plan.json

show() {
  echo
  echo "\$ metadist $*"
  "$metadist" "$@"
}

show plan "$model" --cluster "$cluster" --force -o "$plan"
planned=$((SECONDS - start - built))
show run "$plan"
echo
echo "quickstart: build $built s, plan $planned s, run $((SECONDS - start - built - planned)) s, in all $((SECONDS - start)) s"
