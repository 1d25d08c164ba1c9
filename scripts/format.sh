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
  bad=()
  for file in "${files[@]}"; do
    $formatter "$file" | cmp -s - "$file" || bad+=("$file")
  done
  if ((${#bad[@]})); then
    printf '%s: differs from clang-format 19\n' "${bad[@]}"
    echo "hint: scripts/format.sh"
    exit 1
  fi
  echo "${#files[@]} files are formatted"
else
  $formatter -i "${files[@]}"
fi
