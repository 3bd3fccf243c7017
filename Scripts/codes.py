#!/usr/bin/env python3
"""Writes the tables of Documentation/Errors.md from the documentation of the codes in the sources.

usage: codes.py [--lint]

A comment above a table names the source file that declares its codes. The documentation of a code is its cause, and the
paragraph `Remedy: …` its remedy; a problem of the service has its title as cause. With --lint only compares.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "Documentation/Errors.md"
TABLE = re.compile(r"(<!-- (\S+) -->\n\n)(?:\|.*\n)*")
DECLARATIONS = re.compile(r"struct \w*Code: ErrorCode|enum \w+Code: String|extension Problem.Kind")
CODE = re.compile(
    r"((?:^ *///.*\n)+)"
    r" *(?:(?:public |package )?static let \w+ = \w+\(\s*(?:rawValue: |(?P<status>\w+), )?\"(?P<code>\w+)\""
    r"(?:, \"(?P<title>.*?)\"[,)])?|case (?P<case>\w+)$)", re.M)


def row(found):
    """The row of a declared code."""
    lines = [line.strip().removeprefix("///").strip() for line in found[1].splitlines()]
    # A link to a symbol becomes the last part of its name.
    text = re.sub(r"``(?:[^`]*/)?([^`/]+)``", r"`\1`", "\n".join(lines)).replace("\n\n", "\0").replace("\n", " ")
    paragraphs = text.split("\0")
    cause = " ".join(part for part in paragraphs if not part.startswith("Remedy: ")) or f"{found['title']}."
    [remedy] = [part.removeprefix("Remedy: ") for part in paragraphs if part.startswith("Remedy: ")]
    status = f"{found['status']}: " if (found["status"] or "nil") != "nil" else ""
    return f"| `{found['code'] or found['case']}` | {status}{cause} | {remedy} |\n"


def table(found):
    """A table of the page."""
    text = (ROOT / found[2]).read_text(encoding="utf-8")
    rows = map(row, CODE.finditer(text, DECLARATIONS.search(text).start()))
    return f"{found[1]}| code | cause | remedy |\n|---|---|---|\n{''.join(rows)}"


def main(arguments):
    old = PAGE.read_text(encoding="utf-8")
    new = TABLE.sub(table, old)
    if arguments == ["--lint"]:
        if new != old:
            sys.exit("codes.py: Documentation/Errors.md differs from the codes in the sources: run Scripts/codes.py")
    elif arguments:
        sys.exit(__doc__)
    else:
        PAGE.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
