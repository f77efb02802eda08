"""A restart with five million rows in state that finds nothing to do."""
import statistics

from comparison.process import run
from comparison.progress import batches

IMPRESSIONS = 5_500_000  # 550 s.
SECONDS = 3_600


def measure(place, report):
    data = place.data("w1", place.rows(IMPRESSIONS), "forms=csv")
    job = place.with_checkpoint(
        place.braid("w1_window.sql", data, "--progress", "json", end="hold", SECONDS=SECONDS))
    place.remove_checkpoint()
    first = run(job)
    state = batches(first.output)[-1]["stateOperators"][0]["numRowsTotal"]
    restarts = [run(job) for _ in range(place.runs)]
    place.remove_checkpoint()
    for restart in restarts:
        report.expect_equal("rows that a restart reads", True,
                            "\n0 rows in" in "\n" + restart.output)
    report.figure("rows in state", state, "rows")
    report.figure("the run that filled it", first.cpu_s, "CPU s")
    report.figure("peak memory of a restart", max(r.peak_mb for r in restarts), "MB")
    cpu_s = statistics.median(restart.cpu_s for restart in restarts)
    report.figure("a restart", cpu_s, "CPU s")
    if state:
        report.goal("restore", "CPU of a restart, for 5 million state rows",
                    cpu_s / state * 5e6, 1.0, "s")
