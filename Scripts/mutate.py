#!/usr/bin/env python3
"""Checks that the tests fail when a rule is broken.

usage: mutate.py [--check] [--only WORDS] [--most N] [--minutes N] [--all-at-once N]

Scripts/mutations defines the rules and their mutations. A copy of the sources under .build/mutations contains each rule
both intact and broken, and a number selects between them at run time, so that everything is compiled once. Then, for one
rule after another, its tests run with the rule broken: at least one must fail, and none may hang. Prints a line per rule,
with its duration in seconds; exits with 1 if no test failed for a broken rule, and with 1 and `mutate: …` if the rules
cannot be broken at all.

Documentation/Mutations.tsv records the last result of each rule. A rule that a test noticed is not broken again in the
same sources. First come the rules that failed, or whose file, tests or mutation have changed since; then those that were
never broken; then the others, the oldest first.

  --check          build nothing: only check that each mutation finds its text once, and its tests
  --only WORDS     only rules whose description contains these words, or whose file in Scripts/mutations has this name;
                   they are broken in any case
  --most N         break at most N rules; with 0 it only builds
  --minutes N      begin with no rule after N minutes; the next run continues
  --all-at-once N  break N evenly chosen rules together and run all tests: they must fail, and must end
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from mutations import RULES  # noqa: E402

SCRATCH = ROOT / ".build" / "mutations"
# Git tracks the record, 30 kB, because a fresh clone must know which rules have changed since they were last broken.
RECORD = ROOT / "Documentation" / "Mutations.tsv"
COLUMNS = "result\tdate (UTC)\tsources\tdependencies\trule"
# The files that a build needs, and those that the tests read.
COPIED = [
    "Sources", "Tests", "Configuration", "Deployment", "Documentation", "Examples", "Scripts", "Package.swift",
    "Package.resolved", "README.md", "CONTRIBUTING.md", ".gitignore",
]
# The seconds that the tests of one rule may take, and all tests together; longer is a hang. A waiting test fails after
# five minutes.
LIMIT, LIMIT_OF_ALL = 400, 900
# The sessions of the tests that are running.
SESSIONS = set()
VARIABLE = "STOREKEEPER_BROKEN_RULES"
# Tests run programs in custom environments that begin with this text; in the copy it contains the variable.
OWN_PATH = '"PATH": "/usr/bin:/bin"'
HANDED_ON = f'{OWN_PATH}, "{VARIABLE}": ProcessInfo.processInfo.environment["{VARIABLE}"] ?? ""'
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
    """Returns the range of the text that a rule's mutation replaces in its file."""
    before, whole, after = rule.context()
    wanted = before + whole + after
    count = text.count(wanted)
    if count != 1:
        fail(f"{rule.file}: expected once, found {count} times: {wanted.strip()}")
    start = text.index(wanted) + len(before)
    return start, start + len(whole)


def mutated_texts(rules):
    """Returns the texts of the files with all rules, intact and broken, by path."""
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
        # The engine contains the switch, and the store re-exports it.
        if not file.startswith(("Sources/StorekeeperEngine/", "Sources/Storekeeper/")) and not re.search(
            r"^\s*(\w+ )?import Storekeeper(Engine)?$", text, re.M
        ):
            text = "import StorekeeperEngine\n" + text
        texts[file] = text
    return texts | {
        str(file.relative_to(ROOT)): handing_on(file) for file in (ROOT / "Tests").rglob("*.swift")
        if ".build" not in file.relative_to(ROOT).parts}


def handing_on(file):
    """Returns the text of a test in the copy, which passes the broken rules to the programs that it starts."""
    text = file.read_text(encoding="utf-8")
    if re.search(r"^\s*process\.environment = ", text, re.M) and OWN_PATH not in text:
        fail(f"{file.relative_to(ROOT)}: a program it starts hears of no broken rule: "
             f"begin the environment with {OWN_PATH}")
    return text.replace(OWN_PATH, HANDED_ON)


def write_if_changed(path, content):
    """Writes a file only if it differs, so that the next build has less to do."""
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def files(source):
    """Returns the files in a folder, except for files that git ignores."""
    if source.is_file():
        return [source]
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", str(source)]
    listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    found = [ROOT / name for name in listed.stdout.split("\0") if name] or source.rglob("*")
    return [file for file in found if file.is_file() and ".build" not in file.relative_to(ROOT).parts]


