"""The frame of all pages: navigation, search, and links.

Links inside the site are written as "@/PATH"; they become relative, so that the site works in any folder of any server,
and from a disk.
"""

import html
import json
import pathlib
import re
import shutil

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def fail(message):
    raise SystemExit(f"site: {message}")


def escape(text):
    return html.escape(text, quote=True)


def plain(markup):
    """Returns the text of some HTML, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


class Page:
    """A page: its path in the site, its title, its HTML, and what the search finds it by."""

    def __init__(self, path, title, body, group, summary="", entry=True, anchors=()):
        self.path, self.title, self.body, self.group = path, title, body, group
        self.summary = summary or plain(body)[:160]
        # Whether the navigation lists it.
        self.entry = entry
        # More to find on it: (anchor, title, summary).
        self.anchors = list(anchors)


class Site:
    def __init__(self):
        self.pages = {}
        # The groups of the navigation, in order.
        self.groups = []

    def add(self, page):
        if page.path in self.pages:
            fail(f"two pages are at {page.path}")
        if page.entry and page.group not in self.groups:
            self.groups.append(page.group)
        self.pages[page.path] = page

    def navigation(self, current):
        parts = []
        for group in self.groups:
            entries = [page for page in self.pages.values() if page.entry and page.group == group]
            items = "".join(
                f'<li><a href="@/{page.path}"{" aria-current=page" if page is current else ""}>{escape(page.title)}</a>'
                for page in entries)
            is_open = " open" if group == current.group or group == self.groups[0] else ""
            parts.append(f"<details{is_open}><summary>{escape(group)}</summary><ul>{items}</ul></details>")
        return "".join(parts)

    def write(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        frame = (HERE / "page.html").read_text(encoding="utf-8")
        for page in self.pages.values():
            text = (
                frame.replace("{{title}}", escape(page.title)).replace("{{navigation}}", self.navigation(page))
                .replace("{{summary}}", escape(page.summary)).replace("{{body}}", page.body))
            up = "../" * page.path.count("/")
            file = folder / page.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace('"@/', f'"{up}'), encoding="utf-8")
        for name in ("style.css", "site.js"):
            shutil.copy(HERE / name, folder)
        # Title, place, group, summary; of a page that the navigation lists, its text, too.
        index = []
        for page in self.pages.values():
            text = [plain(page.body)[:8000]] if page.entry else []
            index.append([page.title, page.path, page.group, page.summary, *text])
            index += [[title, f"{page.path}#{anchor}", page.title, summary] for anchor, title, summary in page.anchors]
        (folder / "search.js").write_text(
            "window.searchIndex = " + json.dumps(index, ensure_ascii=False, separators=(",", ":")) + ";\n",
            encoding="utf-8")
