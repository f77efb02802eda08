#!/bin/sh
# make demo's script; it compares the counts itself.
set -eu
BRAID=$1 sh scripts/demo.sh
