#!/bin/sh
# The example prints what README.md shows.
set -eu
"$1" run examples/ad_clicks/job.sql | sort >printed.txt
grep '^+I\[' README.md | sort | diff - printed.txt
