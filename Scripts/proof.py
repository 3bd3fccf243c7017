#!/usr/bin/env python3
"""Runs the long tests in units of a few minutes, and continues where it stopped.

usage: proof.py [--minutes N] [PART[:AMOUNT]…]

Without a part, all parts run. A part can be named alone, such as `kills`, or by the beginning of several names, such as
`fleet`; `kills:5000` asks for another amount than usual. With --minutes, no unit begins that would not end in time.

A unit that passed is not run again while Package.swift, Sources and Tests stay as they are: .build/proof.json remembers
it. Seeds follow from these files, so that other sources meet other inputs. Exits with 1 if a unit failed; prints the
units that are left, and for each failed one the command that repeats it.
"""

import argparse
import collections
import dataclasses
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATE = ROOT / ".build" / "proof.json"
LOGS = ROOT / ".build" / "proof"

# In release, because the number of inputs counts; in separate folders, so that the everyday build stays.
RELEASE = "--configuration release -Xswiftc -enable-testing --scratch-path .build/long"
SANITIZED = "--sanitize thread --scratch-path .build/sanitized"
SANITIZER = {"TSAN_OPTIONS": f"suppressions={ROOT}/Scripts/thread-sanitizer.txt halt_on_error=0 exitcode=66"}


@dataclasses.dataclass(frozen=True)
class Part:
    """Tests that run with `options` and `filters`, or a command of its own.

    The environment variable `variable` tells a unit how much of `amount` is its `portion`, which takes `minutes`.
    """

    name: str
    minutes: float
    filters: str = ""
    variable: str = ""
    amount: int = 1
    portion: int = 1
    options: str = RELEASE
    command: str = ""
    needs_server: bool = False

    def words(self):
        if self.command:
            return self.command
        chosen = " ".join(f"--filter {name}" for name in self.filters.split())
        alone = "--no-parallel " if self.name.startswith("fleet") else ""
        return f"Scripts/with-postgres.sh Scripts/run-tests.py {self.options} {alone}{chosen}"


PARTS = [
    # Killed processes lose nothing that was acknowledged, and count nothing twice.
    Part("kills", 1.5, "CrashTests", "STOREKEEPER_KILLS", 1_000, 100),
    Part("service-kills", 3, "CompanionKillTests", "STOREKEEPER_KILLS", 50, 10, needs_server=True),
    Part("other-kills", 3, "WebhookKillTests VaultCopyKillTests", needs_server=True),
    Part("fleet-faults", 1.5, "FleetFaultTests/faults", "STOREKEEPER_FAULTS", 20, 4, needs_server=True),
    Part("fleet-outages", 9, "FleetFaultTests/longOutage FleetPromotionTests", needs_server=True),
    Part("fleet-nodes", 1, "NodeKillTests", "STOREKEEPER_KILLS", 200, 20, needs_server=True),
    Part("fleet-servers", 2, "ServerKillTests", "STOREKEEPER_KILLS", 200, 20, needs_server=True),
    Part("fleet-failovers", 1.5, "FailoverTests", "STOREKEEPER_FAILOVERS", 20, 4, needs_server=True),
    # Four nodes that write at once arrive at the state of one vault in the order of the feed.
    Part("fleet-model", 2, "FleetModelTests", "STOREKEEPER_COMMANDS", 100_000, 10_000, needs_server=True),
    # Rules that need a separate server: races, restarts, standbys, cut connections, a full disk.
    Part("fleet-rules", 6, "StepRaceTests SynchronousCommitTests RestartedStepTests FeedOrderTests FeedTicketTests"
         " ReadOnlyServerTests CutConnectionTests PostgresFullDiskTests", needs_server=True),
    Part("threads", 8, "StorePoolTests StoreLifeTests StoreAccountTests StoreIngestTests CommitQueue VaultConformance"
         " InMemoryVault SQLiteVault Publication Feed VirtualClock", options=SANITIZED),
    Part("library", 6, command="Scripts/sanitize-c-library.sh"),
    # Each law on 100,000 inputs, each parser on 1,000,000 damaged ones; a story takes much longer than a history.
    Part("laws", 4, "HistoryLawTests EntitlementLawTests PastLawTests OfferLawTests AccessGrantLawTests ReceiptLawTests"
         " LedgerLawTests",
         "STOREKEEPER_CASES", 100_000, 5_000),
    Part("laws-stories", 3, "StoryLawTests HappeningLawTests FoldingLawTests CustomerModelTests",
         "STOREKEEPER_CASES", 10_000, 500),
    Part("laws-policy", 2, "ReferenceLawTests ExplanationLawTests", "STOREKEEPER_CASES", 25_000, 2_500),
    Part("parsers", 4, "JSONReaderTests CatalogHostileInputTests EvidenceScannerTests TamperingTests",
         "STOREKEEPER_CASES", 1_000_000, 200_000),
    # Random requests find faults of the services, and answers that their descriptions do not name.
    Part("requests", 8, command="Scripts/check-service.sh 200"),
    # The traits of the guide are other options of the compiler, so its dependencies are compiled once more.
    Part("guide", 5, command="Scripts/embed.sh"),
    Part("package", 15, command="make release"),
]


