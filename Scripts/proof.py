#!/usr/bin/env python3
"""Runs the long tests in units of a few minutes, continues where it stopped, and writes Documentation/Proof.md.

usage: proof.py [--minutes N] soak|long [PART[:AMOUNT]…]

`soak` kills processes that write to a vault, runs the thread sanitizer, tests the package and breaks rules; `long`
tries laws and parsers on very many inputs. A part, such as `kills`, can be named alone; `fleet` names all parts that
begin with `fleet-`; `kills:5000` asks for another amount than usual. Without a part, all parts run.

A unit that passed is not run again in the same sources (Package.swift, Sources, Tests, Scripts): .build/proof.json
remembers it. Units that never ran or that failed come first, then the others, the oldest first; of equal age, the first
unit of each part comes before the second of any, so that a short run proves something of every part. Seeds follow from
the sources, so that new sources meet new inputs. With --minutes, no unit begins that would not end in time.

Exits with 0 if no unit failed, even if units are left, which it prints together with the command that continues; with 1
if a unit failed; with 2 if it was called wrongly; with 130 if it was interrupted.
"""

import argparse
import collections
import dataclasses
import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import mutate  # noqa: E402
from mutate import ROOT, RULES  # noqa: E402

STATE = ROOT / ".build" / "proof.json"
LOGS = ROOT / ".build" / "proof"
TABLE = ROOT / "Documentation" / "Proof.md"


