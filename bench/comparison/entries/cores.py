"""W1 bound to one core and to two: how much of the work overlaps."""
import os
import shlex

from comparison.series import measure_in_turns

GOALS = {"": 1.6, ", checkpoint": 1.35}
AT_ONCE = "two jobs at once, a core each"


def measure(place, report):
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        print("there is one core only: nothing to measure")
        return
    data = place.data("w1", place.rows(2_000_000))
    commands = {}
    bound = {}
    for parallelism in (1, 2):
        job = place.braid("w1_inner.sql", data, "--set", f"parallelism={parallelism}")
        for kind in GOALS:
            command = place.with_checkpoint(job) if kind else job
            for count in (1, 2):
                name = _name(kind, parallelism, count)
                commands[name] = command
                bound[name] = set(cores[:count])
    commands[AT_ONCE] = _at_once(place.braid("w1_inner.sql", data), cores)
    bound[AT_ONCE] = set(cores)
    figures = measure_in_turns(place, commands, rounds=3 * place.runs, cores=bound)
    print(f"wall time counts: the load of the machine is {os.getloadavg()[0]:.1f}")
    report.table_heading(["wall s", "CPU s"])
    for name, figure in figures.items():
        report.table_row(name, {"wall_s": figure.wall_s, "cpu_s": figure.cpu_s})
    # Cores that share caches and memory are not twice as fast as one, whatever runs on them.
    report.figure("rows/s of the two jobs / of one",
                  2 * figures[_name("", 1, 1)].wall_s / figures[AT_ONCE].wall_s, "x")
    for kind, limit in GOALS.items():
        for parallelism in (1, 2):
            one = figures[_name(kind, parallelism, 1)].wall_s
            two = figures[_name(kind, parallelism, 2)].wall_s
            report.goal("two cores", f"rows/s on two / on one{kind}, parallelism {parallelism}",
                        one / two, limit, at_least=True)


def _at_once(command, cores):
    """The command twice at the same time."""
    job = shlex.join(command)
    return ["sh", "-c", f"taskset -c {cores[0]} {job} & taskset -c {cores[1]} {job}; wait"]


def _name(kind, parallelism, count):
    return f"parallelism {parallelism}, {count} core{'s' if count > 1 else ''}{kind}"
