"""The entries: what `bench/compare.py` measures, in this order."""
from dataclasses import dataclass
from typing import Callable

from comparison.entries import joins


@dataclass
class Entry:
    """`measure(place, report)` runs what is to be measured and tells the report."""
    name: str
    about: str
    measure: Callable


ENTRIES = [
    Entry("joins", "whole joins beside DuckDB and DataFusion", joins.measure),
]
