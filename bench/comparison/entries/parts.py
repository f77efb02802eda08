"""The programs of single parts, bench/*_bench.cc: those with a goal, or in a smoke run all of them."""
import glob
import json
import os

from comparison.process import Failed, run

PLAIN_PROGRAMS = {"store_bench"}  # Those that are not made with Google Benchmark.
TIMES = ("real_time", "cpu_time")
SMOKE_ENVIRONMENT = {**os.environ, "BRAID_BENCH_SMOKE": "1"}


def measure(place, report):
    if place.is_smoke:
        _try_all(place, report)
        return
    _measure_joins(place, report)
    _measure_side_states(place, report)
    _measure_eviction(place, report)
    _run(place, report, "per_record_bench", "block:10000")


def _measure_joins(place, report):
    """The micro-batch join without a sink, and a bare loop of the same structure."""
    figures = _run(place, report, "join_bench", ".")
    for outer, name, goal in ((0, "inner", 45), (1, "left", 55)):
        for batch in (10_000, 100_000):
            case = f"rows:2000000/batch:{batch}/outer:{outer}"
            join, bare = (figures[f"BM_{kind}/{case}"]["ns_row"] for kind in ("Join", "BareJoin"))
            report.goal("join", f"join alone, {name}, batches of {batch:,}: a row", join, goal, "ns")
            report.goal("join", f"the same / the bare loop, {name}, batches of {batch:,}",
                        join / bare, 1.5)


def _measure_side_states(place, report):
    """The state of a join alone: the rows are in memory, and nothing takes the result."""
    figures = _run(place, report, "side_state_bench",
                   "Join/rows:[28]000000/batch:100000/outer:0|HotKey/1000$|Growth")
    small = figures["BM_AdClickJoin/rows:2000000/batch:100000/outer:0/window:60"]
    long = figures["BM_AdClickJoin/rows:8000000/batch:100000/outer:0/window:60"]
    large = figures["BM_AdClickJoin/rows:8000000/batch:100000/outer:0/window:500"]
    further = ((long["ns_row"] * 8 - small["ns_row"] * 2) / 6)  # Of the last six million.
    report.goal("flat", "join alone: ns a further row from 2 to 8 million / up to 2 million",
                further / small["ns_row"], 1.15)
    report.goal("flat", f"join alone: ns a row with {large['state_rows'] / 1e6:.1f} million rows "
                f"in state / with {small['state_rows'] / 1e6:.1f}",
                large["ns_row"] / small["ns_row"], 2.5)
    report.goal("memory", "join alone: of a state row", large["bytes_row"], 60, "bytes")
    report.goal("growth", "the slowest batch of 100,000 on the way to 6 million state rows",
                figures["BM_Growth"]["worst_batch_ms"], 200, "ms")
    plain, outlier = (figures[f"BM_{name}Join/rows:8000000/batch:100000/outer:0/window:60"]
                      for name in ("AdClick", "Outlier"))
    report.goal("outlier", "join alone: a row an hour ahead / without it",
                outlier["ns_row"] / plain["ns_row"], 1.2)
    report.goal("hot key", "a million rows of a key in state, no gathering: a row out",
                figures["BM_HotKey/1000"]["ns_pair"], 5, "ns")


def _measure_eviction(place, report):
    figures = _run(place, report, "side_state_bench", "Evict")
    report.goal("eviction", "of nothing, with 5 million rows in state",
                figures["BM_EvictNothing"]["cpu_ms"], 1, "ms")
    few, many = (figures[f"BM_EvictSome/{rows}"]["cpu_ms"] for rows in (1_000_000, 10_000_000))
    report.goal("eviction", "of 100,000 rows of 10 million / of 1 million", many / few, 2)


def _run(place, report, program, benchmarks):
    """Counters of the benchmarks of a program, by name, and `cpu_ms`: medians of three.

    They check their own counts.
    """
    output = run([place.program(program), f"--benchmark_filter={benchmarks}",
                  f"--benchmark_repetitions={min(place.runs, 3)}",
                  "--benchmark_format=json"]).output
    return _read(report, program, output)


def _read(report, program, output):
    figures = {}
    try:
        results = json.loads(output[output.index("{"):output.rindex("}") + 1])["benchmarks"]
    except ValueError as error:
        raise Failed(f"{program} printed no JSON:\n{output}") from error
    for result in results:
        if result.get("error_occurred"):
            report.failed(f"{program} {result['name']}", result["error_message"])
            continue
        # With repetitions the aggregates count, and of them the median.
        if result.get("repetitions", 1) > 1 and result.get("aggregate_name") != "median":
            continue
        name = result["run_name"]
        unit_ms = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}[result["time_unit"]]
        counters = {key: value for key, value in result.items()
                    if isinstance(value, float) and key not in TIMES}
        if "s_pair" in counters:
            counters["ns_pair"] = counters.pop("s_pair") * 1e9
        figures[name] = {"cpu_ms": result["cpu_time"] * unit_ms, **counters}
        report.named_figures(name, figures[name])
    return figures


def _try_all(place, report):
    """Every program with few rows: does it work, and do its counts hold?"""
    programs = sorted(glob.glob(os.path.join(place.programs_folder, "*_bench")))
    if not programs:
        raise Failed(f"there is no program in {place.programs_folder}")
    for program in programs:
        name = os.path.basename(program)
        is_plain = name in PLAIN_PROGRAMS
        options = [] if is_plain else ["--benchmark_format=json", "--benchmark_min_time=0.001"]
        usage = run([program, *options], environment=SMOKE_ENVIRONMENT)
        if is_plain:
            report.figure(name, usage.cpu_s, "CPU s")
        else:
            _read(report, name, usage.output)
