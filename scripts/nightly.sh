#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is too long for every change, in stages, and one table of what came of them.
#   scripts/nightly.sh             everything, five hours on two cores
#   scripts/nightly.sh STAGE...    only these
#   scripts/nightly.sh --resume    those that have not passed yet on this commit, with a clean tree
# Stages, in this order:
#   suite        the release build and every test
#   lint         format, checks, spelling, shell scripts; clang-tidy on what the last day changed
#   odr          optimised at link time: no two definitions of one name
#   asan tsan    every test under address and undefined behaviour sanitizers, but goldens that limit addresses or crash on purpose;
#                those with threads under the thread sanitizer
#   plain avx2   kernels without vector instructions, and with those of older machines
#   conformance  ONNX's own test data, whole and split over 1, 2 and 3 ranks
#   faults       full disks, signals, little memory, killed helpers and processes
#   rules        rules against onnxruntime and under several seeds; completeness
#   graphs       random graphs, planned and run
#   models       how the cost of a plan grows; every model: on processes, in low precision, with every choice
#   planted      faults put into the code one after another: each must turn a test red
#   fuzz         every fuzz program for METADIST_FUZZ_SECONDS (600)
# Minutes on two idle cores: suite 10, lint 4 to 35, odr 3, asan 65, tsan 10, plain and avx2 2 each, conformance 4, faults 18, rules 35, graphs 45,
# models 7, planted 20, fuzz 70; on a busy host up to twice as long. Cases with a time limit of their own (conformance) may fail beside other work.
# METADIST_NIGHTLY_SCALE (1.0) scales the counts of rules, graphs and models; METADIST_NIGHTLY_SEED (the day of the year) draws their cases: the
# logs say which.
# Logs and rows of the table: build/nightly/STAGE.{log,row}. The table has every stage: one that did not run now shows what it last came to, and
# on which commit. Exit 1 if a stage of this run failed.
# shellcheck disable=SC2317  # functions are called by the names of stages
set -uo pipefail
cd "$(dirname "$0")/.." || exit

all=(suite lint odr asan tsan plain avx2 conformance faults rules graphs models planted fuzz)
logs=build/nightly
commit=$(git rev-parse --short HEAD)
[[ -z $(git status --porcelain) ]] || commit+="+"

# Whether a stage has passed on this commit; never on a changed tree.
passed() { [[ $commit != *+ && -f $logs/$1.row ]] && grep -q "| passed .*| $commit " "$logs/$1.row"; }

chosen=("$@")
if [[ ${1-} == --resume ]]; then
  chosen=()
  for stage in "${all[@]}"; do passed "$stage" || chosen+=("$stage"); done
