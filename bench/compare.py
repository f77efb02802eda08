#!/usr/bin/env python3
"""Compares Braid with DuckDB's batch join of the same files, in one run, interleaved.

  bench/compare.py [--rows 2000000] [--runs 5] [--braid build/release/engine/cli/braid]

Reports CPU seconds (user + system of the whole process; machines are noisy and wall time moves more),
peak memory, and the ratio to DuckDB with the start of Python taken off, as medians. Data and the Python
environment with DuckDB are kept in build/bench.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import venv

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(TOP, "build", "bench")


def prepare(rows):
    os.makedirs(WORK, exist_ok=True)
    generator = os.path.join(WORK, "generate")
    if not os.path.exists(generator):
        source = os.path.join(TOP, "bench", "peers", "generate.cpp")
        subprocess.check_call(["g++", "-O2", "-std=c++20", source, "-o", generator])
    data = os.path.join(WORK, f"w1_{rows}")
    if not os.path.exists(os.path.join(data, "R.csv")):
        subprocess.check_call([generator, "w1", str(rows), data])
    python = os.path.join(WORK, "python", "bin", "python")
    if not os.path.exists(python):
        venv.create(os.path.join(WORK, "python"), with_pip=True)
        subprocess.check_call([python, "-m", "pip", "install", "--quiet", "duckdb"])
    return data, python


def measure(command):
    """CPU seconds, wall seconds and peak MB of one run, and what it printed."""
    read_end, write_end = os.pipe()
    start = os.times().elapsed
    process = os.fork()
    if process == 0:
        os.close(read_end)
        os.dup2(write_end, 1)
        os.dup2(write_end, 2)
        os.execvp(command[0], command)
    os.close(write_end)
    with os.fdopen(read_end) as stream:
        output = stream.read()
    _, status, usage = os.wait4(process, 0)
    wall = os.times().elapsed - start
    if status != 0:
        sys.exit(f"{' '.join(command)} failed:\n{output}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, output


def rows_out(output):
    found = re.search(r"out=(\d+)", output) or re.search(r"(\d+) rows out", output)
    return int(found.group(1)) if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--braid", default=os.path.join(TOP, "build/release/engine/cli/braid"))
    options = parser.parse_args()
    data, python = prepare(options.rows)
    checkpoint = os.path.join(WORK, "checkpoint")
    duckdb = os.path.join(TOP, "bench", "peers", "duckdb_join.py")

    def braid(job, *more):
        return [options.braid, "run", os.path.join(TOP, "bench", job), "--define", f"DATA={data}",
                "--set", "execution.end-of-input=flush", *more]

    entries = {
        "python start": [python, "-c", "import duckdb"],
        "duckdb inner": [python, duckdb, data, "w1i", "1"],
        "braid inner": braid("w1_inner.sql"),
        "braid inner, checkpoint": braid("w1_inner.sql", "--checkpoint", checkpoint),
        "duckdb left": [python, duckdb, data, "w1l", "1"],
        "braid left": braid("w1_left.sql"),
        "braid left, checkpoint": braid("w1_left.sql", "--checkpoint", checkpoint),
    }
    figures = {name: [] for name in entries}
    output_rows = {}
    for _ in range(options.runs):
        for name, command in entries.items():
            shutil.rmtree(checkpoint, ignore_errors=True)
            cpu, wall, memory, output = measure(command)
            figures[name].append((cpu, wall, memory))
            output_rows[name] = rows_out(output)
    for kind in ("inner", "left"):
        counts = {output_rows[name] for name in entries if name.split(",")[0].endswith(kind)}
        if len(counts) != 1:
            sys.exit(f"{kind}: the outputs differ: {output_rows}")
    median = {name: [statistics.median(column) for column in zip(*runs)]
              for name, runs in figures.items()}
    start = median["python start"][0]
    print(f"{'':26}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}{'x DuckDB':>10}   rows out")
    for name, (cpu, wall, memory) in median.items():
        ratio = ""
        if name.startswith("braid"):
            peer = "duckdb inner" if "inner" in name else "duckdb left"
            ratio = f"{cpu / (median[peer][0] - start):.2f}"
        print(f"{name:26}{cpu:8.3f}{wall:8.3f}{memory:9.0f}{ratio:>10}   {output_rows[name] or ''}")


if __name__ == "__main__":
    main()
