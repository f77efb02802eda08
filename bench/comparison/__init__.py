"""Measures Braid, its peers and its tools in whole processes; bench/compare.py is the command.

process.py    what one process took
report.py     figures, goals and counts: what is collected, printed and written as JSON
workplace.py  build/bench: data, peers' Python, command lines of Braid; sizes
series.py     several commands, interleaved, medians
entries/      what is measured, one file a subject
"""
