#!/usr/bin/env python3
"""Runs the built tests, and prints where the time went.

usage: run-tests.py [--minutes N] [ARGUMENT...]

Runs `swift test --skip-build` with the arguments and exits with its status, or with 124 if it was stopped after N
minutes (30), because a test hangs. If the output is a file or a pipe, a table of times and the first failures are
printed before the closing lines, which stay last. The table includes the parts in the file STOREKEEPER_PARTS, which
Scripts/parts.sh wrote.
"""

import argparse
import contextlib
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import threading
import time

# The number of tests that run in parallel; runners before Swift 6.3 ignore the variable.
WIDTH = os.cpu_count() or 1
WIDTH_VARIABLE = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"
CLOSING = re.compile(r"^\S+ Test run with \d+ tests?\b")
FAILURE = re.compile(r"^\S+ (?:Test|Suite) .* recorded an issue\b")
# A log that keeps only the end of the output still names the failures.
SHOWN_FAILURES = 10
SHOWN_CHARACTERS = 300


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Parts:
    """The timed parts of the run, in the order in which they ended: names, seconds, seconds of processor time.

    If a part contains others, as `demo` contains `demo: build`, its row shows the rest: `demo: else`.
    """

    def __init__(self):
        self.rows = []
        path = os.environ.get("STOREKEEPER_PARTS")
        if path and pathlib.Path(path).exists():
            for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
                seconds, processor, name = line.split("\t")
                self.add(name, float(seconds), float(processor))

    def add(self, name, seconds, processor):
        inside = [row for row in self.rows if row[0].startswith(f"{name}: ")]
        if inside:
            name = f"{name}: else"
            seconds -= sum(row[1] for row in inside)
            processor -= sum(row[2] for row in inside)
        self.rows.append((name, seconds, processor))

    def table(self, run):
        """The lines of the table, with `run` as the last part."""
        rows = [*self.rows, run]
        total = ("all", sum(row[1] for row in rows), sum(row[2] for row in rows))
        title = "where the time went"
        width = max(len(title), *(len(name) for name, _, _ in rows))
        yield f"{title:{width}}  seconds  processor"
        for name, seconds, processor in [*rows, total]:
            yield f"{name:{width}}  {seconds:7.0f}  {processor:9.0f}"


class Output:
    """Prints the runner's lines, and keeps the failures and the closing ones for later."""

    def __init__(self):
        self.failures = []
        self.closing = []

    def read(self, output):
        for line in output:
            if self.closing or CLOSING.match(line):
                self.closing.append(line)
                continue
            if FAILURE.match(line):
                self.failures.append(line.rstrip()[:SHOWN_CHARACTERS])
            sys.stdout.write(line)
            sys.stdout.flush()


def stop(process):
    """Ends the runner's process group: the runner may end before the tests that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=30)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def exit_status(process, minutes):
    """Waits for the runner, and returns its exit status as a shell does, or 124 after the time limit."""
    try:
        status = process.wait(timeout=minutes * 60)
        return 128 - status if status < 0 else status
    except subprocess.TimeoutExpired:
        stop(process)
        print(f"run-tests: stopped after {minutes:g} minutes: a test hangs; it is among those above that began and"
              " did not end", file=sys.stderr)
        return 124


def start(command, **options):
    """Starts the runner in its own process group, to which signals are forwarded."""
    environment = {**os.environ, WIDTH_VARIABLE: str(WIDTH)}
    # Builds need it, see the Makefile; tests find more if the order of sets changes.
    environment.pop("SWIFT_DETERMINISTIC_HASHING", None)
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True, **options)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.killpg(process.pid, number))
    return process


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", metavar="N", type=float, default=30, help="the time limit (30)")
    options, arguments = parser.parse_known_args()
    command = ["swift", "test", "--skip-build", *arguments]
    if sys.stdout.isatty():
        # On a terminal the runner prints directly, in colours.
        return exit_status(start(command), options.minutes)

    begin, used = time.monotonic(), processor_time()
    process = start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    passed_on = Output()
    reader = threading.Thread(target=passed_on.read, args=(process.stdout,), daemon=True)
    reader.start()
    status = exit_status(process, options.minutes)
    # A process that a test left behind may keep the pipe open.
    reader.join(timeout=10)
    run = ("test: run", time.monotonic() - begin, processor_time() - used)
    print("", *Parts().table(run), "", sep="\n")
    if passed_on.failures:
        print("what failed first", *passed_on.failures[:SHOWN_FAILURES], "", sep="\n")
    if not passed_on.closing:
        print(f"run-tests: the runner ended without its closing lines, with status {status}", file=sys.stderr)
    sys.stdout.writelines(passed_on.closing)
    sys.stdout.flush()
    return status


if __name__ == "__main__":
    sys.exit(main())