@dataclasses.dataclass(frozen=True)
class Build:
    """A build that the units of several parts share, and the minutes that it takes at first."""

    name: str
    command: tuple
    minutes: float


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of a run: `amount` of what it counts, divided into units of `portion`, which take `minutes` at first.

    The environment variable `variable`, or the word `AMOUNT` of the command, tells a unit its amount.
    """

    name: str
    proves: str
    command: tuple
    minutes: float
    counts: str = ""
    amount: int = 1
    portion: int = 1
    variable: str = ""
    build: Build | None = None
    environment: str = ""
    # A command that succeeds if the part can run here, and the reason if it cannot.
    needs: tuple = ()


def tests(options, *filters, skip=()):
    chosen = [("--filter", name) for name in filters] + [("--skip", name) for name in skip]
    return ("Scripts/run-tests.py", *options, *itertools.chain(*chosen))


def built(name, minutes, options):
    return Build(name, ("swift", "build", "--build-tests", *options), minutes)


# In release, because the number of inputs counts; in a separate folder, so that the everyday build stays.
RELEASE = ("--configuration", "release", "-Xswiftc", "-enable-testing", "--scratch-path", ".build/long")
SANITIZED = ("--sanitize", "thread", "--scratch-path", ".build/sanitized")
IN_RELEASE = {"build": built("the tests in release", 12, RELEASE)}
WITH_SERVER = {**IN_RELEASE, "needs": ("Scripts/postgres-server.sh has", "no PostgreSQL server is installed")}
SANITIZER = {
    "build": built("the tests with the thread sanitizer", 8, SANITIZED),
    "environment": 'TSAN_OPTIONS="suppressions=$PWD/Scripts/thread-sanitizer.txt halt_on_error=0 exitcode=66"',
}
# With 0 rules it only builds.
MUTATED = {"build": Build("the sources with all mutations", ("Scripts/mutate.py", "--most", "0"), 8)}

# A story takes much longer than a history.
STORY_LAWS = ("StoryLawTests", "HappeningLawTests", "FoldingLawTests", "CustomerModelTests")
# These laws have fixed seeds, so that more units would repeat them.
FIXED_LAWS = ("NotificationLawTests",)

PARTS = {
    "soak": [
        Part("kills", "A process that is killed while it writes to a file loses nothing acknowledged and counts "
             "nothing twice.",
             tests(RELEASE, "CrashTests"), 1.5, "kills", 1_000, 100, "STOREKEEPER_KILLS", **IN_RELEASE),
        Part("service-kills", "Companion services that are killed or replaced while they answer store each "
             "acknowledged write once.",
             ("Scripts/with-postgres.sh", *tests(RELEASE, "CompanionKillTests")), 3, "kills", 50, 10,
             "STOREKEEPER_KILLS", **WITH_SERVER),
        Part("fleet-nodes", "Nodes that share a database and are killed lose nothing acknowledged and count nothing "
             "twice.", tests((*RELEASE, "--no-parallel"), "NodeKillTests"), 1, "kills", 200, 20, "STOREKEEPER_KILLS",
             **WITH_SERVER),
        Part("fleet-servers", "Nodes continue by themselves when their database server is killed.",
             tests((*RELEASE, "--no-parallel"), "ServerKillTests"), 2, "kills", 200, 20, "STOREKEEPER_KILLS",
             **WITH_SERVER),
        Part("fleet-failovers", "A synchronous standby replaces a lost primary without losing anything acknowledged.",
             tests((*RELEASE, "--no-parallel"), "FailoverTests"), 1.5, "failovers", 20, 4, "STOREKEEPER_FAILOVERS",
             **WITH_SERVER),
        Part("fleet-model", "Four nodes that write at once arrive at the state of one vault in the order of the feed.",
             tests((*RELEASE, "--no-parallel"), "FleetModelTests"), 2, "commands", 100_000, 10_000,
             "STOREKEEPER_COMMANDS", **WITH_SERVER),
        Part("threads-stores", "The thread sanitizer finds no data race in stores and their pool.",
             tests(SANITIZED, "StorePoolTests", "StoreLifeTests", "StoreAccountTests", "StoreIngestTests"), 3,
             **SANITIZER),
        Part("threads-vaults", "The thread sanitizer finds no data race in vaults and their queue.",
             tests(SANITIZED, "CommitQueue", "VaultConformance", "InMemoryVault", "SQLiteVault"), 3, **SANITIZER),
        Part("threads-events", "The thread sanitizer finds no data race in published answers, feeds and the clock.",
             tests(SANITIZED, "Publication", "Feed", "VirtualClock"), 3, **SANITIZER),
        Part("package", "The packaged service runs where only the libraries of its image are, answers, and ends.",
             ("Scripts/package-test.sh",), 6),
        Part("mutations-each",
             "For each rule in Scripts/mutations, a test fails if the rule is broken: [results](Mutations.tsv).",
             ("Scripts/mutate.py", "--most", "AMOUNT"), 4, "broken rules", len(RULES), 20, **MUTATED),
        Part("mutations-together", "With ten rules broken together, tests fail and none hangs.",
             ("Scripts/mutate.py", "--all-at-once", "10"), 8, **MUTATED),
    ],
    "long": [
        Part("laws-engine", "Histories, answers and accounts obey their laws.",
             tests(RELEASE, "LawTests",
                   skip=("ReferenceLawTests", "ExplanationLawTests", "RemoteVaultLawTests", *STORY_LAWS, *FIXED_LAWS)),
             2.5, "inputs of each law", 100_000, 5_000, "STOREKEEPER_CASES", **IN_RELEASE),
        Part("laws-stories", "Stories of a simulated App Store obey their laws.", tests(RELEASE, *STORY_LAWS), 2.5,
             "stories of each law", 10_000, 500, "STOREKEEPER_CASES", **IN_RELEASE),
        Part("laws-policy", "Engine and reference model agree under each policy, and explanations name what decides.",
             tests(RELEASE, "ReferenceLawTests", "ExplanationLawTests"), 2, "inputs of each law and policy", 25_000,
             2_500, "STOREKEEPER_CASES", **IN_RELEASE),
        Part("laws-vault", "A remote vault and a local one arrive at the same state.",
             tests(RELEASE, "RemoteVaultLawTests"), 2, "stories", 5_000, 500, "STOREKEEPER_CASES", **IN_RELEASE),
        Part("parsers", "Damaged JSON, catalogs, evidence files and signatures are read or refused, without a crash.",
             tests(RELEASE, "JSONReaderTests", "CatalogHostileInputTests", "EvidenceScannerTests", "TamperingTests"), 4,
             "damaged inputs of each parser", 1_000_000, 200_000, "STOREKEEPER_CASES", **IN_RELEASE),
    ],
}

HEADER = """\
# Proof

