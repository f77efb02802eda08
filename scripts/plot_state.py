#!/usr/bin/env python3
"""Draws docs/images/state.svg: what the flights example has read, and what it still keeps, over event time.

    scripts/plot_state.py BRAID OUTPUT.svg

BRAID is the command. Every number in the picture comes from the progress records of the run, whose batches
depend on the input alone: the picture is the same each time.
"""

import datetime
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 24, 40
SERIES = (("rows read", "#7a869a"), ("rows in state", "#d9480f"))


def progress_records(braid):
    """The batches of the job, in small steps, as dicts."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(ROOT, "examples/flights/job.sql"), encoding="utf-8") as job:
            text = job.read()
        for old, new in (("'out/flights'", f"'{folder}/out'"), ("'64 kb'", "'16 kb'")):
            assert old in text, old
            text = text.replace(old, new)
        job_file = os.path.join(folder, "job.sql")
        with open(job_file, "w", encoding="utf-8") as job:
            job.write(text)
        run = subprocess.run(
            [braid, "run", job_file, "--progress", "json"],
            cwd=ROOT, check=True, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return [json.loads(line) for line in run.stderr.splitlines() if line.startswith("{")]


def points(records):
    """(watermark, rows read, rows in state) after each batch that read rows."""
    read = 0
    result = []
    for record in records:
        read += record["numInputRows"]
        if record["numInputRows"] == 0 or "watermark" not in record["eventTime"]:
            continue
        time = record["eventTime"]["watermark"].replace("Z", "+00:00")
        result.append((datetime.datetime.fromisoformat(time), read,
                       record["stateOperators"][0]["numRowsTotal"]))
    return result


def line(values, color):
    path = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in values)
    return f'<path d="{path}" fill="none" stroke="{color}" stroke-width="2"/>'


def draw(data):
    first, last = data[0][0], data[-1][0]
    top = 10_000 * (data[-1][1] // 10_000 + 1)
    plot_width, plot_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(time):
        return LEFT + plot_width * ((time - first) / (last - first))

    def y(rows):
        return TOP + plot_height * (1 - rows / top)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
             f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="#333">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for rows in range(0, top + 1, 10_000):
        parts.append(f'<path d="M{LEFT} {y(rows):.1f} H{LEFT + plot_width}" stroke="#e3e6ea"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(rows) + 4:.1f}" text-anchor="end">{rows:,}</text>')
    day = first.replace(hour=0, minute=0, second=0, microsecond=0) + datetime.timedelta(days=1)
    while day <= last:
        if day.day % 5 == 1 and day.day > 1:
            parts.append(f'<text x="{x(day):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
                         f'{day.strftime("%d %b")}</text>')
        day += datetime.timedelta(days=1)
    for index, (name, color) in enumerate(SERIES):
        parts.append(line([(x(row[0]), y(row[index + 1])) for row in data], color))
        parts.append(f'<text x="{x(last) + 8:.1f}" y="{y(data[-1][index + 1]) + 4:.1f}" '
                     f'fill="{color}">{name}: {data[-1][index + 1]:,}</text>')
    most = max(row[2] for row in data)
    parts.append(f'<text x="{LEFT + 8}" y="{TOP + 12}">never more than {most:,} rows in state</text>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    picture = draw(points(progress_records(os.path.abspath(sys.argv[1]))))
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        output.write(picture)


if __name__ == "__main__":
    main()
