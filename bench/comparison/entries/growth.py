"""W1 of 2, 8 and (--long) 32 million impressions: time a further row, memory, bytes written."""
import os
import statistics

from comparison.process import run
from comparison.progress import batches, state_bytes_a_row
from comparison.workplace import rows_out

SIZES = (2_000_000, 8_000_000)
LONG_SIZE = 32_000_000
FIRST_SIZE = 20_000  # What a start costs, and little more.
KINDS = {"": False, ", checkpoint": True}


def measure(place, report):
    sizes = [place.rows(size) for size in SIZES]
    if place.is_long:
        sizes.append(place.rows(LONG_SIZE))
    usages = {size: _measure_size(place, report, size) for size in sizes}
    first = _measure_size(place, report, place.rows(FIRST_SIZE), checks_count=False)
    report.table_heading(["rows in", "CPU s", "ns/row", "peak MB", "written", "B/row state"])
    rows = {size: _rows_in(place, size) for size in sizes}
    rows[None] = _rows_in(place, place.rows(FIRST_SIZE))
    for kind in KINDS:
        slopes = []
        smaller_rows, smaller_cpu_s = rows[None], first[kind].cpu_s
        for size in sizes:
            usage = usages[size][kind]
            slopes.append((usage.cpu_s - smaller_cpu_s) / (rows[size] - smaller_rows) * 1e9)
            smaller_rows, smaller_cpu_s = rows[size], usage.cpu_s
            report.table_row(f"braid inner{kind}, {size} impressions", {
                "rows_in": rows[size], "cpu_s": usage.cpu_s, "ns_further_row": slopes[-1],
                "peak_mb": usage.peak_mb,
                "written_bytes_a_byte": usage.written_bytes / _bytes_in(place, size),
                "bytes_a_state_row": usage.bytes_a_state_row})
        report.goal("flat", f"ns a further row{kind}: at most so many times that of the size before",
                    max(later / earlier for earlier, later in zip(slopes, slopes[1:])), 1.3)
    _memory_goals(report, usages, sizes)
    if place.is_long:
        largest = usages[sizes[-1]][", checkpoint"]
        report.goal("store", f"bytes written a byte of input, {rows[sizes[-1]]} rows",
                    largest.written_bytes / _bytes_in(place, sizes[-1]), 1.2)


def _memory_goals(report, usages, sizes):
    smallest, largest = usages[sizes[0]], usages[sizes[-1]]
    report.goal("flat", f"peak memory, {sizes[-1]} impressions / {sizes[0]}",
                largest[""].peak_mb / smallest[""].peak_mb, 1.2)
    report.goal("flat", f"peak memory with checkpoint, {sizes[-1]} impressions",
                largest[", checkpoint"].peak_mb, 260, "MB")
    report.goal("memory", "of a state row of W1", largest[""].bytes_a_state_row, 60, "bytes")


def _data(place, size):
    # The smallest is that of the entry `joins`.
    return place.data("w1", size, *([] if size <= SIZES[0] else ["forms=csv"]))


def _rows_in(place, size):
    return sum(_count_lines(os.path.join(_data(place, size), name)) for name in ("L.csv", "R.csv"))


def _bytes_in(place, size):
    return sum(os.path.getsize(os.path.join(_data(place, size), name))
               for name in ("L.csv", "R.csv"))


def _count_lines(path):
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def _measure_size(place, report, size, checks_count=True):
    """The medians without and with a checkpoint, in turns; large sizes are run less often."""
    data = _data(place, size)
    job = place.braid("w1_inner.sql", data, "--progress", "json")
    rounds = place.runs if size <= SIZES[0] else 1 if size >= LONG_SIZE else min(place.runs, 3)
    runs = {kind: [] for kind in KINDS}
    for _ in range(rounds):
        for kind, has_checkpoint in KINDS.items():
            place.remove_checkpoint()
            runs[kind].append(run(place.with_checkpoint(job) if has_checkpoint else job))
    place.remove_checkpoint()
    if checks_count:
        expected = rows_out(run(place.peer("duckdb_join.py", data, "w1-inner")).output)
        for kind in KINDS:
            report.expect_equal(f"rows out of braid inner{kind}, {size} impressions", expected,
                                rows_out(runs[kind][-1].output))
    return {kind: _median(usages) for kind, usages in runs.items()}


def _median(usages):
    median = usages[-1]
    median.bytes_a_state_row = state_bytes_a_row(batches(median.output))
    for attribute in ("cpu_s", "peak_mb", "written_bytes"):
        setattr(median, attribute, statistics.median(getattr(u, attribute) for u in usages))
    return median
