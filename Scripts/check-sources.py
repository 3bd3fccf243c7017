#!/usr/bin/env python3
"""Checks the rules of the house that neither the compiler nor the formatter knows.

usage: check-sources.py [ROOT]

Exits with 1 and one line a finding, `file:line: error: ...`. The rules are in CONTRIBUTING.md. A line is read as it
stands, up to a comment; no rule is worth a parser of Swift.
"""

import pathlib
import re
import sys

# The imports of the small products, so that their clients load and compile nothing else. The dependencies of a target
# are in Package.swift, and the compiler enforces them.
LIGHT = {"FoundationEssentials", "Synchronization"}
LIBC = {"Glibc", "Musl", "Darwin"}
IMPORTS = {
    "StorekeeperEngine": LIGHT,
    "Storekeeper": LIGHT | {"StorekeeperEngine"},
    "StorekeeperKit": LIGHT | LIBC | {"Storekeeper"},
}
# Those that need Foundation itself: for threads, and for processes and locales.
WITH_FOUNDATION = {"StorekeeperPostgres", "StorekeeperCLI"}

IMPORT = re.compile(r"^\s*(?:@\w+(?:\(\w+\))?\s+|public\s+|package\s+|internal\s+)*import\s+(?:\w+\s+)?(\w+)")
TRAP = re.compile(r"(?<!func )\b(fatalError|preconditionFailure)\s*\(")
UNPROVEN = re.compile(r"@unchecked\s+Sendable\b|\bnonisolated\(unsafe\)|@exclusivity\(unchecked\)")
# A file that is protected after its creation can be opened by others in between.
LATE = re.compile(r"\bO_CREAT\b|\.posixPermissions:")
UNFINISHED = re.compile(r"(?://|/\*|^\s*\*).*\b(TODO|FIXME)\b")
# A slash that continues a word, a host or another path does not begin an absolute path.
ABSOLUTE_PATH = re.compile(r"(?<![\w./:~}\)-])/(?:tmp|work|root|home)(?:/|(?![\w-]|\.\w))")
PROSE = ["*.md", "docs/**/*", "Sources/**/*.md", "Configuration/**/*.md", "Examples/**/*.md"]


def has_reason(lines, index):
    """Whether an ordinary comment stands above the declaration on `lines[index]`.

    Attributes, documentation and the first lines of the same declaration may stand between. A documentation comment
    says what a thing is, so it does not count as the reason why it is safe.
    """
    for line in map(str.strip, reversed(lines[:index])):
        if line.startswith("//") and not line.startswith("///"):
            return True
        if not line or line.endswith(("{", "}")):
            return False
    return False


def import_fault(target, module):
    if module not in IMPORTS.get(target, {module}):
        return f"{target} imports only {', '.join(sorted(IMPORTS[target]))}"
    if module == "Foundation" and target not in WITH_FOUNDATION:
        return f"{target} imports FoundationEssentials and not Foundation, which loads tens of megabytes"
    return None


def check_swift(target, lines, name=""):
    for index, line in enumerate(lines):
        code = line.split("//")[0]
        if (found := IMPORT.match(code)) and (fault := import_fault(target, found[1])):
            yield index, fault
        if found := TRAP.search(code):
            yield index, f"{found[1]} traps; throw a typed error"
        if (found := UNPROVEN.search(code)) and not has_reason(lines, index):
            yield index, f"{found[0]} needs a // comment above it that proves it safe"
        if name != "SecretFile.swift" and (found := LATE.search(code)):
            yield index, f"{found[0]}: SecretFile creates the files that others may not read"
        if found := UNFINISHED.search(line):
            yield index, f"{found[1]}: finish it, or open an issue and leave it out"


def findings(root):
    sources = sorted(root.glob("Sources/**/*.swift"))
    prose = sorted({file for pattern in PROSE for file in root.glob(pattern) if file.is_file()})
    for file in [*sources, *prose]:
        name, lines = file.relative_to(root), file.read_text(encoding="utf-8", errors="replace").splitlines()
        found = list(check_swift(name.parts[1], lines, file.name)) if file.suffix == ".swift" else []
        for index, line in enumerate(lines):
            if ABSOLUTE_PATH.search(line):
                found.append((index, "an absolute path of one machine; use a relative one"))
        for index, message in found:
            yield f"{name}:{index + 1}: error: {message}"


def main(arguments):
    found = list(findings(pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)))
    for finding in found:
        print(finding, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
