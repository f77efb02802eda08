"""State that is larger than memory may be: the same output with and without state.memory.budget."""
import os
import shutil
import zlib

from comparison.process import run
from comparison.progress import batches, state_rows_max

LARGE_ROWS = 30_000_000
SMALL_ROWS = 1_000_000
BUDGET = "1 gb"
SMOKE_BUDGET = "4 mb"
PEAK_MB_MAX = 2.25 * 1024


def measure(place, report):
    rows, small_rows = place.rows(LARGE_ROWS), place.rows(SMALL_ROWS)
    budget = SMOKE_BUDGET if place.is_smoke else BUDGET
    # Without a budget the payload alone is three times that: one mode says what is right.
    expected = _run(place, report, "no budget", rows, small_rows, [])
    per_record = ["--set", "execution.mode=per-record"]
    for name, more, has_checkpoint in (
            ("budget", [], False), ("budget, checkpoint", [], True),
            ("budget, 2 partitions", ["--set", "parallelism=2"], False),
            ("budget, per record", per_record, False)):
        more = [*more, "--set", f"state.memory.budget={budget}", "--set",
                f"state.spill-directory={os.path.join(place.folder, 'spill')}"]
        found = _run(place, report, name, rows, small_rows, more, has_checkpoint)
        for what in ("rows out", "checksum"):
            report.expect_equal(f"{what} of state beyond memory, {name}", expected[what],
                                found[what])
        report.goal("memory", f"peak, {rows} state rows, {BUDGET}, {name}", found["peak_mb"],
                    PEAK_MB_MAX, "MB")


def _run(place, report, name, rows, small_rows, more, has_checkpoint=False):
    out = os.path.join(place.folder, f"large_state_{os.getpid()}")
    command = place.braid("large_state.sql", "", "--progress", "json", *more, OUT=out, LARGE=rows,
                          SMALL=small_rows, LAST=rows - 1, STEP=rows // small_rows)
    place.remove_checkpoint()
    usage = run(place.with_checkpoint(command) if has_checkpoint else command)
    checkpoint_mb = _folder_bytes(place.checkpoint) / 1e6 if has_checkpoint else 0
    place.remove_checkpoint()
    states = [batch["stateOperators"][0] for batch in batches(usage.output)]
    count, checksum = _digest(out)
    shutil.rmtree(out)
    figures = {
        "rows out": count, "state rows": state_rows_max(batches(usage.output)),
        "cpu_s": usage.cpu_s, "wall_s": usage.wall_s, "peak_mb": usage.peak_mb,
        "spilled MB": max(state["spilledBytes"] for state in states) / 1e6,
        "index MB": max(state["memoryIndexBytes"] for state in states) / 1e6,
        "checkpoint MB": checkpoint_mb}
    report.named_figures(f"30 million wide state rows, {name}", figures)
    return {**figures, "checksum": checksum}


def _digest(folder):
    """How many lines the files of a folder have, and a sum of their checksums: in any order."""
    count = checksum = 0
    for name in os.listdir(folder):
        if not name.endswith(".csv"):
            continue
        with open(os.path.join(folder, name), "rb") as file:
            for line in file:
                count += 1
                checksum += zlib.crc32(line)
    return count, checksum


def _folder_bytes(folder):
    return sum(os.path.getsize(os.path.join(path, name))
               for path, _, names in os.walk(folder) for name in names)
