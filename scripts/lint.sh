#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is too slow for every change: format, checks, codespell, shellcheck, and clang-tidy on some files. Sanitizers: scripts/nightly.sh.
#   scripts/lint.sh                  files that differ from main
#   scripts/lint.sh --since COMMIT   files that differ from that commit
#   scripts/lint.sh --all            every file, about 5 s each on one core
# Runs every stage, then fails if one failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

case ${1-} in
  '') base=$(git merge-base HEAD main 2> /dev/null || git rev-parse HEAD) ;;
  --all) base=$(git hash-object -t tree /dev/null) ;;
  --since) base=$(git rev-parse --verify --quiet "${2-}^{commit}") || {
    echo "lint: --since needs a commit, '${2-}' is none" >&2
    exit 2
  } ;;
  *)
    echo "lint: unknown option '$1'; known: --since COMMIT, --all" >&2
    exit 2
    ;;
esac
clang_tidy=$HOME/.cache/metadist/lint/clang_tidy/data/bin/clang-tidy # of PyPI: newer than Debian's, twice as fast
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

# clang-tidy reads the command lines of preset tidy; a header is seen through the files that include it.
tidy() {
  local files
  mapfile -t files < <(
    {
      git diff --name-only --diff-filter=d "$base" -- '*.cc'
      git ls-files --others --exclude-standard -- '*.cc'
    } | sort -u
  )
  ((${#files[@]})) || return 0
  echo "${#files[@]} files" >&2
  cmake --preset tidy > /dev/null || return 1
  printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" "$clang_tidy" --quiet -p build/tidy
}

scripts/setup.sh build test lint || exit 1
stage "format" scripts/format.sh --check
stage "checks" checks
stage "codespell" codespell
stage "shellcheck" shell_scripts
stage "clang-tidy" tidy

if ((${#failed[@]})); then
  echo "lint: failed: ${failed[*]}" >&2
  exit 1
fi
echo "lint: clean" >&2
