#!/usr/bin/env python3
"""Finds dead relative links, and anchors, in the Markdown files that git tracks."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def prose(text):
    """Returns Markdown without code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"(?ms)^ *```.*?^ *```", "", text))


def headings(text):
    """Returns the anchors of the headings, as GitHub makes them."""
    lines = re.sub(r"(?ms)^ *```.*?^ *```", "", text).splitlines()
    titles = [re.sub(r"^#+ +", "", line) for line in lines if re.match(r"#+ ", line)]
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def faults():
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "*.md"], check=True, capture_output=True, text=True)
    texts = {
        file: (ROOT / file).read_text(encoding="utf-8") for file in listed.stdout.splitlines() if (ROOT / file).exists()}
    for file, text in texts.items():
        for target in re.findall(r"\]\(\s*<?([^)>\s]+)>?\s*\)", prose(text)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            other = os.path.normpath(os.path.join(os.path.dirname(file), path)) if path else file
            if not (ROOT / other).exists():
                yield f"{file} links to {target}, which does not exist"
            elif anchor and other in texts and anchor not in headings(texts[other]):
                yield f"{file} links to {target}, but there is no such heading"


def main():
    found = list(faults())
    for fault in found:
        print(f"check-links: {fault}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
