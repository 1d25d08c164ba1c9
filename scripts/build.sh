#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, configures and builds build/<preset>/bin/metadist.
#   scripts/build.sh [PRESET] [--target NAME] [-D...]
# Presets: release (default) dev fuzz tsan plain avx2 lto cuda. --target metadist leaves the tests out; -D options go to CMake.
# The ONNX library is built once and kept in ~/.cache/metadist (-DMETADIST_CACHE=DIR or OFF).
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
if (($#)) && [[ $1 != -* ]]; then
  preset=$1
  shift
fi
target=all
if [[ ${1:-} == --target ]]; then
  target=$2
  shift 2
fi
start=$SECONDS

case $preset in
  fuzz) scripts/setup.sh build lint ;;
  *) scripts/setup.sh build ;;
esac

# CMake is quiet unless it fails: what matters of its report are the lines about ONNX and the plugins.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
set +e
cmake --preset "$preset" "$@" < /dev/null 2>&1 | tee "$log" |
  grep --line-buffered -E '^-- (downloading|building|cannot)|without the .* back end' >&2
status=${PIPESTATUS[0]}
set -e
if ((status)); then
  cat "$log" >&2
  exit "$status"
fi

cmake --build --preset "$preset" --target "$target" --parallel "${METADIST_JOBS:-$(nproc)}" >&2
echo "built build/$preset in $((SECONDS - start)) s" >&2
