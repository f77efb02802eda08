"""How long `braid run` takes to its first result row."""
import os
import shutil
import statistics
import subprocess
import tempfile
import time

from comparison.process import Failed, finish
from comparison.workplace import TOP


def measure(place, report):
    job = os.path.join(TOP, "examples", "show_click", "job.sql")
    command = [place.braid_command, "run", job]
    times_ms = {"": [], ", checkpoint": []}
    for _ in range(place.runs):
        times_ms[""].append(_first_row_ms(command))
        folder = tempfile.mkdtemp(dir=place.folder)
        times_ms[", checkpoint"].append(_first_row_ms([*command, "--checkpoint", folder]))
        shutil.rmtree(folder)
    for kind, times in times_ms.items():
        report.goal("start", f"to the first row of a small job{kind}", statistics.median(times),
                    100, "ms")


def _first_row_ms(command):
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    first_line = process.stdout.readline()
    first_ms = (time.monotonic() - start) * 1e3
    rest = process.stdout.read()
    finish(process, command, start, rest.decode())
    if not first_line.startswith(b"+I["):
        raise Failed(f"no row came first: {first_line}")
    return first_ms
