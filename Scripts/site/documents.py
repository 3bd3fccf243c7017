"""The Markdown pages of the repository: the README, the guides, and other documents."""

import os
import re

import markdown
from layout import ROOT, Page, escape, fail, plain

# The pages, in the order of the navigation: the file, its place in the site, its group, and its title if it is not that
# of the file.
DOCUMENTS = [
    ("README.md", "index.html", "Start", "Storekeeper"),
    ("Documentation/Guides/AnswerASupportTicket.md", "start/answer-a-support-ticket.html", "Start", None),
    ("Documentation/Guides/RunTheService.md", "start/run-the-service.html", "Start", None),
    ("Documentation/Guides/TestAgainstAnAppStore.md", "start/test-against-an-app-store.html", "Start", None),
    ("Documentation/Guides/EmbedInSwift.md", "start/embed-in-swift.html", "Start", None),
    ("Configuration/evidence/README.md", "examples/customers.html", "Examples", "Thirteen customers"),
    ("Configuration/scenarios/README.md", "examples/scenarios.html", "Examples", "Scenarios that ship with it"),
    ("Examples/HeadlessCheck/README.md", "examples/headless-check.html", "Examples", None),
    ("Examples/GameServer/README.md", "examples/game-server.html", "Examples", None),
    ("Examples/CompanionService/README.md", "examples/companion-service.html", "Examples", None),
    ("Examples/OwnParts/README.md", "examples/own-parts.html", "Examples", None),
    ("Deployment/README.md", "operate/deployment.html", "Operate", "Deployment"),
    ("SECURITY.md", "operate/security.html", "Operate", "Security"),
    ("CHANGELOG.md", "project/changes.html", "Project", "Changes"),
    ("CONTRIBUTING.md", "project/contributing.html", "Project", "Contributing"),
    ("Documentation/Pages.md", "project/pages.html", "Project", None),
    ("Documentation/README.md", "project/documentation.html", "Project", "All documents"),
]


def slug(text, separator="-"):
    """Returns the anchor of a heading, as GitHub does."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def address():
    """Returns the address of the repository."""
    found = re.search(r"^repository=(\S+)$", (ROOT / "Scripts/project.sh").read_text(encoding="utf-8"), re.M)
    return found[1] if found else fail("Scripts/project.sh does not name the address of the repository")


class Documents:
    """Renders documents, and resolves links between them.

    Files of the repository that are not pages are linked at the repository's address.
    """

    def __init__(self, articles):
        self.places = {source: path for source, path, _, _ in DOCUMENTS}
        # The pages of the articles: the file in the repository, and its place.
        self.places.update(articles)
        self.address = address()
        self.images = {}

    def resolve(self, target, source):
        """Returns the link on a page to what a document links to."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        path, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(source), path))
        anchor = f"#{anchor}" if anchor else ""
        if file in self.places:
            return f"@/{self.places[file]}{anchor}"
        if not (ROOT / file).exists():
            fail(f"{source} links to {target}, which does not exist")
        if file.endswith((".svg", ".png")):
            self.images[file] = f"images/{os.path.basename(file)}"
            return f"@/{self.images[file]}"
        return f"{self.address}/{'tree' if (ROOT / file).is_dir() else 'blob'}/main/{file}{anchor}"

    def render(self, text, source):
        converter = markdown.Markdown(
            extensions=["tables", "fenced_code", "toc", "sane_lists"],
            extension_configs={"toc": {"slugify": slug}})
        body = converter.convert(text)
        body = re.sub(
            r'(href|src)="([^"]*)"',
            lambda found: f'{found[1]}="{escape(self.resolve(found[2].replace("&amp;", "&"), source))}"', body)
        return re.sub(r"(<table>.*?</table>)", r'<div class="scroll">\1</div>', body, flags=re.S)

    def pages(self):
        for source, path, group, title in DOCUMENTS:
            text = (ROOT / source).read_text(encoding="utf-8")
            body = self.render(text, source)
            heading = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
            first = re.search(r"<p>(.*?)</p>", body, re.S)
            anchors = [
                (found[1], plain(found[2]), "")
                for found in re.finditer(r'<h[23] id="([^"]+)">(.*?)</h[23]>', body, re.S)]
            yield Page(
                path, title or plain(heading[1]), body, group, plain(first[1])[:200] if first else "",
                anchors=anchors if group != "Project" else [])
