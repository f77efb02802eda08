#!/bin/sh
# Runs a command in a clone of the last commit on a new, minimal Debian 12: what a newcomer's machine
# does with it. Needs root and the package debootstrap; leaves nothing behind.
#
#   scripts/fresh_debian.sh [COMMAND]       e.g. "make demo"; without one: scripts/setup.sh, make test
set -eu

command=${1:-./scripts/setup.sh && make test}
mirror=${MIRROR:-http://deb.debian.org/debian}

[ "$(id -u)" -eq 0 ] || { echo "fresh_debian: needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "fresh_debian: apt-get install debootstrap" >&2; exit 1; }

cd "$(dirname "$0")/.."
root=$(mktemp -d)

leave() {
  umount "$root/proc" 2>/dev/null || true
  # Never into something that is still mounted.
  rm -rf --one-file-system "$root"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root/debootstrap.txt" 2>&1 ||
  { cat "$root/debootstrap.txt" >&2; exit 1; }
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir "$root/source"
git archive HEAD | tar -x -C "$root/source"

env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/ \
  chroot "$root" sh -c "cd /source && $command" </dev/null
