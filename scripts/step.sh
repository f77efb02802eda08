#!/bin/sh
# Runs one step of a make target under a heading, and says which step it was when it fails.
#
#   scripts/step.sh "what it does" command [argument ...]
set -u

name=$1
shift
printf '\n== %s\n' "$name"
"$@"
code=$?
if [ "$code" -ne 0 ]; then
  printf '\nFAILED: %s (exit code %d): %s\n' "$name" "$code" "$*" >&2
fi
exit "$code"
