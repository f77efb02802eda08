"""One row a batch, for ever: does what is left grow with the number of batches?

A job is run three times over one checkpoint, each time with more files in its input: after a
quarter of the batches, after half of them, after all. What a restart reads, what a run holds in
memory must be as large each time, and the checkpoint small; the output folder follows from its
bytes.
"""
import os
import re
import shutil

from comparison.process import run

BATCHES = 20_000
LONG_BATCHES = 200_000
LEGS = (0.25, 0.25, 0.5)
KEYS = 50
ROWS_A_SECOND = 10  # Of event time: what is in state is bounded by the watermark.
FILE_BYTES = 1 << 20
# LevelDB's log and first tables grow and are merged, up to some 15 MB, whatever the number of batches:
# how many there are of them at the end of a leg says nothing.
CHECKPOINT_MB_MAX = 20
MODES = {
    "micro-batch": [],
    "per-record": ["--mode", "per-record", "--set", "execution.checkpointing.interval=1 us"],
}


def measure(place, report):
    count = place.rows(LONG_BATCHES if place.is_long else BATCHES)
    report.table_heading(["batches", "ck bytes", "ck files", "out files", "out bytes", "peak MB",
                          "restart s", "restart MB"])
    for mode, options in MODES.items():
        legs = _measure_mode(place, report, mode, options, count)
        for name, attribute, limit in (
                ("peak memory", "peak_mb", 1.3),
                ("CPU of a restart", "restart_cpu_s", 3.0)):
            report.goal("small batches", f"{name}, {mode}: {legs[-1]['batches']} batches / a quarter",
                        legs[-1][attribute] / max(legs[0][attribute], 0.02), limit)
        report.goal("small batches", f"largest checkpoint, {mode}",
                    max(leg["checkpoint_bytes"] for leg in legs) / 1e6, CHECKPOINT_MB_MAX, "MB")
        last = legs[-1]
        report.goal("small batches", f"files of output, {mode}: more than its bytes ask for",
                    last["out_files"] - last["out_bytes"] / FILE_BYTES, 3, "files")


def _measure_mode(place, report, mode, options, count):
    folder = os.path.join(place.folder, "small_batches")
    shutil.rmtree(folder, ignore_errors=True)
    place.remove_checkpoint()
    job = place.with_checkpoint(
        place.braid("small_batches.sql", folder, "--progress", "none", *options, end="hold",
                    FILE_BYTES=FILE_BYTES))
    rows = 0
    legs = []
    for number, share in enumerate(LEGS):
        more = int(count * share / 2)  # Each batch has a row of one table.
        for name in ("l", "r"):
            _write_rows(os.path.join(folder, name, f"{number}.csv"), rows, more)
        rows += more
        usage = run(job)
        out = _folder(os.path.join(folder, "out"))
        restart = run(job)
        report.expect_equal(f"rows out after {rows}, {mode}", True,
                            _count_rows(os.path.join(folder, "out")) >= rows - 2 * ROWS_A_SECOND)
        checkpoint = _folder(place.checkpoint)
        versions = run([place.braid_command, "state", place.checkpoint]).output
        leg = {"batches": _last_batch(versions) + 1, "checkpoint_bytes": checkpoint[1],
               "checkpoint_files": checkpoint[0], "out_files": out[0], "out_bytes": out[1],
               "peak_mb": usage.peak_mb, "restart_cpu_s": restart.cpu_s,
               "restart_mb": restart.peak_mb}
        report.table_row(f"{mode}, part {number + 1} of {len(LEGS)}", leg)
        legs.append(leg)
    place.remove_checkpoint()
    shutil.rmtree(folder)
    return legs


def _write_rows(path, first, count):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        for row in range(first, first + count):
            millis = row * 1000 // ROWS_A_SECOND
            file.write(f"{row % KEYS},{1767225600000 + millis},row {row}\n")


def _folder(path):
    """How many files are in a folder, but for hidden ones, and their bytes."""
    files = [os.path.join(where, name) for where, _, names in os.walk(path) for name in names
             if not name.startswith((".", "_"))]
    return len(files), sum(os.path.getsize(file) for file in files)


def _count_rows(path):
    count = 0
    for name in os.listdir(path):
        if not name.startswith((".", "_")):
            with open(os.path.join(path, name), "rb") as file:
                count += file.read().count(b"\n")
    return count


def _last_batch(versions):
    return int(re.findall(r"^ *(\d+) ", versions, re.MULTILINE)[-1])
