#!/bin/sh
# Prints how many compilers may run at once: one a processor, but no more than memory has room for.
set -eu

gigabytes_a_job=2

processors=$(nproc)
kilobytes=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
for limit in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
  # A container's limit; "max" or a huge number where there is none.
  bytes=$(cat "$limit" 2>/dev/null || echo max)
  case "$bytes" in
    max | ????????????????*) ;;
    *) if [ $((bytes / 1024)) -lt "$kilobytes" ]; then kilobytes=$((bytes / 1024)); fi ;;
  esac
done

jobs=$((kilobytes / (gigabytes_a_job * 1024 * 1024)))
if [ "$jobs" -gt "$processors" ]; then jobs=$processors; fi
if [ "$jobs" -lt 1 ]; then jobs=1; fi
echo "$jobs"