def digest(parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def sources():
    """Returns a hash of the package's sources and tests, and of the scripts that run them."""
    return digest(
        f"{file.relative_to(ROOT)}\0{file.read_bytes().hex()}"
        for name in ("Package.swift", "Sources", "Tests", "Scripts") for file in sorted(files(ROOT / name)))


def utc_now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")


@dataclasses.dataclass
class Broken:
    """What happened when a rule was last broken, and the hashes of all sources and of what the rule depends on."""

    result: str
    date: str
    sources: str
    dependencies: str


def code(path):
    """Returns a file without comments, which change often and break nothing."""
    return re.sub(r"^\s*//.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)


class Record:
    """The last result of each rule, by its sentence."""

    def __init__(self, rules):
        self.rules, self.sources, self.results = rules, sources(), {}
        lines = RECORD.read_text(encoding="utf-8").splitlines() if RECORD.exists() else []
        for cells in (line.split("\t") for line in lines[1:]):
            if len(cells) == 5:
                self.results[cells[4]] = Broken(*cells[:4])
        declared = list(declared_tests())
        tests = {
            filter: [code(path) for path in sorted({path for path, name in declared if re.search(filter, name)})]
            for filter in {rule.tests for rule in rules}}
        self.dependencies = {
            rule.rule: digest([*map(str, dataclasses.astuple(rule)), code(ROOT / rule.file), *tests[rule.tests]])
            for rule in rules}

    def left(self, chosen):
        """Returns the numbered rules that were not noticed in these sources, the most urgent first."""
        def urgency(each):
            last = self.results.get(each[1].rule)
            if last is None:
                return 1, ""
            is_same = last.result == "noticed" and last.dependencies == self.dependencies[each[1].rule]
            if is_same and last.sources == self.sources:
                return None
            return 2 if is_same else 0, last.date
        return sorted((each for each in chosen if urgency(each)), key=urgency)

    def add(self, rule, result):
        self.results[rule.rule] = Broken(result, utc_now(), self.sources, self.dependencies[rule.rule])
        rows = [(self.results[rule.rule], rule.rule) for rule in self.rules if rule.rule in self.results]
        lines = [COLUMNS, *("\t".join([*dataclasses.astuple(last), sentence]) for last, sentence in rows)]
        write_if_changed(RECORD, ("\n".join(lines) + "\n").encode())


def copy_sources(texts):
    texts = {**texts, "Sources/StorekeeperEngine/BrokenRules.swift": SWITCH}
    wanted = {pathlib.Path(name) for name in texts}
    for name, text in texts.items():
        write_if_changed(SCRATCH / name, text.encode())
    for name in COPIED:
        for file in files(ROOT / name):
            path = file.relative_to(ROOT)
            if path not in wanted:
                wanted.add(path)
                write_if_changed(SCRATCH / path, file.read_bytes())
                shutil.copymode(file, SCRATCH / path)
    for name in COPIED:
        for file in (SCRATCH / name).rglob("*"):
            path = file.relative_to(SCRATCH)
            if file.is_file() and path not in wanted and ".build" not in path.parts:
                file.unlink()


def build():
    # Broken code may cause warnings.
    environment = {**os.environ, "STOREKEEPER_STRICT": "0"}
    command = ["swift", "build", "--package-path", str(SCRATCH), "--build-tests"]
    built = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode != 0:
        errors = "\n".join(line for line in built.stdout.splitlines() if "error:" in line)
        fail(f"does not compile; a mutation needs another text\n{errors or built.stdout}")


@dataclasses.dataclass
class Run:
    """The result of running tests."""

    status: int | None  # None: they did not end in time
    failed: list
    output: str
    seconds: float


def test(filters, numbers, limit):
    """Runs the tests that match one of the filters, or all tests without filters, with some rules broken."""
    # Concurrent runs build nothing, and so need not wait for each other.
    command = ["swift", "test", "--package-path", str(SCRATCH), "--skip-build", "--disable-xctest", "--ignore-lock"]
    for filter in filters:
        command += ["--filter", filter]
    environment = {**os.environ, VARIABLE: ",".join(map(str, numbers)), "STOREKEEPER_STRICT": "0",
                   "STOREKEEPER_APPLE_LIBRARY": "", "STOREKEEPER_AXE": ""}
    begin = time.monotonic()
    # A file instead of a pipe, because a leftover process would keep a pipe open.
    with tempfile.TemporaryFile() as written:
        running = subprocess.Popen(
            command, cwd=SCRATCH, env=environment, stdin=subprocess.DEVNULL, stdout=written, stderr=subprocess.STDOUT,
            start_new_session=True)
        SESSIONS.add(running.pid)
        try:
            status = running.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            status = None
        end_session(running.pid)
        running.wait()
        SESSIONS.discard(running.pid)
        written.seek(0)
        output = written.read().decode(errors="replace")
    return Run(status, failed_tests(output), output, time.monotonic() - begin)


def end_session(session):
    """Kills the remaining processes of a session: the tests and their programs have separate process groups."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(process)) == session:
                os.kill(int(process), signal.SIGKILL)
        except ProcessLookupError:
            pass  # It has ended since.


def stop(number, _):
    """Ends this program and all that it has started, when it receives a signal."""
    for session in list(SESSIONS):
        end_session(session)
    os._exit(128 + number)


def failed_tests(output):
    """Returns the failed tests, each once, with the arguments of the first failure, if any."""
    found = {}
    issue = r"✘ Test ([^\n]+?) recorded an issue(?: with \d+ arguments? ((?s:.+?)))? at \S+:\d+"
    for name, arguments in re.findall(issue, output):
        # They may fill many lines.
        arguments = " ".join(arguments.split())
        arguments = arguments if len(arguments) <= 80 else arguments[:79] + "…"
        found.setdefault(name, f"{name} ({arguments})" if arguments else name)
    return list(found.values())


def declared_tests():
    """Returns the tests that the sources declare: the file, and `Suite/function`."""
    for path in sorted((ROOT / "Tests").rglob("*.swift")):
        text = path.read_text(encoding="utf-8")
        functions = re.findall(r"^ +(?:@.*\) |@\w+ )?(?:static )?func (\w+)", text, re.MULTILINE)
        for suite in re.findall(r"^(?:@.*\) |@\w+ )?(?:final )?(?:struct|class|enum|actor|extension) (\w+)", text, re.MULTILINE):
            yield from ((path, f"{suite}/{function}") for function in functions)


def check_names(rules):
    """Checks that each filter names a declared test; `check_filters` checks the built tests."""
    declared = [name for _, name in declared_tests()]
    for rule in rules:
        for filter in rule.tests.split("|"):
            if not any(re.search(filter, name) for name in declared):
                fail(f"no test is called {filter}")


def check_filters(rules):
    """Checks that each filter names a test, and that all of them pass with every rule in place."""
    listed = subprocess.run(
        ["swift", "test", "list", "--package-path", str(SCRATCH), "--skip-build", "--ignore-lock"],
        cwd=SCRATCH, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
    filters = sorted({rule.tests for rule in rules})
    for filter in filters:
        if not any(re.search(filter, name) for name in listed):
            fail(f"no test is called {filter}")
    run = test(filters, [], LIMIT_OF_ALL)
    if run.status != 0:
        fail(f"tests fail with every rule in place: {', '.join(run.failed) or run.output[-2000:]}")
    print(f"{len(filters)} groups of tests pass with every rule in place ({run.seconds:.0f} s)", flush=True)


def break_together(rules, count):
    chosen = [round(index * len(rules) / count) for index in range(count)]
    for number in chosen:
        print(f"broken     {rules[number].rule}", flush=True)
    run = test([], chosen, LIMIT_OF_ALL)
    if run.status is None:
        print("\n".join(run.output.splitlines()[-40:]))
        print(f"all tests together did not end within {LIMIT_OF_ALL} s")
        return 1
    print(f"{len(run.failed)} tests failed, all ended within {run.seconds:.0f} s")
    return 0 if run.failed else 1


def break_one_by_one(chosen, record, deadline):
    begin, unnoticed, begun = time.monotonic(), 0, 0
    check_filters([rule for _, rule in chosen])
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        runs = pool.map(
            lambda each: test([each[1].tests], [each[0]], LIMIT) if time.monotonic() < deadline else None, chosen)
        for (_, rule), run in zip(chosen, runs):
            if run is None:
                continue
            # A crash names no test, and so is no test's finding.
            noticed = run.status not in (0, None) and run.failed
            word = "noticed" if noticed else "HUNG" if run.status is None else "CRASHED" if run.status else "UNNOTICED"
            record.add(rule, word.lower())
            begun += 1
            unnoticed += not noticed
            names = ", ".join(run.failed[:2]) + (f" and {len(run.failed) - 2} more" if len(run.failed) > 2 else "")
            print(f"{word:9} {run.seconds:3.0f} s  {rule.rule}: {names if noticed else rule.tests}", flush=True)
    seconds = time.monotonic() - begin
    print(f"{begun - unnoticed} of {begun} broken rules noticed within {seconds:.0f} s")
    return 1 if unnoticed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only look whether each finds its text and tests")
    parser.add_argument("--only", metavar="WORDS", default="", help="only rules whose sentence contains these words")
    parser.add_argument("--most", metavar="N", type=int, default=len(RULES), help="break at most N rules")
    parser.add_argument("--minutes", metavar="N", type=float, default=float("inf"), help="begin no rule after that")
    parser.add_argument("--all-at-once", metavar="N", type=int, default=0, help="break N rules together")
    arguments = parser.parse_args()
    deadline = time.monotonic() + arguments.minutes * 60
    chosen = [(number, rule) for number, rule in enumerate(RULES) if arguments.only in rule.rule or arguments.only == rule.area]
    if not chosen:
        fail(f"no rule contains these words: {arguments.only}")
    if not 0 <= arguments.all_at_once <= len(RULES):
        fail(f"--all-at-once takes a number up to {len(RULES)}, the number of rules")
    texts = mutated_texts(RULES)
    check_names(RULES)
    if arguments.check:
        return 0

    if shutil.which("swift") is None:
        fail("swift is not on the PATH")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    record = Record(RULES)
    copy_sources(texts)
    build()
    if arguments.all_at_once:
        return break_together(RULES, arguments.all_at_once)
    chosen = (chosen if arguments.only else record.left(chosen))[:max(0, arguments.most)]
    status = break_one_by_one(chosen, record, deadline) if chosen and time.monotonic() < deadline else 0
    left = len(record.left(enumerate(RULES)))
    print(f"{left} of {len(RULES)} rules are left; the same command continues" if left else
          f"nothing is left: a test has noticed each of {len(RULES)} broken rules in these sources")
    return status


if __name__ == "__main__":
    sys.exit(main())
