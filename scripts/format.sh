#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-format 19 over every C++ file of the tree.
#   scripts/format.sh            rewrites
#   scripts/format.sh --check    changes nothing; lists the files that differ and fails
set -euo pipefail
cd "$(dirname "$0")/.."

formatter=clang-format-19
if ! command -v $formatter > /dev/null; then
  echo "format: $formatter is not installed (scripts/setup.sh test)" >&2
  exit 1
fi
mapfile -d '' -t files < <(git ls-files -z --cached --others --exclude-standard -- '*.cc' '*.h' '*.cu' '*.cuh' |
  while IFS= read -r -d '' file; do [[ -f $file ]] && printf '%s\0' "$file"; done)
((${#files[@]})) || exit 0

if [[ ${1:-} == --check ]]; then
  mapfile -t bad < <(printf '%s\0' "${files[@]}" |
    xargs -0 -n 50 -P "$(nproc)" $formatter --dry-run -Werror 2>&1 |
    sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: error:.*/\1/p' | sort -u)
  if ((${#bad[@]})); then
    printf '%s: differs from clang-format 19\n' "${bad[@]}"
    echo "hint: scripts/format.sh"
    exit 1
  fi
  echo "${#files[@]} files are formatted"
else
  $formatter -i "${files[@]}"
fi
