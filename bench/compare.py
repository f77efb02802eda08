#!/usr/bin/env python3
"""Measures Braid beside DuckDB and DataFusion, and by itself, against goals; checks the counts.

  bench/compare.py                       all but `peers`: about ten minutes
  bench/compare.py --only joins cores    some entries; --list names them
  bench/compare.py --smoke               all at a hundredth of the size, one run, nothing judged

The peers come from PyPI, into build/bench/python. Exit code 1: a count is wrong, or something did
not run. Times never make a run fail.
"""
import argparse
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# pylint: disable=wrong-import-position
from comparison.entries import ENTRIES
from comparison.process import Failed
from comparison.report import Report
from comparison.workplace import TOP, Workplace, is_installable


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[e.name for e in ENTRIES],
                        help="these entries alone")
    parser.add_argument("--list", action="store_true", help="name the entries")
    parser.add_argument("--json", metavar="FILE", help="also write what was measured")
    parser.add_argument("--runs", type=int, help="runs of each command; 5, in a smoke run 1")
    parser.add_argument("--long", action="store_true",
                        help="also 32 million impressions: several minutes, 2 GB of disk")
    parser.add_argument("--smoke", action="store_true", help="does everything work?")
    parser.add_argument("--build", default=os.path.join(TOP, "build", "release"), metavar="FOLDER",
                        help="whose Braid and benchmark programs; build/release")
    return parser.parse_args()


def main():
    options = parse_arguments()
    if options.list:
        for entry in ENTRIES:
            print(f"{entry.name:12}{entry.about}")
        return 0
    if not is_installable():
        return 1
    place = Workplace(braid=os.path.join(options.build, "engine", "cli", "braid"),
                      programs=os.path.join(options.build, "bench"),
                      runs=options.runs or (1 if options.smoke else 5),
                      is_smoke=options.smoke, is_long=options.long)
    report = Report(judges_goals=not options.smoke)
    for entry in ENTRIES:
        if not (entry.name in options.only if options.only else entry.is_by_default):
            continue
        report.heading(f"{entry.name}: {entry.about}")
        try:
            entry.measure(place, report)
        except (Failed, OSError, KeyError, subprocess.CalledProcessError) as failure:
            report.failed(entry.name, repr(failure) if isinstance(failure, KeyError) else failure)
    code = report.finish()
    if options.json:
        report.write_json(options.json, vars(options))
    return code


if __name__ == "__main__":
    sys.exit(main())
