#!/bin/sh
# Installs the Debian packages that are missing, and does nothing when all are there.
#
#   scripts/setup.sh [GROUP ...]     GROUP is a section of packages.txt; without one: build
#
# Works as root, through sudo, and as a plain user when nothing is missing. Never removes a package:
# when apt would have to, it says which ones and stops.
set -eu

list="$(dirname "$0")/packages.txt"

fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

# Prints the lines of one group of packages.txt, without comments.
packages_of() {
  sed -e 's/#.*//' -e 's/[[:space:]]*$//' "$list" |
    awk -v group="[$1]" '/^\[/ { inside = ($0 == group); found = found || inside; next }
                         inside && NF { print }
                         END { exit !found }' || fail "there is no group '$1' in $list"
}

# Succeeds if "name" or "name (>= version)" is installed.
is_installed() {
  name=${1%% *}
  at_least=$(printf '%s\n' "$1" | sed -n 's/.*(>= *\([^)]*\)).*/\1/p')
  found=$(dpkg-query -W -f='${db:Status-Status} ${Version}\n' "$name" 2>/dev/null |
    sed -n 's/^installed //p' | head -n 1)
  [ -n "$found" ] || return 1
  [ -z "$at_least" ] || dpkg --compare-versions "$found" ge "$at_least"
}

# Prints the first choice of each line of which no alternative is installed.
missing_of() {
  packages_of "$1" | while IFS= read -r line; do
    satisfied=no
    rest="$line |"
    while [ -n "$rest" ]; do
      choice=${rest%%|*}
      rest=${rest#*|}
      choice=$(printf '%s' "$choice" | sed -e 's/^ *//' -e 's/ *$//')
      if [ -n "$choice" ] && is_installed "$choice"; then satisfied=yes; fi
    done
    [ "$satisfied" = yes ] || printf '%s\n' "${line%% *}"
  done
}

if [ $# -eq 0 ]; then set -- build; fi

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "setup: not a Debian system; CMake will name the libraries that it does not find"
  exit 0
fi

missing=""
for group in "$@"; do
  packages_of "$group" >/dev/null
  missing="$missing $(missing_of "$group" | tr '\n' ' ')"
done
# shellcheck disable=SC2086 # A list of words is wanted.
missing=$(echo $missing)
[ -n "$missing" ] || exit 0

echo "setup: missing packages: $missing"
by_hand="apt-get update && apt-get install --no-remove $missing"
if [ "$(id -u)" -eq 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
  as_root="sudo env"
else
  fail "installing them needs root. Run this as root, then try again:" "  $by_hand"
fi

apt() {
  $as_root DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

apt update || echo "setup: apt-get update failed; going on with the lists that are there" >&2

# shellcheck disable=SC2086
plan=$(LC_ALL=C apt install --simulate --no-install-recommends $missing 2>&1) ||
  fail "apt cannot install them:" "$plan"
removed=$(printf '%s\n' "$plan" | awk '$1 == "Remv" { print $2 }' | tr '\n' ' ')
if [ -n "$removed" ]; then
  fail "apt would have to remove packages that are installed: $removed" \
    "Braid does not do that (libboost1.81-dev conflicts with Debian 12's default Boost, 1.74)." \
    "Build in a container (see Dockerfile), or, if you can do without them, remove them yourself:" \
    "  apt-get remove $removed"
fi

# shellcheck disable=SC2086
apt install -y --no-remove --no-install-recommends $missing ||
  fail "apt-get install failed; the lines above say why. By hand: $by_hand"
