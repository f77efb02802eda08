"""Several commands in turns, as often as asked for, and the medians of what they took."""
import contextlib
import statistics
from dataclasses import dataclass

from comparison.process import cores_alone, run
from comparison.workplace import rows_out


@dataclass
class Median:
    """Medians over the runs of one command; the rows it gave, None where it gives none."""
    cpu_s: float
    wall_s: float
    peak_mb: float
    rows_out: int


def measure_in_turns(place, commands, without_rows=(), rounds=None, cores=None):
    """Medians by name. Each round runs every command once, so that all see the same machine.

    The checkpoint is removed before each run. Commands named in `without_rows` print no count.
    As many rounds as the command line says, if `rounds` does not. `cores` may bind a command, by its
    name, to some.
    """
    usages = {name: [] for name in commands}
    for _ in range(rounds or place.runs):
        for name, command in commands.items():
            place.remove_checkpoint()
            with cores_alone(cores[name]) if cores else contextlib.nullcontext():
                usages[name].append(run(command))
    place.remove_checkpoint()
    return {name: _median(runs, name not in without_rows) for name, runs in usages.items()}


def _median(runs, has_rows):
    def of(attribute):
        return statistics.median(getattr(usage, attribute) for usage in runs)

    rows = rows_out(runs[-1].output) if has_rows else None
    return Median(of("cpu_s"), of("wall_s"), of("peak_mb"), rows)
