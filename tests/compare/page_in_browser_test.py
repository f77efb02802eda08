#!/usr/bin/env python3
"""Opens the page of `braid compare --html` in a headless Chromium, without a network.

    page_in_browser_test.py BRAID SOURCE_FOLDER

Figures that the page's script has computed are read off the page and held against `--json`.
"""

import html.parser
import json
import os
import subprocess
import sys
import tempfile


class Page(html.parser.HTMLParser):
    """The texts of elements with an id, and how many canvases there are."""

    def __init__(self):
        super().__init__()
        self.texts = {}
        self.canvases = 0
        self._id = None

    def handle_starttag(self, tag, attributes):
        self.canvases += tag == "canvas"
        self._id = dict(attributes).get("id")

    def handle_endtag(self, tag):
        self._id = None

    def handle_data(self, data):
        if self._id is not None:
            self.texts[self._id] = self.texts.get(self._id, "") + data


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found!r} on the page, {expected!r} expected")


def main(braid, source):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "page.html")
        run = subprocess.run([braid, "compare", "examples/flights/job.sql", "--json", "--html", file],
                             cwd=source, check=True, text=True, stdout=subprocess.PIPE)
        comparison = json.loads(run.stdout)
        arguments = ["chromium", "--headless", "--disable-gpu", "--dump-dom", "--no-first-run",
                     f"--user-data-dir={folder}/profile", "--host-resolver-rules=MAP * ~NOTFOUND"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium has none for root.
        shown = subprocess.run(arguments + [f"file://{file}"], check=True, text=True,
                               stdout=subprocess.PIPE, timeout=120)
    page = Page()
    page.feed(shown.stdout)
    check("verdict", page.texts.get("verdict"),
          f"The final rows agree: {comparison['equalRows']:,} equal rows")
    for name, mode in (("micro-batch", "microBatch"), ("per-record", "perRecord")):
        figures = comparison[mode]
        peak = max(sample["stateRows"] for sample in figures["samples"])
        check(f"peak of {name}", page.texts.get(f"peak-{name}"), f"{peak:,}")
        rows = sum(table["rows"] for table in figures["tables"])
        check(f"rows read by {name}", page.texts.get(f"read-{name}"), f"{rows:,}")
    # dygraphs lays two over each other for a plot.
    check("canvases", page.canvases, 6)


if __name__ == "__main__":
    main(*sys.argv[1:])
