"""Sources that are faster than the join: memory grows to its limits, whatever they send."""
import socket
import subprocess
import time

from comparison.process import Failed, finish, run
from comparison.workplace import rows_out

ROWS = (1_000_000, 4_000_000)  # Of each table.
BLOCK_ROWS = 5_000
START_MS = 1_767_225_600_000  # 2026-01-01
PATIENCE_S = 60


def measure(place, report):
    sizes = [place.rows(rows) for rows in ROWS]
    for name, flood in (("sockets", _flood_sockets), ("datagen", _run_datagen)):
        peaks = []
        for rows in sizes:
            usage = flood(place, rows)
            peaks.append(usage.peak_mb)
            report.named_figures(f"{name} without pause, {rows} rows a table", {
                "cpu_s": usage.cpu_s, "wall_s": usage.wall_s, "peak_mb": usage.peak_mb})
            report.expect_equal(f"rows out of {name} without pause, {rows} rows a table", rows,
                                rows_out(usage.output))
        report.goal("overload", f"peak memory, {name}, {sizes[-1]} rows / {sizes[0]}",
                    peaks[-1] / peaks[0], 1.2)


def _run_datagen(place, rows):
    """As fast as rows can be made."""
    table = ("CREATE TABLE {} (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' "
             "= 'datagen', 'rows-per-second' = '1000000000', 'number-of-rows' = '%d', "
             "'fields.k.kind' = 'sequence', 'fields.ts.step' = '1 ms');\n" % rows)
    text = (table.format("l") + table.format("r") +
            "CREATE TABLE joined (k BIGINT) WITH ('connector' = 'blackhole');\n"
            "INSERT INTO joined SELECT l.k FROM l JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts - "
            "INTERVAL '1' SECOND AND l.ts + INTERVAL '1' SECOND;")
    return run([place.braid_command, "query", text])


def _flood_sockets(place, rows):
    """Both tables in turns, as fast as the query takes them."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    ports = [listener.getsockname()[1] for listener in listeners]
    command = place.braid("overload.sql", "", LEFT=ports[0], RIGHT=ports[1])
    start = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    try:
        sides = []
        for listener in listeners:
            listener.settimeout(PATIENCE_S)
            sides.append(listener.accept()[0])
        for first in range(0, rows, BLOCK_ROWS):
            block = b"".join(b"%d,%d\n" % (row, START_MS + row)
                             for row in range(first, min(first + BLOCK_ROWS, rows)))
            for side in sides:
                side.settimeout(PATIENCE_S)
                side.sendall(block)
        for side in sides:
            side.close()
    except (TimeoutError, ConnectionError) as error:
        process.kill()
        raise Failed(f"{error}\n{process.stdout.read().decode()}") from error
    finally:
        for listener in listeners:
            listener.close()
    return finish(process, command, start, process.stdout.read().decode())
