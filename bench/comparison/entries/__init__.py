"""The entries: what `bench/compare.py` measures, in this order."""
from dataclasses import dataclass
from typing import Callable

from comparison.entries import (cores, growth, joins, latency, memory, overload, parts, peers,
                                reports, restore, skew, small_batches, start, tools)


@dataclass
class Entry:
    """`measure(place, report)` runs what is to be measured and tells the report."""
    name: str
    about: str
    measure: Callable
    is_by_default: bool = True


ENTRIES = [
    Entry("joins", "whole joins beside DuckDB and DataFusion", joins.measure),
    Entry("growth", "W1 of 2, 8 and (--long) 32 million impressions", growth.measure),
    Entry("cores", "W1 on one core and on two", cores.measure),
    Entry("latency", "rows one at a time through sockets, durable", latency.measure),
    Entry("start", "to the first result row", start.measure),
    Entry("restore", "a restart with five million rows in state", restore.measure),
    Entry("small_batches", "one row a batch: what 20,000 (--long: 200,000) of them leave",
          small_batches.measure),
    Entry("skew", "a hot key and Zipf keys, in both modes", skew.measure),
    Entry("memory", "state beyond memory: 30 million wide rows under a budget", memory.measure),
    Entry("overload", "sources that are faster than the join: peak memory", overload.measure),
    Entry("reports", "what users of other engines report as slow", reports.measure),
    Entry("parts", "single parts alone, in C++ programs", parts.measure),
    Entry("tools", "compare, advise and state beside runs", tools.measure),
    Entry("peers", "Flink, Spark and Pathway once each; only when it is named", peers.measure,
          is_by_default=False),
]
