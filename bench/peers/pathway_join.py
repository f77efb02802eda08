"""Pathway's interval join of W1, one thread, the files taken as a whole; prints out=ROWS.

  pathway_join.py FOLDER
"""
import os
import shutil
import sys
import tempfile

import pathway


class Impression(pathway.Schema):
    ad_id: int
    ts: int
    campaign: int
    price: float


class Click(pathway.Schema):
    ad_id: int
    ts: int
    user: int


def with_header(path, schema, folder):
    """A copy of a csv file, in a folder of its own, that begins with the names of the columns."""
    os.mkdir(folder)
    with open(path, "rb") as rows, open(os.path.join(folder, "rows.csv"), "wb") as copy:
        copy.write(",".join(schema.column_names()).encode() + b"\n")
        shutil.copyfileobj(rows, copy)
    return folder


def main():
    folder = sys.argv[1]
    with tempfile.TemporaryDirectory() as copies:
        shown = pathway.io.csv.read(
            with_header(f"{folder}/L.csv", Impression, f"{copies}/l"), schema=Impression,
            mode="static")
        clicked = pathway.io.csv.read(
            with_header(f"{folder}/R.csv", Click, f"{copies}/r"), schema=Click, mode="static")
        joined = shown.interval_join(
            clicked, shown.ts, clicked.ts, pathway.temporal.interval(0, 60_000),
            shown.ad_id == clicked.ad_id)
        rows = joined.select(shown.ad_id, shown.ts, shown.campaign, shown.price,
                             clicked_ts=clicked.ts, user=clicked.user)
        counted = rows.reduce(rows=pathway.reducers.count())
        counts = []
        pathway.io.subscribe(
            counted,
            lambda key, row, time, is_addition: counts.append(row["rows"]) if is_addition else None)
        pathway.run(monitoring_level=pathway.MonitoringLevel.NONE)
    print(f"out={counts[-1] if counts else 0}")


if __name__ == "__main__":
    main()
