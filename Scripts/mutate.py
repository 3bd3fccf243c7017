#!/usr/bin/env python3
"""Shows that the tests notice when a rule is broken.

usage: mutate.py [--check] [--only WORDS] [--all-at-once N]

The rules that are broken, and how, stand in Scripts/mutations. In a copy of the sources under .build/mutations each
broken rule stands beside the whole one and a number chooses between them when the program runs, so that all are
compiled once. Then, for one rule after another, the tests that name it run with that rule broken: at least one must
fail, and none may hang. Prints a line a rule; exits with 1 where a broken rule went unnoticed.

  --check          build nothing: only look whether each mutation finds its text once
  --only WORDS     only rules whose sentence contains these words
  --all-at-once N  break N rules, evenly chosen, together and run all tests: they must fail, and must end
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from mutations import RULES  # noqa: E402

SCRATCH = ROOT / ".build" / "mutations"
# What a build needs, and what the tests read.
COPIED = ["Sources", "Tests", "Configuration", "Examples", "Scripts", "Package.swift", "Package.resolved", "README.md"]
# Seconds that the tests of one rule may take, and all tests together; longer is a hang.
LIMIT, LIMIT_OF_ALL = 300, 900
VARIABLE = "STOREKEEPER_BROKEN_RULES"
SWITCH = f"""\
import FoundationEssentials

private let brokenRules = Set(
    (ProcessInfo.processInfo.environment["{VARIABLE}"] ?? "").split(separator: ",").compactMap {{ Int($0) }})

/// Whether the rule of this number is broken in this run.
public func ruleIsBroken(_ number: Int) -> Bool {{ brokenRules.contains(number) }}
"""


def fail(message):
    raise SystemExit(f"mutate: {message}")


def place(rule, text):
    """Where the text that a rule's mutation replaces begins and ends in the text of its file."""
    before, whole, after = rule.context()
    wanted = before + whole + after
    count = text.count(wanted)
    if count != 1:
        fail(f"{rule.file}: expected once, found {count} times: {wanted.strip()}")
    start = text.index(wanted) + len(before)
    return start, start + len(whole)


def mutated_texts(rules):
    """The texts of the files with all rules in them, whole and broken, by path."""
    edits = {}
    for number, rule in enumerate(rules):
        path = ROOT / rule.file
        if not path.exists():
            fail(f"{rule.file}: there is no such file")
        start, end = place(rule, path.read_text(encoding="utf-8"))
        edits.setdefault(rule.file, []).append((start, end, number, rule))
    texts = {}
    for file, places in edits.items():
        places.sort(key=lambda place: place[:2])
        text, out, at = (ROOT / file).read_text(encoding="utf-8"), [], 0
        for start, end, number, rule in places:
            if start < at:
                fail(f"{file}: two mutations change the same text: {rule.rule}")
            out += [text[at:start], rule.both(text[start:end], f"ruleIsBroken({number})")]
            at = end
        text = "".join(out) + text[at:]
        if not file.startswith("Sources/Storekeeper/") and not re.search(r"^\s*(\w+ )?import Storekeeper$", text, re.M):
            text = "import Storekeeper\n" + text
        texts[file] = text
    return texts


def write_if_changed(path, content):
    """Leaves a file alone that is as it should be, so that the next build has less to do."""
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def copy_sources(texts):
    texts = {**texts, "Sources/Storekeeper/BrokenRules.swift": SWITCH}
    wanted = {pathlib.Path(name) for name in texts}
    for name, text in texts.items():
        write_if_changed(SCRATCH / name, text.encode())
    for name in COPIED:
        source = ROOT / name
        for file in [source] if source.is_file() else source.rglob("*"):
            path = file.relative_to(ROOT)
            if not file.is_file() or ".build" in path.parts:
                continue
            if path not in wanted:
                wanted.add(path)
                write_if_changed(SCRATCH / path, file.read_bytes())
                shutil.copymode(file, SCRATCH / path)
    for name in COPIED:
        for file in (SCRATCH / name).rglob("*"):
            if file.is_file() and file.relative_to(SCRATCH) not in wanted and ".build" not in file.parts[len(SCRATCH.parts):]:
                file.unlink()


