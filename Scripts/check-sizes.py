#!/usr/bin/env python3
"""Prints sizes that are kept small on purpose, and fails where one is above its limit.

The actor `Store` is the one place of the package with shared state that changes while it waits; what it can leave to
values stands elsewhere. Its lines of code, in how many files, and the longest file of all. The number of public
declarations is check-interface.py's.
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
from swift_source import code_only  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORE = re.compile(r"^(?:public )?(?:actor|extension) Store\b(?!\.)", re.MULTILINE)
ACTOR_FILES, ACTOR_LINES, FILE_LINES = 4, 620, 400


def lines_of_code(text):
    return sum(1 for line in code_only(text).splitlines() if line.strip())


def main():
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "Sources").rglob("*.swift"))}
    actor = [text for path, text in texts.items() if path.parts[-3] == "Storekeeper" and STORE.search(code_only(text))]
    lines = sum(map(lines_of_code, actor))
    longest = max(texts, key=lambda path: texts[path].count("\n"))
    length = texts[longest].count("\n")
    print(f"sizes: the actor Store {lines} lines of code in {len(actor)} files (at most {ACTOR_LINES} in {ACTOR_FILES}); "
          f"longest file {length} lines, {longest.relative_to(ROOT)} (at most {FILE_LINES})")
    return 1 if lines > ACTOR_LINES or len(actor) > ACTOR_FILES or length > FILE_LINES else 0


if __name__ == "__main__":
    sys.exit(main())