def sources():
    """A digest of the files that a result depends on."""
    digest = hashlib.sha256()
    listed = subprocess.run(
        ["git", "ls-files", "-z", "Package.swift", "Sources", "Tests"], cwd=ROOT, check=True, capture_output=True).stdout
    for name in sorted(listed.split(b"\0")):
        file = ROOT / os.fsdecode(name)
        if name and file.is_file():
            digest.update(name + b"\0" + file.read_bytes())
    return digest.hexdigest()


def choose(words):
    """The wanted amount of each part that the words name; of all parts without words."""
    chosen = {}
    for word in words or [part.name for part in PARTS]:
        name, _, number = word.partition(":")
        found = [part for part in PARTS if part.name == name] or [part for part in PARTS if part.name.startswith(name)]
        if not found or (number and not (number.isdecimal() and int(number) and all(part.variable for part in found))):
            names = ", ".join(part.name + (f":{part.amount}" if part.variable else "") for part in PARTS)
            sys.exit(f"proof: {word} is none of the parts: {names}")
        chosen |= {part: int(number or part.amount) for part in found}
    return chosen


def clock(seconds):
    return f"{seconds // 60:.0f}:{seconds % 60:02.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART[:AMOUNT]")
    parser.add_argument("--minutes", type=lambda text: float(text or "inf"), default="inf")
    arguments = parser.parse_intermixed_args()
    chosen = choose(arguments.parts)
    deadline = time.monotonic() + arguments.minutes * 60
    os.chdir(ROOT)
    has_server = subprocess.run(["Scripts/postgres-server.sh", "has"], stdout=subprocess.DEVNULL).returncode == 0

    digest = sources()
    state = json.loads(STATE.read_text()) if STATE.exists() else {}
    if state.get("sources") != digest:
        state = {"sources": digest, "passed": {}}
    left, failed, built = collections.Counter(), [], set()
    # The first unit of each part comes before the second of any, so that a short run proves something of every part.
    units = sorted(
        ((begin, part, min(part.portion, amount - begin)) for part, amount in chosen.items()
         for begin in range(0, amount, part.portion)), key=lambda unit: unit[0] // unit[1].portion)
    for begin, part, amount in units:
        name = f"{part.name} {begin // part.portion + 1}"
        if state["passed"].get(name, 0) >= amount:
            continue
        needs_build = not part.command and part.options not in built
        if time.monotonic() + (part.minutes + (10 if needs_build else 0)) * 60 > deadline:
            left[part.name] += 1
            continue
        if part.needs_server and not has_server:
            left[f"{part.name} (no PostgreSQL server is installed)"] += 1
            continue
        if needs_build:
            print(f"building the tests {part.options}", flush=True)
            subprocess.run(f"swift build --build-tests --quiet {part.options}", shell=True, check=True)
            built.add(part.options)
        seed = int(digest[:8], 16) + begin
        environment = {"STOREKEEPER_TESTS": "proof"} | (SANITIZER if part.options == SANITIZED else {})
        if part.variable:
            environment |= {part.variable: str(amount), "STOREKEEPER_SEED": str(seed)}
        command = " ".join([f"{key}={shlex.quote(value)}" for key, value in environment.items()] + [part.words()])
        LOGS.mkdir(parents=True, exist_ok=True)
        log = LOGS / f"{name.replace(' ', '-')}.log"
        started = time.monotonic()
        with open(log, "wb") as output:
            status = subprocess.run(
                ["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT).returncode
        text = log.read_text(errors="replace")
        # A run in which no test has run proves nothing.
        ok = status == 0 and (bool(part.command) or " passed" in text and "Test run with 0 tests" not in text)
        what = f": {amount:,} by {part.variable}, seed {seed}" if part.variable else ""
        print(f"{'ok' if ok else 'FAILED':6} {clock(time.monotonic() - started):>6}  {name}{what}", flush=True)
        if ok:
            state["passed"][name] = amount
            STATE.write_text(json.dumps(state, indent=1))
        else:
            failed.append(name)
            print(f"    the output: {log.relative_to(ROOT)}; again: {command}", flush=True)
    if left:
        units = ", ".join(f"{count} of {name}" for name, count in left.items())
        print(f"units left: {units}\nthe same command continues")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