def build():
    command = ["swift", "build", "--package-path", str(SCRATCH), "--build-tests"]
    built = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode != 0:
        errors = "\n".join(line for line in built.stdout.splitlines() if "error:" in line)
        fail(f"does not compile; a mutation needs another text\n{errors or built.stdout}")


def test(filter, numbers, limit):
    """Runs tests with some rules broken.

    Returns the exit status (None: they did not end in time), the tests that failed, and the output.
    """
    command = ["swift", "test", "--package-path", str(SCRATCH), "--skip-build"]
    command += ["--filter", filter] if filter else []
    environment = {**os.environ, VARIABLE: ",".join(map(str, numbers)), "STOREKEEPER_APPLE_LIBRARY": ""}
    running = subprocess.Popen(
        command, cwd=SCRATCH, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True)
    try:
        output, _ = running.communicate(timeout=limit)
        status = running.returncode
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, 9)
        output, _ = running.communicate()
        status = None
    return status, failed_tests(output), output


def failed_tests(output):
    """The tests that recorded an issue, each once, with the argument of the first where they have some."""
    found = {}
    for name, arguments in re.findall(r"✘ Test (.+?) recorded an issue(?: with \d+ arguments? (.+?))? at ", output):
        found.setdefault(name, f"{name} ({arguments})" if arguments else name)
    return list(found.values())


def tests_run(output):
    counts = re.findall(r"Test run with (\d+) tests?", output)
    return int(counts[-1]) if counts else 0


def all_at_once(rules, count):
    chosen = [round(index * len(rules) / count) for index in range(count)]
    begin = time.monotonic()
    status, failed, output = test(None, chosen, LIMIT_OF_ALL)
    seconds = time.monotonic() - begin
    for number in chosen:
        print(f"broken     {rules[number].rule}")
    if status is None:
        print("\n".join(output.splitlines()[-40:]))
        print(f"all tests together did not end within {LIMIT_OF_ALL} s")
        return 1
    print(f"{len(failed)} tests failed, all ended within {seconds:.0f} s")
    return 0 if failed else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only look whether each mutation finds its text")
    parser.add_argument("--only", metavar="WORDS", default="", help="only rules whose sentence contains these words")
    parser.add_argument("--all-at-once", metavar="N", type=int, default=0, help="break N rules together")
    arguments = parser.parse_args()
    texts = mutated_texts(RULES)
    if arguments.check:
        return 0

    if shutil.which("swift") is None:
        fail("swift is not on the PATH")
    copy_sources(texts)
    build()
    if arguments.all_at_once:
        return all_at_once(RULES, arguments.all_at_once)

    chosen = [(number, rule) for number, rule in enumerate(RULES) if arguments.only in rule.rule]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        filters = sorted({rule.tests for _, rule in chosen})
        for filter, (status, failed, output) in zip(filters, pool.map(lambda each: test(each, [], LIMIT), filters)):
            if status != 0:
                fail(f"these tests fail with every rule in place: {filter}: {', '.join(failed) or output[-2000:]}")
            if tests_run(output) == 0:
                fail(f"no test is called {filter}")
        unnoticed = 0
        results = pool.map(lambda each: test(each[1].tests, [each[0]], LIMIT), chosen)
        for (_, rule), (status, failed, _) in zip(chosen, results):
            # A crash names no test, and so is no test's finding.
            noticed = status not in (0, None) and failed
            unnoticed += not noticed
            word = "noticed" if noticed else "HUNG" if status is None else "CRASHED" if status else "UNNOTICED"
            names = ", ".join(failed[:2]) + (f" and {len(failed) - 2} more" if len(failed) > 2 else "")
            print(f"{word:10} {rule.rule}{': ' + names if noticed else ': ' + rule.tests}", flush=True)
    print(f"{len(chosen) - unnoticed} of {len(chosen)} broken rules noticed")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
