"""What users of other engines report as slow (the C++ programs of the entry `parts` have the rest)."""
import os
import shutil
import signal
import statistics
import subprocess
import time

from comparison.process import finish, run
from comparison.progress import batches, percentile, state_rows_max
from comparison.series import measure_in_turns
from comparison.workplace import BLACKHOLE, rows_out

HOT_ROWS = 1_000_000
PILE_ROWS = 50_000
STATE_IMPRESSIONS = 10_100_000
JUMP_IMPRESSIONS = 1_000_000
SECONDS = 3_600
PER_RECORD = ["--mode", "per-record"]


def measure(place, report):
    _measure_expiry_of_a_hot_key(place, report)
    _measure_a_pile(place, report)
    _measure_a_pile_in_all_ways(place, report)
    _measure_large_state(place, report)
    _measure_a_jump(place, report)


def _measure_expiry_of_a_hot_key(place, report):
    """One key, ten left rows a second, 20,000 matches each: is the end as fast as the beginning?"""
    data = place.data("hot", place.rows(HOT_ROWS), "forms=csv", "every=100")
    for mode, options in (("micro-batch", []), ("per-record", PER_RECORD)):
        job = place.braid_within(data, "--progress", "json", *options, seconds=10, delay=5)
        progress = [batch for batch in batches(run(job).output) if batch["numInputRows"] > 0]
        # The first batches fill the state; the last ones read what is left of one side.
        ns_a_row = [batch["durationMs"]["addBatch"] * 1e6 / max(_rows_out(batch), 1)
                    for batch in progress]
        report.figure(f"hot key, 10 s, {mode}", statistics.median(ns_a_row), "ns a row out")
        middle = len(ns_a_row) // 2
        if middle >= 2:
            report.goal("hot key", f"10 s, {mode}: time a row out, second half / first half",
                        _half(progress[middle:-1] or progress[middle:]) /
                        _half(progress[1:middle]), 1.3)


def _half(progress):
    took_ms = sum(batch["durationMs"]["addBatch"] for batch in progress)
    return max(took_ms, 1) / max(sum(_rows_out(batch) for batch in progress), 1)


def _rows_out(batch):
    return batch["sink"]["numOutputRows"]


def _measure_a_pile(place, report):
    """So many rows of one key on both sides in one batch: they stream out, and can be stopped."""
    count = place.rows(PILE_ROWS)
    small, large = (place.data("pile", rows, "forms=csv") for rows in (count // 10, count))
    usages = []
    for rows, data in ((count // 10, small), (count, large)):
        usages.append(run(place.braid_within(data, seconds=1, delay=5)))
        report.expect_equal(f"rows out of {rows} x {rows} rows", rows * rows,
                            rows_out(usages[-1].output))
    report.figure(f"{count} x {count} rows of one key",
                  usages[1].cpu_s / (count * count) * 1e9, "CPU ns a row out")
    report.goal("pile", f"peak memory of {count} x {count} rows of one key, beyond that of a hundredth "
                "of the matches", usages[1].peak_mb - usages[0].peak_mb, 60, "MB")
    if place.is_smoke:
        return  # It has ended before it can be stopped.
    command = place.braid_within(large, "--progress", "none", seconds=1, delay=5)
    start = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    try:
        process.wait(timeout=min(usages[1].wall_s / 2, 2))
    except subprocess.TimeoutExpired:
        stopped = time.monotonic()
        # Two of a kind could become one on their way.
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        finish(process, command, start, process.stdout.read().decode(),
               (0, -signal.SIGINT, -signal.SIGTERM))
        report.goal("pile", "end after SIGINT and SIGTERM", (time.monotonic() - stopped) * 1e3, 100, "ms")


def _measure_a_pile_in_all_ways(place, report):
    """A fifth of them, in both modes and to each sink: memory is that of a hundredth of the matches."""
    count = place.rows(PILE_ROWS) // 5
    data = {rows: place.data("pile", rows, "forms=csv") for rows in (count // 10, count)}
    out = os.path.join(place.folder, "pile_out")
    sinks = {"blackhole": BLACKHOLE, "print": "'connector' = 'print'",
             "file": f"'connector' = 'filesystem', 'path' = '{out}', 'format' = 'csv'"}
    for mode, options in (("micro-batch", []), ("per-record", PER_RECORD)):
        for name, sink in sinks.items():
            peaks_mb = []
            for rows, folder in data.items():
                shutil.rmtree(out, ignore_errors=True)
                # What is printed is not kept.
                usage = run(["sh", "-c", 'exec "$@" > /dev/null', "sh",
                             *place.braid_within(folder, *options, seconds=1, delay=5, sink=sink)])
                report.expect_equal(f"rows out of {rows} x {rows} rows, {mode}, {name}",
                                    rows * rows, rows_out(usage.output))
                peaks_mb.append(usage.peak_mb)
            report.figure(f"{count} x {count} rows of one key, {mode}, {name}: peak memory",
                          peaks_mb[-1], "MB")
            report.goal("pile", f"peak memory of {count} x {count} rows, {mode}, {name}, beyond that of "
                        "a hundredth of the matches", peaks_mb[-1] - peaks_mb[0], 60, "MB")
    shutil.rmtree(out, ignore_errors=True)


def _measure_large_state(place, report):
    """Times of the batches while ten million rows are in state."""
    data = place.data("w1", place.rows(STATE_IMPRESSIONS), "forms=csv")
    job = place.braid("w1_window.sql", data, "--progress", "json", end="hold", SECONDS=SECONDS)
    for kind, command in (("", job), (", checkpoint", place.with_checkpoint(job))):
        place.remove_checkpoint()
        progress = batches(run(command).output)
        times = [batch["batchDuration"] for batch in progress if batch["numInputRows"] > 0]
        most = state_rows_max(progress)
        late = times[len(times) * 3 // 4:]
        report.figure(f"batches up to {most} rows in state{kind}: median",
                      statistics.median(times), "ms")
        report.figure(f"  their 99 %{kind}", percentile(times, 99), "ms")
        report.figure(f"  their longest{kind}", max(times), "ms")
        report.figure(f"  of the last quarter, median{kind}", statistics.median(late), "ms")
    place.remove_checkpoint()


def _measure_a_jump(place, report):
    """After all other rows both sides jump ten years ahead: clean-up counts rows, not time."""
    count = place.rows(JUMP_IMPRESSIONS)
    data = {"plain": place.data("w1", count, "forms=csv"),
            "jump": place.data("w1", count, "forms=csv", "jump")}
    commands = {}
    for mode, options in (("micro-batch", []), ("per-record", PER_RECORD)):
        for name, folder in data.items():
            commands[f"{name}, {mode}"] = place.braid("w1_left.sql", folder, *options)
    figures = measure_in_turns(place, commands)
    for mode in ("micro-batch", "per-record"):
        for name, more in (("plain", 0), ("jump", 1)):
            report.expect_equal(f"rows out, {name}, {mode}", count + more,
                                figures[f"{name}, {mode}"].rows_out)
        report.goal("jump", f"ten years ahead, {mode}: CPU with it / without",
                    figures[f"jump, {mode}"].cpu_s / figures[f"plain, {mode}"].cpu_s, 1.2)
