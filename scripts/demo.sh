#!/bin/sh
# Runs examples/flights with the release build: prints the plan, joins, shows some rows, and compares
# the counts with those of an independent database.
#
#   scripts/demo.sh          BRAID=path runs another build of the command
set -eu
exec </dev/null
cd "$(dirname "$0")/.."

braid=${BRAID:-build/release/engine/cli/braid}
job=examples/flights/job.sql
output=out/flights
checkpoint=checkpoint/flights

heading() { printf '\n-- %s\n' "$1"; }

# The rows of all batches, in order.
rows() { find "$output" -type f -name '[!_.]*' | sort | xargs cat; }

rm -rf "$output" "$checkpoint"

heading "The plan: braid explain $job"
"$braid" explain "$job"

heading "The run: braid run $job --checkpoint $checkpoint"
"$braid" run "$job" --checkpoint "$checkpoint"

heading "Some flights that left late in poor visibility"
rows | awk -F, '
  BEGIN { line = "%-16s  %-7s %-4s > %-4s %8s   %-16s %10s\n"
          printf line, "departure", "flight", "from", "to", "late by", "weather of", "visibility" }
  $8 != "NA" && $6 != "NA" && $6 >= 180 && shown < 8 { ++shown
          printf line, substr($1, 1, 16), $2 $3, $4, $5, $6 " min", substr($7, 1, 16), $8 " miles" }'

heading "Some flights without a report of poor visibility in the hour before: padded with NULLs"
rows | awk -F, '
  $7 == "NA" && shown < 4 { ++shown; print "  " $0 }'

heading "The counts, beside those of an independent database"
rows | awk -F, '
  { ++rows } $7 == "NA" { ++padded }
  END { printf "  rows    %6d  (28607 expected)\n  matched %6d  (3875 expected)\n", rows, rows - padded
        printf "  padded  %6d  (24732 expected)\n", padded
        exit !(rows == 28607 && padded == 24732) }' ||
  { echo "demo: the counts differ" >&2; exit 1; }

printf '\nThe output is in %s, the checkpoint in %s (braid state %s).\n' \
  "$output" "$checkpoint" "$checkpoint"
printf 'To run the job by hand, remove both first: rm -rf %s %s\n' "$output" "$checkpoint"
