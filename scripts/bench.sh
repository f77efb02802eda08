#!/bin/sh
# Runs every benchmark program of the release build, or those whose name contains an argument.
#
#   scripts/bench.sh [NAME ...]
set -eu

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
