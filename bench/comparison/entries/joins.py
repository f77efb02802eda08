"""Whole joins beside DuckDB's batch join and DataFusion's symmetric hash join of the same files."""
from comparison.series import measure_in_turns

ROWS = 2_000_000
FLINK_CPU_S = 66.2  # W1 inner of 2 million impressions; bench/peers/README.md has the run.
SPARK_CPU_S = 90.4

# Joins of one count of result rows: ours first, then the peers that are asked.
GROUPS = {
    "inner": ["braid inner", "braid inner, checkpoint", "braid inner, per-record",
              "braid inner, per-record, checkpoint", "duckdb inner", "datafusion inner"],
    "left": ["braid left", "braid left, checkpoint", "braid left, per-record",
             "braid left, per-record, checkpoint", "duckdb left", "datafusion left"],
    "json": ["braid json", "duckdb json"],
    "w2": ["braid w2", "braid w2, checkpoint", "duckdb w2", "datafusion w2"],
}
STARTS = {"duckdb": "python with duckdb", "datafusion": "python with datafusion"}


def measure(place, report):
    rows = place.rows(ROWS)
    figures = measure_in_turns(place, _commands(place, rows), without_rows=STARTS.values())
    print("/ DuckDB, / DataFus.: our CPU seconds over theirs, from which the start of Python is "
          "taken off")
    report.table_heading(["CPU s", "wall s", "peak MB", "/ DuckDB", "/ DataFus.", "rows out"])
    for name in STARTS.values():
        _table_row(report, name, figures[name])
    ratios = {}
    for group, names in GROUPS.items():
        for name in names:
            ratios[name] = _ratios(figures, group, name)
            _table_row(report, name, figures[name], ratios[name])
            report.expect_equal(f"rows out of {name}", figures[f"duckdb {group}"].rows_out,
                                figures[name].rows_out)
    _goals(report, figures, ratios)


def _commands(place, rows):
    w1 = place.data("w1", rows)
    w2 = place.data("w2", rows)
    w1_inner = place.braid("w1_inner.sql", w1)
    w1_left = place.braid("w1_left.sql", w1)
    w1_json = place.braid("w1_inner_json.sql", w1)
    w2_inner = place.braid("w2.sql", w2)
    per_record = ["--mode", "per-record"]
    checkpoint = place.with_checkpoint
    return {
        "python with duckdb": [place.python(), "-c", "import duckdb"],
        "python with datafusion": [place.python(), "-c", "import datafusion, pyarrow"],
        "braid inner": w1_inner,
        "duckdb inner": place.peer("duckdb_join.py", w1, "w1-inner"),
        "braid inner, checkpoint": checkpoint(w1_inner),
        "datafusion inner": place.peer("datafusion_join.py", w1, "w1-inner"),
        "braid left": w1_left,
        "duckdb left": place.peer("duckdb_join.py", w1, "w1-left"),
        "braid left, checkpoint": checkpoint(w1_left),
        "datafusion left": place.peer("datafusion_join.py", w1, "w1-left"),
        "braid json": w1_json,
        "duckdb json": place.peer("duckdb_join.py", w1, "w1-inner", "json"),
        "braid w2": w2_inner,
        "duckdb w2": place.peer("duckdb_join.py", w2, "w2"),
        "braid w2, checkpoint": checkpoint(w2_inner),
        "datafusion w2": place.peer("datafusion_join.py", w2, "w2"),
        "braid inner, per-record": w1_inner + per_record,
        "braid inner, per-record, checkpoint": checkpoint(w1_inner + per_record),
        "braid left, per-record": w1_left + per_record,
        "braid left, per-record, checkpoint": checkpoint(w1_left + per_record),
    }


def _ratios(figures, group, name):
    """Our CPU seconds over those of each peer of the group, by peer."""
    ratios = {}
    for peer, start in STARTS.items():
        peer_name = f"{peer} {group}"
        if name.startswith("braid") and peer_name in figures:
            ratios[peer] = figures[name].cpu_s / (figures[peer_name].cpu_s - figures[start].cpu_s)
    return ratios


def _table_row(report, name, figure, ratios=None):
    ratios = ratios or {}
    report.table_row(name, {
        "cpu_s": figure.cpu_s, "wall_s": figure.wall_s, "peak_mb": round(figure.peak_mb),
        "to_duckdb": ratios.get("duckdb"), "to_datafusion": ratios.get("datafusion"),
        "rows_out": figure.rows_out})


def _goals(report, figures, ratios):
    for group in ("inner", "left"):
        for name, limit in ((f"braid {group}", 0.4), (f"braid {group}, checkpoint", 0.6)):
            report.goal("CPU", f"{name} / DuckDB", ratios[name]["duckdb"], limit)
            report.goal("CPU", f"DataFusion / {name}", 1 / ratios[name]["datafusion"], 4,
                        at_least=True)
            report.goal("memory", name, figures[name].peak_mb, 130, "MB")
    for name in ("braid w2", "braid w2, checkpoint"):
        report.goal("CPU", f"{name} / DuckDB", ratios[name]["duckdb"], 0.8)
    report.goal("CPU", "braid json / DuckDB", ratios["braid json"]["duckdb"], 1.0)
    with_checkpoint = figures["braid inner, checkpoint"].cpu_s
    report.goal("CPU", "Flink (one recorded run) / braid inner, checkpoint",
                FLINK_CPU_S / with_checkpoint, 150, at_least=True)
    report.goal("CPU", "Spark (one recorded run) / braid inner, checkpoint",
                SPARK_CPU_S / with_checkpoint, 200, at_least=True)
    per_record = figures["braid inner, per-record, checkpoint"].cpu_s
    report.goal("per-record", "Flink (one recorded run) / braid inner, per-record, checkpoint",
                FLINK_CPU_S / per_record, 50, at_least=True)
    for group in ("inner", "left"):
        for more in ("", ", checkpoint"):
            report.goal("per-record", f"braid {group}, per-record{more} / micro-batch",
                        figures[f"braid {group}, per-record{more}"].cpu_s /
                        figures[f"braid {group}{more}"].cpu_s, 3)
