#!/bin/sh
# Runs the commands that an example's page shows, and compares what they print with what it shows:
# every ```sh block that a ``` block follows, with only blank lines between.
#
#   page_test.sh PAGE         in a folder that looks like the top of the repository
set -eu

page=$1
PATH="$PWD/build/release/engine/cli:$PATH"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Writes N.sh and N.txt for each such pair.
awk -v folder="$scratch" '
  /^```/ && inside { inside = 0; next }
  /^```/ {
    inside = 1
    if ($0 == "```sh") { ++count; kind = "sh"; pending = 1 }
    else if ($0 == "```" && pending) { kind = "txt"; pending = 0 }
    else { kind = ""; pending = 0 }
    if (kind != "") printf "" >(folder "/" count "." kind)
    next
  }
  inside { if (kind != "") print >(folder "/" count "." kind); next }
  NF { pending = 0 }' "$page"

compared=0
for shown in "$scratch"/*.txt; do
  [ -e "$shown" ] || break
  commands=${shown%.txt}.sh
  echo "-- $page:"
  cat "$commands"
  sh -eu "$commands" >"$scratch/printed" || { echo "exit code $?"; exit 1; }
  diff -u "$shown" "$scratch/printed"
  compared=$((compared + 1))
done
[ "$compared" -gt 0 ] || { echo "$page shows no command with its output"; exit 1; }
