#!/bin/sh
# Runs the tests of a preset that is built; ctest's summary comes last.
#
#   scripts/test.sh PRESET [ctest argument ...]
set -eu

exec </dev/null
preset=$1
shift
randomness=$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)
if [ "$preset" = tsan ] && [ "$randomness" -gt 28 ]; then
  # GCC 12's thread sanitizer refuses to start where addresses are more random than that.
  exec setarch --addr-no-randomize ctest --preset "$preset" --parallel "$(nproc)" "$@"
fi
exec ctest --preset "$preset" --parallel "$(nproc)" "$@"
