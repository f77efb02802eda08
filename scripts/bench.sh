#!/bin/sh
# Runs bench/compare.py with the arguments that are given, or, with --programs, the benchmark programs of single
# parts whose name contains one of them (all without).
#
#   scripts/bench.sh [argument of bench/compare.py ...]
#   scripts/bench.sh --programs [NAME ...]
set -eu

if [ "${1:-}" != --programs ]; then
  exec python3 bench/compare.py "$@"
fi
shift
programs=$(find build/release/bench -type f -name '*_bench' -perm -u+x 2>/dev/null | sort)
[ -n "$programs" ] || { echo "bench: there is no benchmark in build/release/bench" >&2; exit 1; }
for program in $programs; do
  wanted=no
  [ $# -eq 0 ] && wanted=yes
  for name in "$@"; do
    case "$program" in *"$name"*) wanted=yes ;; esac
  done
  [ "$wanted" = no ] || { printf '\n-- %s\n' "$program"; "$program"; }
done
