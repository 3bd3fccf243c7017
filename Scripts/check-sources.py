#!/usr/bin/env python3
"""Checks the rules of the house that a formatter does not know.

usage: check-sources.py [ROOT]

Exits with 1 and one line a finding, `file:line: error: ...`. The rules are in CONTRIBUTING.md.
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
from swift_source import code_only, comments_only  # noqa: E402

LONGEST_FILE = 400

TRAPS = [
    (re.compile(r"\btry!"), "try! traps; throw the error on, or handle it"),
    (re.compile(r"\bas!"), "as! traps; use as? and say what else can be"),
    (re.compile(r"\bfatalError\s*\("), "fatalError traps; throw a typed error"),
    (re.compile(r"\bpreconditionFailure\s*\("), "preconditionFailure traps; throw a typed error"),
]
UNPROVEN = re.compile(
    r"@unchecked\s+Sendable\b|\bnonisolated\s*\(\s*unsafe\s*\)|@exclusivity\s*\(\s*unchecked\s*\)"
)
UNFINISHED = re.compile(r"\b(?:TODO|FIXME)\b")
# A slash that continues a word, a host or another path does not begin an absolute path.
ABSOLUTE_PATH = re.compile(r"(?<![\w./:~}\)-])/(?:tmp|work|root|home)(?:/|(?![\w-]|\.\w))")
PROSE = ["*.md", "docs/**/*", "Sources/**/*.md", "Configuration/**/*.md", "Examples/**/*.md"]


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def has_reason(lines, index):
    """Whether an ordinary comment stands above the declaration on `lines[index]`.

    Attributes, documentation and the first lines of the same declaration may stand between. A documentation
    comment says what a thing is, so it does not count as the reason why it is safe.
    """
    for above in reversed(lines[:index]):
        line = above.strip()
        if line.startswith("//") and not line.startswith("///"):
            return True
        if not line or line in ("{", "}") or line.endswith(("{", "}")):
            return False
    return False


def check_swift(name, text):
    code, lines = code_only(text), text.splitlines()
    for pattern, message in TRAPS:
        for match in pattern.finditer(code):
            yield name, line_of(code, match.start()), message
    for match in UNPROVEN.finditer(code):
        line = line_of(code, match.start())
        if not has_reason(lines, line - 1):
            found = " ".join(match.group().split())
            yield name, line, f"{found} needs a // comment above it that proves it safe"
    for match in UNFINISHED.finditer(comments_only(text)):
        yield name, line_of(text, match.start()), f"{match.group()}: finish it, or open an issue and leave it out"
    if len(lines) > LONGEST_FILE:
        yield name, LONGEST_FILE + 1, f"{len(lines)} lines; split a file at its second subject, {LONGEST_FILE} at most"


def check_paths(name, text):
    for match in ABSOLUTE_PATH.finditer(text):
        yield name, line_of(text, match.start()), "an absolute path of one machine; use a relative one"


def findings(root):
    for file in sorted(root.glob("Sources/**/*.swift")):
        text, name = file.read_text(encoding="utf-8"), file.relative_to(root)
        yield from check_swift(name, text)
        yield from check_paths(name, text)
    prose = {file for pattern in PROSE for file in root.glob(pattern) if file.is_file()}
    for file in sorted(prose):
        yield from check_paths(file.relative_to(root), file.read_text(encoding="utf-8", errors="replace"))


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    found = sorted(set(findings(root)), key=lambda finding: (str(finding[0]), finding[1], finding[2]))
    for name, line, message in found:
        print(f"{name}:{line}: error: {message}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
