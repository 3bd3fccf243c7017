#!/usr/bin/env python3
"""Shows that the scenarios notice when the simulator breaks a rule of the App Store.

usage: mutate-simulator.py [--check]

In a copy of the sources under .build/mutations, breaks one rule after another, builds storekeeper and plays
Configuration/scenarios: at least one scenario must fail each time. The sources themselves stay as they are.
Prints one line a mutation; exits with 1 where one went unnoticed. With --check nothing is built: it only looks
whether each mutation still finds its text.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIMULATOR = pathlib.Path("Sources/StorekeeperSimulator")
SCENARIOS = "Configuration/scenarios"
# What a build needs. The tests are not built, but the manifest names their folders.
COPIED = ["Sources", "Tests", "Package.swift", "Package.resolved"]

# Each mutation: the rule as it is, and the edits that break it: the file, the text in it, what stands there instead.
MUTATIONS = [
    (
        "a payment in the grace period keeps the billing day",
        [
            (
                "World/World+Renewing.swift",
                "let start = line.phase == .grace ? line.expiresAt : now",
                "let start = now",
            )
        ],
    ),
    (
        "cancelling in the grace period ends service at once",
        [
            (
                "World/World+Subscribing.swift",
                "if !isOn, line.isInBillingRetry {",
                "if !isOn, line.phase == .retry {",
            )
        ],
    ),
    (
        "an introductory offer is had once",
        [
            (
                "World/World+Offers.swift",
                "app.offerTerms[Int(offer)].kind == .introductory && app.terms[Int(state.product)].group == group",
                "app.offerTerms[Int(offer)].kind == .code && app.terms[Int(state.product)].group == group",
            )
        ],
    ),
    (
        "a refund turns renewal off",
        [
            (
                "World/World+Refunds.swift",
                "        lines[Int(place)].autoRenews = false\n",
                "",
            )
        ],
    ),
    (
        "an upgrade supersedes the older transaction",
        [
            (
                "World/World+Plans.swift",
                "        supersede(old, in: place)\n",
                "",
            )
        ],
    ),
    (
        "billing retry lasts 60 days",
        [
            (
                "Time/RenewalPace+Lengths.swift",
                "case .calendar: 60 * Self.day",
                "case .calendar: 61 * Self.day",
            )
        ],
    ),
    (
        "a family's copy carries no account token",
        [
            (
                "World/World+Families.swift",
                "                webOrderLineItem: lastWebOrderLineItem,\n",
                "                token: line.token, webOrderLineItem: lastWebOrderLineItem,\n",
            ),
            (
                "Issuing/World+Payloads.swift",
                'if !isFamilys { members["appAccountToken"]',
                'do { members["appAccountToken"]',
            ),
        ],
    ),
    (
        "months are counted from the first day, not from one to the next",
        [
            (
                "World/World+Periods.swift",
                "if isFirst || isChange || !isContinued || length != line.anchorPeriod {",
                "if isFirst || isChange || !isContinued || isContinued {",
            )
        ],
    ),
    (
        "an offer code is redeemed once",
        [
            (
                "World/World+Offers.swift",
                "downloads[Int(download)].redeemedCodes.insert(offer)",
                "_ = offer",
            )
        ],
    ),
    (
        "a renewal is at the higher price that needs no consent",
        [
            (
                "World/World+Periods.swift",
                "line.standardPrice = line.increasedPrice",
                "line.increasedPrice = nil",
            )
        ],
    ),
]


def mutated(edits):
    """The texts of the files that a mutation changes, by path; fails where an edit does not find its text once."""
    texts = {}
    for name, old, new in edits:
        path = SIMULATOR / name
        if path not in texts:
            texts[path] = (ROOT / path).read_text(encoding="utf-8")
        count = texts[path].count(old)
        if count != 1:
            raise SystemExit(f"mutate-simulator: {path}: expected once, found {count} times: {old.strip()}")
        texts[path] = texts[path].replace(old, new)
    return texts


def write_if_changed(path, content):
    """Leaves a file alone that is as it should be, so that the next build has less to do."""
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def copy_sources(scratch):
    wanted = set()
    for name in COPIED:
        source = ROOT / name
        files = [source] if source.is_file() else source.rglob("*")
        for file in files:
            if file.is_file():
                path = file.relative_to(ROOT)
                wanted.add(path)
                write_if_changed(scratch / path, file.read_bytes())
    for name in ["Sources", "Tests"]:
        for file in (scratch / name).rglob("*"):
            if file.is_file() and file.relative_to(scratch) not in wanted:
                file.unlink()


def build(scratch):
    """Builds storekeeper; returns its path."""
    command = ["swift", "build", "--package-path", str(scratch), "--product", "storekeeper"]
    built = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode != 0:
        raise SystemExit(f"{built.stdout}\nmutate-simulator: does not compile; the mutation needs another text")
    folder = subprocess.run([*command, "--show-bin-path"], check=True, stdout=subprocess.PIPE, text=True)
    return pathlib.Path(folder.stdout.strip()) / "storekeeper"


def failed_scenarios(program):
    """The scenarios that are not as expected."""
    command = [str(program), "simulate", SCENARIOS, "--format", "json"]
    played = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if played.returncode not in (0, 1):
        raise SystemExit(f"mutate-simulator: the scenarios were not played, exit status {played.returncode}")
    scenarios = json.loads(played.stdout)["scenarios"]
    return [pathlib.Path(scenario["file"]).stem for scenario in scenarios if scenario["failures"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only look whether each mutation finds its text")
    arguments = parser.parse_args()
    mutations = [(rule, mutated(edits)) for rule, edits in MUTATIONS]
    if arguments.check:
        return 0

    if shutil.which("swift") is None:
        raise SystemExit("mutate-simulator: swift is not on the PATH")
    scratch = ROOT / ".build" / "mutations"
    copy_sources(scratch)
    failed = failed_scenarios(build(scratch))
    if failed:
        raise SystemExit(f"mutate-simulator: these scenarios fail with every rule in place: {', '.join(failed)}")
    unnoticed = 0
    for rule, texts in mutations:
        for path, text in texts.items():
            write_if_changed(scratch / path, text.encode())
        failed = failed_scenarios(build(scratch))
        for path in texts:
            write_if_changed(scratch / path, (ROOT / path).read_bytes())
        unnoticed += not failed
        names = ", ".join(failed[:3]) + (f" and {len(failed) - 3} more" if len(failed) > 3 else "")
        print(f"{'noticed' if failed else 'UNNOTICED':10} {rule}{': ' + names if failed else ''}", flush=True)
    print(f"{len(mutations) - unnoticed} of {len(mutations)} mutations noticed")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
