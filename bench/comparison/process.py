"""Runs a command to its end and says what it took.

CPU time is that of the process and of all that it started and waited for. It moves less than wall
time on a machine that does other work.
"""
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

BYTES_A_BLOCK = 512  # Of ru_oublock: what the process had the file system write.
PR_SET_CHILD_SUBREAPER = 36


@dataclass
class Usage:
    """What a process took, and what it printed on both streams."""
    cpu_s: float
    wall_s: float
    peak_mb: float
    written_bytes: int
    exit_code: int
    output: str


class Failed(Exception):
    """A command ended with a code that was not allowed, or something took too long."""


def run(command, allowed_codes=(0,), environment=None):
    """The usage of `command`. Raises Failed if it ends with another code than the allowed ones.

    The peak memory of a small process is at least that of this interpreter, of which it is a copy
    until it runs the command: about 20 MB.
    """
    start = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, env=environment)
    output = process.stdout.read().decode(errors="replace")
    return finish(process, command, start, output, allowed_codes)


def finish(process, command, start, output, allowed_codes=(0,)):
    """Waits for a process that was started at `start` (of time.monotonic)."""
    _, status, used = os.wait4(process.pid, 0)
    wall_s = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in allowed_codes:
        raise Failed(f"exit code {process.returncode} of {' '.join(command)}\n{output}")
    return Usage(used.ru_utime + used.ru_stime, wall_s, used.ru_maxrss / 1024,
                 used.ru_oublock * BYTES_A_BLOCK, process.returncode, output)


@contextlib.contextmanager
def cores_alone(cores):
    """Binds this thread, and what it starts meanwhile, to `cores`.

    Where the system lets it, which it does for root, that also goes before the other processes of
    the machine: else the second core would be as free as they happen to leave it.
    """
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        yield
    finally:
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.sched_setaffinity(0, before)


def run_with_orphans(command, environment=None, patience_s=60):
    """As run(), for a command that leaves processes behind which it did not wait for.

    They become children of this process, which waits for them too (`patience_s` at most, then they
    are killed). Peak memory is that of the largest of all.
    """
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    usage = run(command, environment=environment)
    signal.signal(signal.SIGALRM, _kill_children)
    signal.alarm(patience_s)
    while True:
        try:
            _, _, used = os.wait4(-1, 0)
        except ChildProcessError:
            break
        usage.cpu_s += used.ru_utime + used.ru_stime
        usage.peak_mb = max(usage.peak_mb, used.ru_maxrss / 1024)
    signal.alarm(0)
    return usage


def _kill_children(_signal, _frame):
    path = f"/proc/self/task/{os.getpid()}/children"
    with open(path, encoding="ascii") as children:
        for pid in children.read().split():
            print(f"killed {pid}, which was left behind", file=sys.stderr)
            os.kill(int(pid), signal.SIGKILL)
