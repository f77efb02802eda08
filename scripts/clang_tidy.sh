#!/bin/sh
# Runs clang-tidy-14 with .clang-tidy over every source that a configured build compiles.
#
#   scripts/clang_tidy.sh BUILD_FOLDER
set -eu

sed -n 's|^ *"file": "\(.*\)",\{0,1\}$|\1|p' "$1/compile_commands.json" |
  grep "^$PWD/\(state\|engine\|tests\|bench\)/" | sort -u |
  xargs -n 1 -P "$(nproc)" clang-tidy-14 --quiet --extra-arg=-Wno-unknown-warning-option -p "$1"
