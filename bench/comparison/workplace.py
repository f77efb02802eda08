"""Where the benchmarks work (build/bench): data, the peers' Python, checkpoints; and their sizes."""
import os
import re
import shutil
import subprocess
import sys
import venv

from comparison.process import Failed

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.join(TOP, "bench")
SMOKE_SHARE = 100  # A smoke run takes a hundredth of the rows.
BLACKHOLE = "'connector' = 'blackhole'"
PEER_PACKAGES = ("duckdb", "datafusion", "pyarrow")


class Workplace:
    """Makes what the entries need when they first ask for it, and keeps it for the next run."""

    def __init__(self, braid, programs, runs, is_smoke, is_long):
        self.braid_command = os.path.abspath(braid)
        self.programs_folder = os.path.abspath(programs)
        self.runs = runs
        self.is_smoke = is_smoke
        self.is_long = is_long
        self.folder = os.path.join(TOP, "build", "bench")
        self.checkpoint = os.path.join(self.folder, f"checkpoint_{os.getpid()}")
        os.makedirs(self.folder, exist_ok=True)

    def rows(self, count):
        """`count`, or its share in a smoke run."""
        return max(count // SMOKE_SHARE, 1) if self.is_smoke else count

    def data(self, workload, rows, *options):
        """The folder of a workload's files, of so many left rows."""
        name = "_".join([workload, str(rows), *options]).replace("=", "-").replace(",", "-")
        folder = os.path.join(self.folder, name)
        if not os.path.exists(folder):
            unfinished = folder + ".unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            subprocess.check_call([self._generator(), workload, str(rows), unfinished, *options])
            os.rename(unfinished, folder)
        return folder

    def python(self):
        """The Python that has DuckDB and DataFusion."""
        return self.python_with("python", PEER_PACKAGES)

    def python_with(self, name, packages):
        """The Python in build/bench/`name`, which has these packages."""
        folder = os.path.join(self.folder, name)
        python = os.path.join(folder, "bin", "python")
        ready = os.path.join(folder, "installed")
        if not os.path.exists(ready):
            print(f"installing {', '.join(packages)} into build/bench/{name}", flush=True)
            # What an interrupted attempt left goes.
            venv.create(folder, with_pip=True, clear=True)
            subprocess.check_call([python, "-m", "pip", "install", "--quiet", *packages])
            with open(ready, "w", encoding="ascii"):
                pass
        return python

    def peer(self, script, *arguments):
        """The command line of a peer's script in bench/peers."""
        return [self.python(), self.peer_script(script), *arguments]

    def peer_script(self, script):
        return os.path.join(BENCH, "peers", script)

    def braid(self, job, data, *more, end="flush", **definitions):
        """The command line of a job in bench/ over `data`."""
        defined = [f"DATA={data}"] + [f"{name}={value}" for name, value in definitions.items()]
        command = [self.braid_command, "run", os.path.join(BENCH, job)]
        for definition in defined:
            command += ["--define", definition]
        return command + ["--set", f"execution.end-of-input={end}", *more]

    def braid_within(self, data, *more, seconds, delay, sink=BLACKHOLE):
        """The same of w1_within.sql."""
        return self.braid("w1_within.sql", data, *more, SECONDS=seconds, DELAY=delay, SINK=sink)

    def with_checkpoint(self, command):
        return command + ["--checkpoint", self.checkpoint]

    def remove_checkpoint(self):
        shutil.rmtree(self.checkpoint, ignore_errors=True)

    def program(self, name):
        """A program of bench/*_bench.cc."""
        path = os.path.join(self.programs_folder, name)
        if not os.path.exists(path):
            raise Failed(f"{path} is not built")
        return path

    def _generator(self):
        source = os.path.join(BENCH, "peers", "generate.cpp")
        generator = os.path.join(self.folder, "generate")
        if (not os.path.exists(generator) or
                os.path.getmtime(generator) < os.path.getmtime(source)):
            subprocess.check_call(["g++", "-O2", "-std=c++20", source, "-o", generator])
        return generator


def rows_out(output):
    """The count of result rows that Braid or a peer's script printed."""
    found = re.search(r"out=(\d+)", output) or re.search(r"(\d+) rows out", output)
    if not found:
        raise Failed(f"no count of rows in:\n{output}")
    return int(found.group(1))


def is_installable():
    """Whether the peers' Python can be made, or is there; says so if not."""
    try:
        import ensurepip  # pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        print("python3-venv is not installed (scripts/setup.sh bench)", file=sys.stderr)
        return False
    return True
