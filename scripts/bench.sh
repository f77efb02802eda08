#!/bin/sh
# Runs every benchmark program of the release build, or those whose name contains an argument; then, without
# arguments, compares whole runs with DuckDB (bench/compare.py, which needs Python with venv and PyPI).
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
[ $# -eq 0 ] || exit 0
printf '\n-- bench/compare.py\n'
if python3 -c 'import ensurepip, venv' 2>/dev/null; then
  python3 bench/compare.py
else
  echo "bench: python3-venv is not installed: no comparison with DuckDB" >&2
fi
