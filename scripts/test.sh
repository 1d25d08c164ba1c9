#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds and runs every test, golden and check; ends with ctest's summary.
#   scripts/test.sh [PRESET] [CTEST OPTIONS...]    for example: scripts/test.sh release -R '^cli/'
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
if (($#)) && [[ $1 != -* ]]; then
  preset=$1
  shift
fi
scripts/setup.sh build test
scripts/build.sh "$preset"
ctest --preset "$preset" --parallel "${METADIST_JOBS:-$(nproc)}" "$@" < /dev/null
