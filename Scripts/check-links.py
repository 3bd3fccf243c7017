#!/usr/bin/env python3
"""Finds dead links.

usage: check-links.py [SITE]

Without SITE checks the relative links of the Markdown files that git tracks, and their anchors. With SITE checks each link,
image, style sheet and script of a static site, and that it requests nothing from another server. Addresses of other
servers are not visited.
"""

import html.parser
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Reader(html.parser.HTMLParser):
    """Collects the anchors of a page and what it refers to."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.anchors.add(value)
            elif name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in ("href", "src"):
                self.loaded.append(value or "")


def site_faults(site):
    pages = {file: Reader(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}
    if not pages:
        yield f"{site} has no page"
    for file, page in pages.items():
        for target in page.links + page.loaded:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.loaded:
                    yield f"{file.relative_to(site)} loads {target} from another server"
                continue
            if "@/" in target:
                yield f"{file.relative_to(site)} contains an unresolved link: {target}"
                continue
            other = file if not parts.path else pathlib.Path(
                os.path.normpath(file.parent / urllib.parse.unquote(parts.path)))
            if other.is_dir():
                other /= "index.html"
            if not other.is_file():
                yield f"{file.relative_to(site)} links to {target}, which does not exist"
            elif parts.fragment and other in pages and urllib.parse.unquote(parts.fragment) not in pages[other].anchors:
                yield f"{file.relative_to(site)} links to {target}, but there is no such place on the page"


def prose(text):
    """Returns Markdown without code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"(?ms)^ *```.*?^ *```", "", text))


def headings(text):
    """Returns the anchors of the headings, as GitHub makes them."""
    lines = re.sub(r"(?ms)^ *```.*?^ *```", "", text).splitlines()
    titles = [re.sub(r"^#+ +", "", line) for line in lines if re.match(r"#+ ", line)]
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def markdown_faults():
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
    if len(sys.argv) > 2:
        raise SystemExit(__doc__)
    faults = list(site_faults(pathlib.Path(sys.argv[1]).resolve()) if len(sys.argv) == 2 else markdown_faults())
    for fault in faults:
        print(f"check-links: {fault}", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
