#!/bin/sh
# Runs each fuzzer of the preset `fuzz`, which is built, for FUZZ_SECONDS (300) over the corpus in the
# tree, one after the other on each processor. What they find on the way is kept in build/fuzz/found;
# inputs that end a program are named at the end, to be mended and put into tests/fuzz/corpus.
#
#   scripts/fuzz.sh [NAME ...]
set -eu

seconds=${FUZZ_SECONDS:-300}
programs=build/fuzz/tests/fuzz
found=build/fuzz/found
export UBSAN_OPTIONS=print_stacktrace=1

# The canary has to be found: else the fuzzers see nothing.
mkdir -p "$found/canary"
if "$programs/fuzz_canary" -max_total_time=120 -max_len=16 "-artifact_prefix=$found/canary/" \
    >"$found/canary.log" 2>&1; then
  echo "fuzz: the canary was not found, see $found/canary.log" >&2
  exit 1
fi
rm -rf "$found/canary"

[ $# -gt 0 ] || set -- $(cd tests/fuzz/corpus && ls)
for name in "$@"; do
  mkdir -p "$found/$name"
done
printf '%s\n' "$@" | xargs -P "$(nproc)" -I NAME sh -c '
  "$0/fuzz_NAME" -max_total_time="$1" -timeout=20 -rss_limit_mb=2048 -max_len=4096 \
    -print_final_stats=1 "-artifact_prefix=$2/NAME-" "$2/NAME" "tests/fuzz/corpus/NAME" >"$2/NAME.log" 2>&1 ||
    touch "$2/NAME.failed"' "$programs" "$seconds" "$found"
code=0
for name in "$@"; do
  runs=$(sed -n 's/stat::number_of_executed_units: *//p' "$found/$name.log")
  if [ -e "$found/$name.failed" ]; then
    rm "$found/$name.failed"
    code=1
    printf '%-16s FAILED: %s\n' "$name" "$found/$name.log"
    grep -E 'Test unit written to|SUMMARY|not so:' "$found/$name.log" || true
  else
    printf '%-16s clean, %s inputs\n' "$name" "$runs"
  fi
done
exit "$code"
