#!/usr/bin/env python3
"""Checks the links of Markdown documents to files and headings; prints those that lead nowhere.

usage: links.py FILE-OR-FOLDER…
"""

import pathlib
import re
import sys
import urllib.parse

LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)", re.S)


def anchors(path):
    """The anchors of a document's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.S | re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", text, re.M)}


def main(names):
    files = []
    for name in map(pathlib.Path, names):
        files += sorted(name.rglob("*.md")) if name.is_dir() else [name]
    dead = 0
    for file in files:
        text = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.S | re.M)
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            there = (file.parent / urllib.parse.unquote(path)) if path else file
            if not there.exists():
                print(f"{file}: there is no {target}", file=sys.stderr)
                dead += 1
            elif anchor and there.suffix == ".md" and anchor not in anchors(there):
                print(f"{file}: {there} has no heading #{anchor}", file=sys.stderr)
                dead += 1
    print(f"links: {len(files)} documents, {dead} dead links")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
