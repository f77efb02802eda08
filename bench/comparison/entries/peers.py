"""W1 in Flink, Spark and Pathway, once each: they take a minute and more, and Java."""
import os
import subprocess

from comparison.process import Failed, run, run_with_orphans
from comparison.series import measure_in_turns
from comparison.workplace import rows_out

PACKAGES = {"flink": "apache-flink==2.3.0", "spark": "pyspark==4.3.0", "pathway": "pathway"}
GOALS = {"flink": 150, "spark": 200}
PER_RECORD_GOAL = 50


def measure(place, report):
    forms = "forms=csv,parts"
    data = place.data("w1", place.rows(2_000_000), forms)
    job = place.braid("w1_inner.sql", data)
    per_record = place.with_checkpoint([*job, "--mode", "per-record"])
    ours = measure_in_turns(place, {"braid, checkpoint": place.with_checkpoint(job),
                                    "braid, per-record, checkpoint": per_record})
    report.table_heading(["CPU s", "wall s", "peak MB", "/ braid", "rows out"])
    for name, figure in ours.items():
        _table_row(report, name, figure, None, figure.rows_out)
    expected = rows_out(run(place.peer("duckdb_join.py", data, "w1-inner")).output)
    for peer in PACKAGES:
        try:
            usage = run_with_orphans([_python(place, peer), place.peer_script(f"{peer}_join.py"),
                                      data])
        except (Failed, OSError, subprocess.CalledProcessError) as failure:
            # A peer that is not to be had here says nothing about Braid.
            print(f"{peer} did not run: {failure}", flush=True)
            continue
        rows = None if "out=none" in usage.output else rows_out(usage.output)
        if rows is not None:
            report.expect_equal(f"rows out of {peer}", expected, rows)
        ratio = usage.cpu_s / ours["braid, checkpoint"].cpu_s
        _table_row(report, peer, usage, ratio, rows)
        if peer in GOALS:
            report.goal("CPU", f"{peer} / braid, checkpoint", ratio, GOALS[peer], at_least=True)
        if peer == "flink":
            report.goal("per-record", "flink / braid, per-record, checkpoint",
                        usage.cpu_s / ours["braid, per-record, checkpoint"].cpu_s,
                        PER_RECORD_GOAL, at_least=True)


def _python(place, peer):
    """The Python named by FLINK_PYTHON and so on, or one of its own in build/bench."""
    given = os.environ.get(f"{peer.upper()}_PYTHON")
    if given:
        return given
    return place.python_with(peer, [PACKAGES[peer]])


def _table_row(report, name, figure, ratio, rows):
    report.table_row(name, {"cpu_s": figure.cpu_s, "wall_s": figure.wall_s,
                            "peak_mb": round(figure.peak_mb), "to_braid": ratio,
                            "rows_out": rows})
