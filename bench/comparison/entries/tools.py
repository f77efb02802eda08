"""compare, advise and state beside the runs that they stand for."""
import os
import shutil

from comparison.process import run
from comparison.progress import batches
from comparison.series import measure_in_turns

IMPRESSIONS = 6_000_000  # 7.9 million rows.
SECONDS = 3_600
LIMIT = 2.0


def measure(place, report):
    data = place.data("w1", place.rows(IMPRESSIONS), "forms=csv")
    job = place.braid("w1_inner.sql", data)
    tool_options = job[2:]
    commands = {
        "run": job,
        "run, per-record": [*job, "--mode", "per-record"],
        "compare": [place.braid_command, "compare", *tool_options],
        "advise": [place.braid_command, "advise", *tool_options],
    }
    figures = measure_in_turns(place, commands, without_rows=("compare", "advise"),
                               rounds=min(place.runs, 3))
    report.table_heading(["CPU s", "wall s", "peak MB"])
    for name, figure in figures.items():
        _table_row(report, name, figure)
    report.goal("tools", "compare / both runs", figures["compare"].cpu_s /
                (figures["run"].cpu_s + figures["run, per-record"].cpu_s), LIMIT)
    report.goal("tools", "advise / run", figures["advise"].cpu_s / figures["run"].cpu_s, LIMIT)
    _measure_state(place, report, data)


def _measure_state(place, report, data):
    """Prints all rows of a checkpoint in which every row that was read still is."""
    fill = place.with_checkpoint(
        place.braid("w1_window.sql", data, "--progress", "json", end="hold", SECONDS=SECONDS))
    place.remove_checkpoint()
    filling = run(fill)
    rows = batches(filling.output)[-1]["stateOperators"][0]["numRowsTotal"]
    listing_path = os.path.join(place.folder, "state_rows")
    show = [place.braid_command, "state", place.checkpoint]
    versions = run(show)
    # Through a file: a pipe would count what this program reads.
    listing = run(["sh", "-c", f"exec \"$@\" > {listing_path}", "sh", *show, "--rows",
                   "--limit", "0"])
    with open(listing_path, "rb") as file:
        lines = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    os.remove(listing_path)
    shutil.rmtree(place.checkpoint)
    _table_row(report, f"run, {rows} rows in state", filling)
    _table_row(report, "state, the versions", versions)
    _table_row(report, "state, every row", listing)
    report.expect_equal("rows that state lists", rows, lines)
    report.goal("tools", "state, the versions / run", versions.cpu_s / filling.cpu_s, LIMIT)
    report.goal("tools", "state, every row / run", listing.cpu_s / filling.cpu_s, LIMIT)


def _table_row(report, name, figure):
    report.table_row(name, {"cpu_s": figure.cpu_s, "wall_s": figure.wall_s,
                            "peak_mb": figure.peak_mb})
