#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is too slow for every change: spelling, shell scripts, the second compiler with clang-tidy. Sanitizers: scripts/nightly.sh.
#   scripts/lint.sh             format, checks, codespell, shellcheck, clang-tidy on the files that differ from main
#   scripts/lint.sh --all       clang-tidy on every file, with clang++-19 compiling and testing them (about 10 s a file)
# Runs every stage, then fails if one failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

mode=${1:-changed}
case $mode in
  changed | --all) ;;
  *)
    echo "lint: unknown option '$mode'; did you mean --all?" >&2
    exit 2
    ;;
esac
failed=()

stage() {
  local name=$1
  shift
  echo "== $name" >&2
  "$@" || failed+=("$name")
}

shell_scripts() {
  git ls-files -z --cached --others --exclude-standard -- '*.sh' .ci/run | xargs -0 shellcheck
}

checks() {
  local check status=0
  for check in scripts/check_*.py; do
    python3 -B "$check" || status=1
  done
  return $status
}

# clang-tidy reads the command lines of the tidy preset; a header is seen through the files that include it.
tidy_changed() {
  local base files
  base=$(git merge-base HEAD main 2> /dev/null || git rev-parse HEAD)
  mapfile -t files < <(
    {
      git diff --name-only --diff-filter=d "$base" -- '*.cc'
      git ls-files --others --exclude-standard -- '*.cc'
    } | sort -u
  )
  if ((${#files[@]} == 0)); then
    echo "no C++ file differs from main" >&2
    return 0
  fi
  cmake --preset tidy > /dev/null || return 1
  printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy-19 --quiet -p build/tidy
}

second_compiler() {
  scripts/build.sh tidy && ctest --preset tidy --parallel "$(nproc)"
}

scripts/setup.sh build test lint || exit 1
stage "format" scripts/format.sh --check
stage "checks" checks
stage "codespell" codespell
stage "shellcheck" shell_scripts
if [[ $mode == changed ]]; then
  stage "clang-tidy" tidy_changed
else
  stage "clang++-19 and clang-tidy" second_compiler
fi

if ((${#failed[@]})); then
  echo "lint: failed: ${failed[*]}" >&2
  exit 1
fi
echo "lint: clean" >&2
