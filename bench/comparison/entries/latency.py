"""From a row at a socket to its joined row at the sink's socket, with rows that come one at a time."""
import os
import signal
import socket
import statistics
import subprocess
import time

from comparison.process import Failed, finish
from comparison.progress import percentile

ROWS = 2_000
WARM_UP_ROWS = 20
ROWS_A_BLOCK = 100  # After which syncs are measured.
SYNCS_A_BLOCK = 25
START_MS = 1_767_225_600_000  # 2026-01-01
PATIENCE_S = 30


def measure(place, report):
    rows = max(place.rows(ROWS), 50)
    in_memory_ms, syncs_ms = _latencies_ms(place, rows, is_durable=False)
    durable_ms, more_syncs_ms = _latencies_ms(place, rows, is_durable=True)
    syncs_ms += more_syncs_ms
    sync_ms = statistics.median(syncs_ms)
    report.table_heading(["median ms", "p99 ms", "most ms"])
    for name, times in (("fdatasync of 4 KiB more", syncs_ms), ("in memory", in_memory_ms),
                        ("durable", durable_ms)):
        report.table_row(name, {"median_ms": statistics.median(times),
                                "p99_ms": percentile(times, 99), "most_ms": max(times)})
    report.goal("latency", "durable, median (2 ms and 2 median syncs)",
                statistics.median(durable_ms), 2 + 2 * sync_ms, "ms")
    report.goal("latency", "durable, 99 % of rows (10 ms and 6 median syncs)",
                percentile(durable_ms, 99), 10 + 6 * sync_ms, "ms")


def _sync_times_ms(place, count):
    """What it takes to add 4 KiB to a file on the disk of the checkpoint, and to have them there."""
    times = []
    with open(_synced_path(place), "ab", buffering=0) as file:
        for _ in range(count):
            start = time.monotonic()
            file.write(b"x" * 4096)
            os.fdatasync(file.fileno())
            times.append((time.monotonic() - start) * 1e3)
    return times


def _synced_path(place):
    return os.path.join(place.folder, f"synced_{os.getpid()}")


def _latencies_ms(place, rows, is_durable):
    """The latencies of rows, and between them what a sync takes.

    Every row matches the one before, which came on the other side, and no other.
    """
    listeners = {name: _listen() for name in ("LEFT", "RIGHT", "SINK")}
    ports = {name: listener.getsockname()[1] for name, listener in listeners.items()}
    command = place.braid("latency.sql", "", "--progress", "none", end="hold", **ports)
    place.remove_checkpoint()
    if is_durable:
        command = place.with_checkpoint(command)
    start = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    try:
        times = _exchange(place, listeners, rows)
    except (TimeoutError, ConnectionError) as error:
        process.kill()
        raise Failed(f"{error}\n{process.stderr.read().decode()}") from error
    finally:
        for listener in listeners.values():
            listener.close()
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    finish(process, command, start, process.stderr.read().decode(), (0, -signal.SIGKILL))
    place.remove_checkpoint()
    os.remove(_synced_path(place))
    return times


def _exchange(place, listeners, rows):
    sides = [_accept(listeners["LEFT"]), _accept(listeners["RIGHT"])]
    sink = None
    times, syncs = [], []
    for i in range(rows + WARM_UP_ROWS):
        if i % ROWS_A_BLOCK == 0:
            syncs += _sync_times_ms(place, SYNCS_A_BLOCK)
        row_ms = START_MS + i * 1000
        start = time.monotonic()
        sides[i % 2].sendall(b"7,%d\n" % row_ms)
        if i == 0:
            continue
        if sink is None:
            sink = _accept(listeners["SINK"])
        line = _read_line(sink)
        if i >= WARM_UP_ROWS:
            times.append((time.monotonic() - start) * 1e3)
        pair = [row_ms - 1000, row_ms] if i % 2 == 1 else [row_ms, row_ms - 1000]
        expected = b"7,%d,%d\n" % tuple(pair)
        if line != expected:
            raise Failed(f"joined row {line}, expected {expected}")
    for connection in (*sides, sink):
        connection.close()
    return times, syncs


def _read_line(connection):
    line = b""
    while not line.endswith(b"\n"):
        received = connection.recv(4096)
        if not received:
            raise Failed("the sink has closed its connection")
        line += received
    return line


def _listen():
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(PATIENCE_S)
    return listener


def _accept(listener):
    connection, _ = listener.accept()
    connection.settimeout(PATIENCE_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection
