#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages of scripts/packages.txt that are missing and says which; for the groups test and lint also the Python packages of
# scripts/python_packages.txt and scripts/python_lint.txt, into folders of ~/.cache/metadist.
#   scripts/setup.sh [GROUP...]    groups: build (default), test, lint, bench
set -euo pipefail
cd "$(dirname "$0")/.."

groups=${*:-build}

# Prints the packages of the wanted groups that dpkg does not list as installed.
missing_packages() {
  local package group
  while read -r package group; do
    [[ -z $package || $package == \#* ]] && continue
    [[ " $groups " == *" $group "* ]] || continue
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done < scripts/packages.txt
}

# python_packages LIST FOLDER. Tests find them by PYTHONPATH (tests/CMakeLists.txt); nothing is installed where Python's own packages are.
python_packages() {
  local list=$1 folder=$2 log
  cmp -s "$list" "$folder/packages.txt" && return
  echo "setup: installing Python packages into $folder" >&2
  log=$(mktemp)
  rm -rf "$folder"
  if ! python3 -m pip install --quiet --no-deps --target "$folder" -r "$list" < /dev/null > "$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "setup: pip could not install the Python packages" >&2
    exit 1
  fi
  rm -f "$log"
  cp "$list" "$folder/packages.txt"
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    echo "setup: not root and no sudo here; run as root: $*" >&2
    return 1
  fi
}

# Debian 12 is the oldest system whose packages are new enough; CMake's version tells it soonest.
check_cmake() {
  local version
  version=$(cmake --version 2> /dev/null | sed -n '1s/[^0-9]*//p') || true
  if [[ $(printf '%s\n' 3.25 "${version:-0}" | sort -V | head -n 1) != 3.25 ]]; then
    echo "setup: CMake 3.25 or newer is needed, found ${version:-none}" >&2
    echo "  hint: Debian 12 and Ubuntu 24.04 have it; Ubuntu 22.04 is too old (CMake, protobuf and fmt)" >&2
    return 1
  fi
}

if ! command -v dpkg-query > /dev/null; then
  echo "setup: no dpkg here: install what scripts/packages.txt names by hand (group: $groups)" >&2
  check_cmake
  exit
fi
mapfile -t missing < <(missing_packages)
if ((${#missing[@]})); then
  echo "setup: installing ${#missing[@]} packages: ${missing[*]}" >&2
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  if ! { as_root apt-get update -q &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
      "${missing[@]}"; } < /dev/null > "$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "setup: apt could not install the packages" >&2
    exit 1
  fi
fi
check_cmake
if [[ " $groups " == *" test "* ]]; then
  python_packages scripts/python_packages.txt "${METADIST_PYTHON:-$HOME/.cache/metadist/python}"
fi
if [[ " $groups " == *" lint "* ]]; then
  python_packages scripts/python_lint.txt "$HOME/.cache/metadist/lint"
fi