The results of the long runs, `make soak` and `make long`: a row for each part that was run, with its last result.
`Scripts/proof.py` writes this page after each unit of a run. The inputs follow from the seed of the first unit.

| part | what it proves | result | first seed | commit | date (UTC) |
|---|---|---|---|---|---|
"""


@dataclasses.dataclass(frozen=True)
class Unit:
    part: Part
    number: int
    amount: int
    seed: int

    @property
    def name(self):
        return f"{self.part.name}.{self.number}"

    @property
    def command(self):
        """The command that runs the unit, as a person can repeat it."""
        variables = [self.part.environment] if self.part.environment else []
        if self.part.variable:
            variables += [f"{self.part.variable}={self.amount}", f"STOREKEEPER_SEED={self.seed}"]
        words = [str(self.amount) if word == "AMOUNT" else word for word in self.part.command]
        return " ".join([*variables, shlex.join(words)])


def fail(message):
    print(f"proof: {message}", file=sys.stderr)
    raise SystemExit(2)


def choose(run, words):
    """Returns the wanted amount of each part that the words name; without words, of all parts."""
    chosen = {}
    for word in words or [part.name for part in PARTS[run]]:
        name, _, number = word.partition(":")
        found = [part for part in PARTS[run] if part.name == name or part.name.startswith(f"{name}-")]
        if not found:
            fail(f"{run} has no part {name}; its parts are {', '.join(part.name for part in PARTS[run])}")
        if number and (not re.fullmatch("[1-9][0-9]*", number) or not all(part.variable for part in found)):
            fail(f"{word}: an amount is a number above 0, of a part that counts inputs, kills, failovers or commands")
        chosen |= {part: int(number or part.amount) for part in found}
    return chosen


def clock(seconds):
    return f"{seconds // 60:.0f}:{seconds % 60:02.0f}"


def commit():
    """Returns the commit of the sources, and whether they differ from it."""
    def git(*words):
        return subprocess.run(["git", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    name = git("rev-parse", "--short=8", "HEAD").strip()
    is_changed = name and git("status", "--porcelain", "--", "Package.swift", "Sources", "Tests", "Scripts").strip()
    return f"{name or 'none'}{' with changes' if is_changed else ''}"


class Proof:
    """A run, and what is remembered of it and of earlier ones."""

    def __init__(self, amounts, minutes):
        self.amounts = amounts
        self.deadline = time.monotonic() + minutes * 60
        self.sources, self.commit = mutate.sources(), commit()
        self.state = json.loads(STATE.read_text(encoding="utf-8")) if STATE.exists() else {"units": {}, "builds": {}}
        self.ready, self.missing, self.has_failed = set(), {}, False
        first = int(self.sources[:8], 16)
        self.units = [
            Unit(part, number, min(part.portion, amount - begin), first + begin)
            for part, amount in amounts.items()
            for number, begin in enumerate(range(0, amount, part.portion), 1)]

    def is_done(self, unit):
        last = self.state["units"].get(unit.name, {})
        return bool(last) and last["ok"] and last["sources"] == self.sources and last["amount"] >= unit.amount

    def left(self):
        """Returns the units that did not pass in these sources: first the new and the failed, then the oldest.

        Of equal age, the first unit of each part comes before the second of any.
        """
        def age(unit):
            last = self.state["units"].get(unit.name)
            return last["date"] if last and last["ok"] else ""
        left = [unit for unit in self.units if not self.is_done(unit)]
        return sorted(left, key=lambda unit: (age(unit), unit.number))

    def expected(self, unit):
        """Returns the seconds that a unit will take, as measured before."""
        measured = [
            last["seconds"] * max(1, unit.amount / last["amount"]) for name, last in self.state["units"].items()
            if last["ok"] and name.rpartition(".")[0] == unit.part.name]
        return max(measured, default=unit.part.minutes * 60)

    def expected_build(self, build):
        if build is None or build.name in self.ready:
            return 0
        last = self.state["builds"].get(build.name, {"sources": "", "seconds": build.minutes * 60})
        return 20 if last["sources"] == self.sources else last["seconds"]

    def save(self):
        STATE.parent.mkdir(exist_ok=True)
        new = STATE.with_suffix(".new")
        new.write_text(json.dumps(self.state, indent=1), encoding="utf-8")
        new.replace(STATE)

    def start(self, command, name, label):
        """Runs a command, prints a line, and returns whether it succeeded, how many tests ran, and the seconds."""
        log = LOGS / f"{name.replace(' ', '-')}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        if sys.stdout.isatty():
            print(f"…              {label}", end="\r", flush=True)
        begin = time.monotonic()
        with open(log, "wb") as output:
            process = subprocess.Popen(
                ["bash", "-c", command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = process.wait()
            except KeyboardInterrupt:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
                raise
        seconds, text = time.monotonic() - begin, log.read_text(encoding="utf-8", errors="replace")
        # A run in which no test has run proves nothing.
        ran = re.findall(r"Test run with (\d+) tests?.* passed", text)
        ok = status == 0 and ("run-tests.py" not in command or (bool(ran) and int(ran[-1]) > 0))
        print(f"{'ok' if ok else 'FAILED':6} {clock(seconds):>6}  {label}", flush=True)
        if not ok:
            self.has_failed = True
            lines = [line for line in text.splitlines() if re.search("✘|error:|UNNOTICED|HUNG|CRASHED", line)]
            print(*(f"    {line[:200]}" for line in (lines or text.splitlines())[-8:]), sep="\n")
            print(f"    the whole output: {log.relative_to(ROOT)}; again: {command}", flush=True)
        return ok, int(ran[-1]) if ran else 0, seconds

    def can_run(self, part):
        if part.needs and subprocess.run(shlex.split(part.needs[0]), stdout=subprocess.DEVNULL).returncode != 0:
            self.missing[part.name] = part.needs[1]
        return part.name not in self.missing

    def make(self, build):
        """Builds, once in a run; returns whether it compiles."""
        if build.name not in self.ready:
            ok, _, seconds = self.start(shlex.join(build.command), build.name, f"build {build.name}")
            if not ok:
                return False
            self.ready.add(build.name)
            last = self.state["builds"].get(build.name)
            if last is None or last["sources"] != self.sources:
                self.state["builds"][build.name] = {"sources": self.sources, "seconds": seconds}
                self.save()
        return True

    def run_unit(self, unit):
        """Runs a unit and records its result; returns false if the sources have changed, and nothing is recorded."""
        part, label = unit.part, unit.part.name
        if part.counts:
            count = sum(each.part == part for each in self.units)
            label += f" {unit.number} of {count}: {unit.amount:,} {part.counts}"
            label += f", seed {unit.seed}" if part.variable else ""
        ok, ran, seconds = self.start(unit.command, unit.name, label)
        if mutate.sources() != self.sources:
            print("stopped, because the sources have changed meanwhile: the last unit does not count")
            return False
        self.state["units"][unit.name] = {
            "ok": ok, "sources": self.sources, "commit": self.commit, "date": mutate.utc_now(), "seconds": seconds,
            "amount": unit.amount, "seed": unit.seed, "tests": ran, "command": unit.command}
        self.save()
        self.write_row(part)
        return True

    def row(self, part):
        """Returns the row of a part, from its units that ran in these sources."""
        records = {
            name: last for name, last in self.state["units"].items()
            if name.rpartition(".")[0] == part.name and last["sources"] == self.sources}
        passed = [last for last in records.values() if last["ok"]]
        done, wanted = sum(last["amount"] for last in passed), self.amounts[part]
        if part.counts:
            result = f"{done:,} {part.counts}" if done >= wanted else f"{done:,} of {wanted:,} {part.counts}"
        else:
            result = (f"{passed[0]['tests']} tests" if passed[0]["tests"] else "passed") if passed else ""
        failures = [last["command"] for last in records.values() if not last["ok"]]
        if failures:
            result = f"**failed** (`{failures[0]}`)" + (f"; passed: {result}" if passed else "")
        newest = max(records.values(), key=lambda last: last["date"])
        seed = min(last["seed"] for last in records.values()) if part.variable else "–"
        return f"| {part.name} | {part.proves} | {result} | {seed} | {newest['commit']} | {newest['date']} |"

    def write_row(self, part):
        """Replaces the row of a part in the table; the rows of other parts stay."""
        lines = TABLE.read_text(encoding="utf-8").splitlines() if TABLE.exists() else []
        rows = {line.split("|")[1].strip(): line for line in lines if line.startswith("| ")}
        rows[part.name] = self.row(part)
        names = [part.name for parts in PARTS.values() for part in parts]
        TABLE.parent.mkdir(exist_ok=True)
        mutate.write_if_changed(
            TABLE, (HEADER + "".join(f"{rows[name]}\n" for name in names if name in rows)).encode())

    def run_all(self):
        for unit in self.left():
            expected = self.expected(unit) + self.expected_build(unit.part.build)
            if time.monotonic() + expected > self.deadline or not self.can_run(unit.part):
                continue
            if unit.part.build and not self.make(unit.part.build):
                return
            if not self.run_unit(unit):
                return

    def summary(self):
        left = self.left()
        seconds = sum(map(self.expected, left)) + sum(map(self.expected_build, {unit.part.build for unit in left}))
        return f"{len(left)} of {len(self.units)} units are left, about {seconds / 60:.0f} min"

    def report(self, again):
        for name, reason in self.missing.items():
            print(f"{name} is left out: {reason}")
        parts = collections.Counter(unit.part.name for unit in self.left())
        if not parts:
            print("nothing is left: every unit has passed in these sources")
            return
        names = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in parts.items())
        print(f"{self.summary()}: {names}\nthe command that continues: {again}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", choices=list(PARTS))
    parser.add_argument("parts", nargs="*", metavar="PART[:AMOUNT]")
    parser.add_argument("--minutes", default="", help="begin with no unit that would not end within these minutes")
    arguments = parser.parse_intermixed_args()
    words = " ".join(arguments.parts).replace(",", " ").split()
    if not re.fullmatch(r"([0-9]+(\.[0-9]+)?)?", arguments.minutes):
        fail(f"{arguments.minutes} is not a number of minutes")
    amounts = choose(arguments.run, words)
    os.chdir(ROOT)
    if subprocess.run(["Scripts/install-prerequisites.sh"]).returncode != 0:
        return 1

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    proof = Proof(amounts, float(arguments.minutes or "inf"))
    earlier = [last["sources"] for last in proof.state["units"].values()]
    if earlier and proof.sources not in earlier:
        print("the sources have changed since the last run: every unit starts again")
    print(proof.summary(), flush=True)
    again = [f"make {arguments.run}"]
    if words:
        again.append(f"PART={shlex.quote(' '.join(words))}")
    if arguments.minutes:
        again.append(f"MINUTES={arguments.minutes}")
    status = None
    try:
        proof.run_all()
    except KeyboardInterrupt:
        status = 130
        print("interrupted", file=sys.stderr)
    proof.report(" ".join(again))
    return status or (1 if proof.has_failed else 0)


if __name__ == "__main__":
    sys.exit(main())
