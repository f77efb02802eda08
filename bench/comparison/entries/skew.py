"""Keys that come often, in both modes."""
from comparison.series import measure_in_turns
from comparison.process import run
from comparison.workplace import rows_out

HOT_ROWS = 1_000_000
ZIPF_ROWS = 200_000
MODES = {"micro-batch": [], "per-record": ["--mode", "per-record"]}


def measure(place, report):
    _measure_hot_key(place, report)
    _measure_zipf_keys(place, report)


def _measure_hot_key(place, report):
    """A million right rows of one key in state, a left row each of the last 100,000 ms."""
    count = place.rows(HOT_ROWS)
    data = place.data("hot", count, "forms=csv", "from=90")
    empty = place.data("hot", count, "forms=csv", "from=100")
    expected = sum(min(i + 1_000, count - 1) - max(i - 1_000, 0) + 1
                   for i in range(count * 90 // 100, count))
    _measure_modes(place, report, "hot key", data, empty, expected, delay_s=1_000)


def _measure_zipf_keys(place, report):
    count = place.rows(ZIPF_ROWS)
    data = place.data("zipf", count, "forms=csv")
    expected = rows_out(run(place.peer("duckdb_join.py", data, "w1-second")).output)
    # What reading the rows costs is less than a hundredth, so it is not taken off.
    _measure_modes(place, report, "Zipf keys", data, None, expected, delay_s=5)


def _measure_modes(place, report, name, data, empty, expected, delay_s):
    """Both modes in turns over `data`; from their time that over `empty` is taken off."""
    commands = {}
    for mode, options in MODES.items():
        for kind, folder in (("", data), (", no left rows", empty)):
            if folder:
                commands[mode + kind] = place.braid_within(folder, *options, seconds=1,
                                                           delay=delay_s)
    figures = measure_in_turns(place, commands, rounds=min(place.runs, 3))
    ns_a_row = {}
    for mode in MODES:
        report.expect_equal(f"rows out, {name}, {mode}", expected, figures[mode].rows_out)
        cpu_s = figures[mode].cpu_s
        if empty:
            cpu_s -= figures[f"{mode}, no left rows"].cpu_s
        ns_a_row[mode] = max(cpu_s, 1e-3) / expected * 1e9
        report.figure(f"{name}, {mode}, {expected} rows out", ns_a_row[mode],
                      "ns a row out, of which gathering its columns is a part")
    report.goal("skew", f"{name}: per-record / micro-batch",
                ns_a_row["per-record"] / ns_a_row["micro-batch"], 3)
