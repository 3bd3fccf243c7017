#!/usr/bin/env python3
"""Runs the tests that are built, and says where the time went.

usage: run-tests.py [--minutes N] [ARGUMENT...]

Runs `swift test --skip-build` with the arguments and exits as it does; with 124 where it was stopped after N minutes
(30), because a test hangs. Where the output goes to a file or a pipe, the parts of the run that STOREKEEPER_PARTS
names, a file that Scripts/parts.sh wrote, are printed before the runner's own closing lines, which stay the last.
"""

import argparse
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import threading
import time

# How many tests go on beside each other; runners before Swift 6.3 do not know the variable.
WIDTH = os.cpu_count() or 1
WIDTH_VARIABLE = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"
CLOSING = re.compile(r"^\S+ Test run with \d+ tests?\b")


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Parts:
    """What was timed, in the order in which it ended: names, seconds, seconds of processor time.

    Of a part that others are parts of, `demo` beside `demo: build`, the table has what they leave: `demo: else`.
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
        """The lines of the table, `run` as its last part."""
        rows = [*self.rows, run]
        total = ("all", sum(row[1] for row in rows), sum(row[2] for row in rows))
        title = "where the time went"
        width = max(len(title), *(len(name) for name, _, _ in rows))
        yield f"{title:{width}}  seconds  processor"
        for name, seconds, processor in [*rows, total]:
            yield f"{name:{width}}  {seconds:7.0f}  {processor:9.0f}"


class Output:
    """Passes the runner's lines on, holding back the closing ones."""

    def __init__(self):
        self.closing = []

    def read(self, output):
        for line in output:
            if self.closing or CLOSING.match(line):
                self.closing.append(line)
                continue
            sys.stdout.write(line)
            sys.stdout.flush()


def stop(process):
    """Ends the runner and what it has started, which is of its group."""
    for number, patience in ((signal.SIGTERM, 30), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=patience)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def exit_status(process, minutes):
    """Waits for the runner: its exit status, as a shell would tell it; 124 where it took too long."""
    try:
        status = process.wait(timeout=minutes * 60)
        return 128 - status if status < 0 else status
    except subprocess.TimeoutExpired:
        stop(process)
        print(f"run-tests: stopped after {minutes:g} minutes: a test hangs, one of those that began above and did not"
              " end", file=sys.stderr)
        return 124


def start(command, **options):
    """Starts the runner in a group of its own, which is told what signals come here."""
    environment = {**os.environ, WIDTH_VARIABLE: str(WIDTH)}
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True, **options)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.killpg(process.pid, number))
    return process


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", metavar="N", type=float, default=30, help="how long they may take (30)")
    options, arguments = parser.parse_known_args()
    command = ["swift", "test", "--skip-build", *arguments]
    if sys.stdout.isatty():
        # To a terminal the runner writes by itself, in colours.
        return exit_status(start(command), options.minutes)

    begin, used = time.monotonic(), processor_time()
    process = start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    passed_on = Output()
    reader = threading.Thread(target=passed_on.read, args=(process.stdout,), daemon=True)
    reader.start()
    status = exit_status(process, options.minutes)
    # What a test has left behind may keep the pipe open.
    reader.join(timeout=10)
    run = ("test: run", time.monotonic() - begin, processor_time() - used)
    print("", *Parts().table(run), "", sep="\n")
    if not passed_on.closing:
        print(f"run-tests: the runner ended without its closing lines, with status {status}", file=sys.stderr)
    sys.stdout.writelines(passed_on.closing)
    sys.stdout.flush()
    return status


if __name__ == "__main__":
    sys.exit(main())
