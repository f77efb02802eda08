"""What is collected while the entries run: figures, goals, and counts that must be right."""
import json
import os
import platform
from dataclasses import asdict, dataclass

LABEL_WIDTH = 52


@dataclass
class Goal:
    """A line of the list of goals: measured against a limit; at most it, or at least it."""
    point: str
    text: str
    measured: float
    limit: float
    unit: str
    at_least: bool

    @property
    def met(self):
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit


class Report:
    """Prints what comes as it comes; goals and wrong counts once more at the end.

    Timing never makes a run fail, a wrong count does. In a smoke run goals are printed without a
    verdict: its sizes are too small to judge.
    """

    def __init__(self, judges_goals):
        self.judges_goals = judges_goals
        self.figures = {}
        self.goals = []
        self.wrong = []

    def heading(self, text):
        print(f"\n== {text}", flush=True)

    def table_heading(self, columns):
        print(f"{'':{LABEL_WIDTH}}" + "".join(f"{column:>11}" for column in columns))

    def named_figures(self, name, figures):
        """As table_row, where rows differ in what they have."""
        self.figures[name] = figures
        cells = "  ".join(f"{key} {_shown(value)}" for key, value in figures.items())
        print(f"{name:{LABEL_WIDTH}}  {cells}", flush=True)

    def table_row(self, name, figures):
        """A row of a table; `figures` maps names to numbers or texts, None is left blank."""
        self.figures[name] = {key: value for key, value in figures.items() if value is not None}
        cells = "".join(f"{_shown(value):>11}" for value in figures.values())
        print(f"{name:{LABEL_WIDTH}}{cells}", flush=True)

    def figure(self, name, value, unit):
        self.figures[name] = {"value": value, "unit": unit}
        print(f"{name:{LABEL_WIDTH}}{_shown(value):>11} {unit}", flush=True)

    def goal(self, point, text, measured, limit, unit="", at_least=False):
        """`point` is the subject of the goal, a word or two."""
        goal = Goal(point, text, measured, limit, unit, at_least)
        self.goals.append(goal)
        self._print_goal(goal)

    def expect_equal(self, what, expected, found):
        """A count that has to be right."""
        if expected != found:
            self.wrong.append(f"{what}: {found}, expected {expected}")
            print(f"WRONG  {self.wrong[-1]}", flush=True)

    def failed(self, entry, reason):
        self.wrong.append(f"{entry} failed: {reason}")
        print(f"WRONG  {self.wrong[-1]}", flush=True)

    def finish(self):
        """Prints the summary; the exit code."""
        if self.goals and self.judges_goals:
            self.heading("goals")
            for goal in self.goals:
                self._print_goal(goal)
            met = sum(goal.met for goal in self.goals)
            print(f"{met} of {len(self.goals)} goals met")
        for text in self.wrong:
            print(f"WRONG  {text}")
        return 1 if self.wrong else 0

    def write_json(self, path, options):
        goals = [{**asdict(goal), "met": goal.met} for goal in self.goals]
        content = {"machine": {"processors": os.cpu_count(), "kernel": platform.release(),
                               "model": _processor_model()},
                   "options": options, "figures": self.figures, "goals": goals,
                   "wrong": self.wrong}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)
            file.write("\n")

    def _print_goal(self, goal):
        verdict = "    -  "
        if self.judges_goals:
            verdict = "met    " if goal.met else "NOT MET"
        direction = "at least" if goal.at_least else "at most"
        print(f"{verdict}  {goal.point}: {goal.text}: {_shown(goal.measured)} "
              f"({direction} {_shown(goal.limit)}{' ' if goal.unit else ''}{goal.unit})", flush=True)


def _shown(value):
    if value is None:
        return ""
    if isinstance(value, float):
        digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 3
        return f"{value:.{digits}f}"
    return str(value)


def _processor_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()