elif ((!$#)); then
  chosen=("${all[@]}")
fi
for stage in "${chosen[@]}"; do
  if [[ " ${all[*]} " != *" $stage "* ]]; then
    echo "nightly: unknown stage '$stage'; known: ${all[*]}" >&2
    exit 2
  fi
done

binary=build/release/bin/metadist
seed=${METADIST_NIGHTLY_SEED:-$((10#$(date +%j)))}
export PYTHONPATH=${METADIST_PYTHON:-$HOME/.cache/metadist/python}
mkdir -p "$logs"

# Some share of a count.
scaled() {
  python3 -c 'import sys; print(max(1, round(float(sys.argv[1]) * float(sys.argv[2]))))' "$1" "${METADIST_NIGHTLY_SCALE:-1}"
}

# all_of JOBS COMMAND...: runs every command of a stage, so many at a time, though one fails; shows what each said.
all_of() {
  local jobs=$1 said i failed=0
  shift
  said=$(mktemp -d)
  for ((i = 1; i <= $#; ++i)); do
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n; done
    { bash -c "set -o pipefail; ${!i}" > "$said/$i" 2>&1 || echo "failed: ${!i}" >> "$said/$i"; } &
  done
  wait
  for ((i = 1; i <= $#; ++i)); do
    echo "+ ${!i}"
    cat "$said/$i"
    [[ $(tail -n 1 "$said/$i") != "failed: "* ]] || ((++failed))
  done
  rm -r "$said"
  echo "$# commands, $failed failed"
  ((failed == 0))
}

# tests PRESET: those of a preset that is built.
tests() { ctest --preset "$1" --parallel "${METADIST_JOBS:-$(nproc)}" < /dev/null; }

# Stages that run the released binary build it first: a row must not tell of an older one.
released() { scripts/build.sh release; }

run_suite() { scripts/test.sh release; }
run_lint() { scripts/lint.sh --since "$(git rev-list -n 1 --before=1.day HEAD)"; }
run_odr() { scripts/build.sh lto --target metadist && build/lto/bin/metadist --version; }
run_asan() { scripts/build.sh fuzz && tests asan; }
run_tsan() { scripts/build.sh tsan --target threaded_tests && tests tsan; }
run_plain() { scripts/build.sh plain --target kernel_tests && tests plain; }
run_avx2() { scripts/build.sh avx2 --target kernel_tests && tests avx2; }

onnx_data() { python3 -c 'import os, onnx; print(os.path.join(os.path.dirname(onnx.__file__), "backend/test/data"))'; }

run_conformance() { released && "$binary" conformance --onnx-data "$(onnx_data)" --ranks 1,2,3 | tail -n 12; }

run_faults() {
  released && all_of 1 \
    "python3 -B tests/faults/outputs.py --binary $binary --kills 40 --moments 20" \
    "python3 -B tests/faults/signals.py --binary $binary --moments 20 --onnx-data '$(onnx_data)'" \
    "python3 -B tests/faults/limits.py --binary $binary --levels 20" \
    "python3 -B tests/faults/helpers.py --binary $binary --moments 20" \
    "python3 -B tests/faults/processes.py --binary $binary --levels 20"
}

run_rules() {
  released && all_of "$(nproc)" \
    "python3 -B tests/wide/check_rules.py --binary $binary generated --text-only --calls $(scaled 5000) --seed $seed" \
    "python3 -B tests/wide/check_rules.py --binary $binary models" \
    "python3 -B tests/wide/completeness.py --binary $binary --seed $seed" \
    "python3 -B tests/wide/check_rules.py --binary $binary seeds --calls $(scaled 3000) --seed $seed"
}

run_graphs() {
  released && all_of "$(nproc)" \
    "python3 -B tests/wide/random_graphs.py --binary $binary --seed $((10000 * seed)) --graphs $(scaled 1000) --keep $logs/graphs" \
    "python3 -B tests/wide/random_graphs.py --binary $binary --seed $((10000 * seed + 5000)) --graphs $(scaled 1000) --keep $logs/graphs" \
    "METADIST_RANDOM_GRAPHS=$(scaled 1000) build/release/bin/metair_ops_test --gtest_filter=*RandomGradients*"
}

run_models() {
  local file dense=() # models but the mixture of experts, where it takes more seeds until each factor is drawn
  for file in models/*.onnx; do [[ $file == */moe.onnx ]] || dense+=("$(basename "$file" .onnx)"); done
  released && all_of "$(nproc)" \
    "python3 -B tests/wide/growth.py --binary $binary" \
    "python3 -B tests/wide/mpi_models.py --binary $binary --seeds $(scaled 3) models ${dense[*]}" \
    "python3 -B tests/wide/low_precision.py --binary $binary models/{mlp,bert,gpt2,resnet,vit}.onnx" \
    "python3 -B tests/wide/trained_plans.py --binary $binary --seeds $(scaled 5) --templates --mpi models" \
    "python3 -B tests/wide/loss_curve.py --binary $binary models/gpt2.onnx --train adamw --loss cross_entropy:logits" \
    "build/release/bin/any_choice --all-factors models 12 4,3,2x2 ${dense[*]}" \
    "build/release/bin/any_choice --all-factors models 60 4,3,2x2 moe"
}

run_planted() { python3 -B tests/wide/planted_faults.py --build build/planted; }

run_fuzz() {
  scripts/build.sh fuzz "-DMETADIST_FUZZ_SECONDS=${METADIST_FUZZ_SECONDS:-600}" &&
    ctest --preset fuzz -R '^fuzz/' --timeout $((${METADIST_FUZZ_SECONDS:-600} + 300)) --parallel "$(nproc)" < /dev/null
}

# The stage's last line that counts something.
figure() {
  grep -E '[0-9]+ (passed|failed|faults|graphs|factors|problems|% tests)|tests passed|clean$|^metadist ' "$1" | tail -n 1 | cut -c 1-90
}

failed=0
scripts/setup.sh build test lint || exit 1
for stage in "${chosen[@]}"; do
  start=$SECONDS
  echo "nightly: $stage ..." >&2
  if "run_$stage" > "$logs/$stage.log" 2>&1; then
    result=passed
  else
    result=FAILED
    failed=1
  fi
  printf '| %-11s | %-7s | %4d min | %-9s | %s |\n' "$stage" "$result" $(((SECONDS - start + 59) / 60)) "$commit" "$(figure "$logs/$stage.log")" > "$logs/$stage.row"
done

echo "| stage | result | time | commit | figure |"
echo "|---|---|---|---|---|"
for stage in "${all[@]}"; do
  cat "$logs/$stage.row" 2> /dev/null || printf '| %-11s | not run |          |           | |\n' "$stage"
done
exit "$failed"
