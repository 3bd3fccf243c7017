"""The articles and symbols of the libraries, from the archives of docc.

A symbol with members is a page, which contains its members; so is each article.
"""

import json
import pathlib
import re

from layout import Page, escape, fail, plain


class Library:
    def __init__(self, archive):
        self.name = archive.name.removesuffix(".doccarchive")
        self.documents = {}
        for file in sorted((archive / "data" / "documentation").rglob("*.json")):
            document = json.loads(file.read_text(encoding="utf-8"))
            self.documents[document["variants"][0]["paths"][0]] = document


def inline_text(items):
    """Returns inline content without markup."""
    return "".join(item.get("text") or item.get("code") or inline_text(item.get("inlineContent", [])) for item in items)


class Libraries:
    def __init__(self, folder):
        archives = sorted(folder.glob("*.doccarchive"))
        if not archives:
            fail(f"{folder} contains no archive; run Scripts/check-docs.sh")
        self.libraries = [Library(archive) for archive in archives]
        # The place of each document: its page, with an anchor if it is a member.
        self.places = {}
        # The places on pages that are in use.
        self.taken = set()
        self.members = {}
        for library in self.libraries:
            for path in library.documents:
                self.place(library, path)

    # MARK: Places

    def place(self, library, path):
        """Determines on which page a document is; documents that the language itself provides are on none."""
        if path in self.places:
            return self.places[path]
        document = library.documents.get(path)
        if document is None or not self.is_ours(document):
            self.places[path] = None
            return None
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", path.removeprefix("/documentation/").replace("/", "__")).strip("-")
        page = f"libraries/{name.replace('__', '/')}.html"
        parents = [self.path_of(library, identifier) for identifier in (document["hierarchy"]["paths"] or [[]])[0]]
        is_member = (
            document["kind"] == "symbol" and not document.get("topicSections") and len(parents) > 1
            and document["metadata"].get("symbolKind") not in ("struct", "class", "enum", "protocol", "actor"))
        if is_member:
            parent = self.place(library, parents[-1]) if parents[-1] in library.documents else None
            if parent is None or "#" in parent:
                self.places[path] = None
                return None
            anchor = re.sub(r"[^A-Za-z0-9._-]+", "-", path.rsplit("/", 1)[1]).strip("-")
            base, number = anchor, 2
            while f"{parent}#{anchor}" in self.taken:
                anchor, number = f"{base}-{number}", number + 1
            page = f"{parent}#{anchor}"
            self.taken.add(page)
            self.members.setdefault(parent, []).append(path)
        self.places[path] = page
        return page

    @staticmethod
    def is_ours(document):
        """Returns whether a document is neither inherited from the language's protocols nor a list of such."""
        if document["metadata"].get("role") == "collectionGroup":
            return not document["metadata"]["title"].endswith("Implementations")
        return not inline_text(document.get("abstract", [])).startswith("Inherited from ")

    @staticmethod
    def path_of(library, identifier):
        return "/documentation/" + identifier.partition("/documentation/")[2].lower()

    def articles(self):
        """Returns the page of each article by its file in the repository."""
        places = {}
        for library in self.libraries:
            catalog = f"Sources/{library.name}/Documentation.docc"
            for path, document in library.documents.items():
                if document["kind"] == "article" and self.places[path]:
                    name = document["identifier"]["url"].rsplit("/", 1)[1]
                    places[f"{catalog}/{name}.md"] = self.places[path]
            places[f"{catalog}/{library.name}.md"] = self.places[f"/documentation/{library.name.lower()}"]
        return places

    # MARK: Content

    def link(self, identifier, references):
        """Returns the HTML of a reference: a link, if its target is on a page."""
        reference = references.get(identifier, {})
        title = reference.get("title") or identifier.rsplit("/", 1)[-1]
        url = reference.get("url", "")
        code = reference.get("kind") == "symbol" or reference.get("role") == "symbol"
        text = f"<code>{escape(title)}</code>" if code else escape(title)
        if "titleInlineContent" in reference:
            text = self.inline(reference["titleInlineContent"], references)
        if url.startswith("/documentation/"):
            path, _, anchor = url.partition("#")
            place = self.places.get(path.lower())
            if not place:
                return text
            return f'<a href="@/{place}{f"#{anchor}" if anchor and "#" not in place else ""}">{text}</a>'
        return f'<a href="{escape(url)}">{text}</a>' if url.startswith("http") else text

    def inline(self, items, references):
        parts = []
        for item in items:
            kind = item["type"]
            if kind == "text":
                parts.append(escape(item["text"]))
            elif kind == "codeVoice":
                parts.append(f"<code>{escape(item['code'])}</code>")
            elif kind == "reference":
                if "overridingTitleInlineContent" in item:
                    references = dict(references)
                    references[item["identifier"]] = {
                        **references.get(item["identifier"], {}),
                        "titleInlineContent": item["overridingTitleInlineContent"]}
                parts.append(self.link(item["identifier"], references))
            elif kind in ("emphasis", "strong", "newTerm"):
                tag = "em" if kind == "emphasis" else "strong"
                parts.append(f"<{tag}>{self.inline(item['inlineContent'], references)}</{tag}>")
            elif kind == "link":
                parts.append(f'<a href="{escape(item["destination"])}">{escape(item["title"])}</a>')
            elif kind == "image":
                continue
            else:
                fail(f"docc wrote inline content of an unknown type: {kind}")
        return "".join(parts)

    def blocks(self, items, references, depth=0):
        parts = []
        for item in items:
            kind = item["type"]
            if kind == "paragraph":
                parts.append(f"<p>{self.inline(item['inlineContent'], references)}</p>")
            elif kind == "heading":
                level = min(item["level"] + depth, 6)
                parts.append(f'<h{level} id="{escape(item["anchor"])}">{escape(item["text"])}</h{level}>')
            elif kind == "codeListing":
                code, syntax = escape("\n".join(item["code"])), item.get("syntax")
                parts.append(f'<pre><code{f" class=language-{syntax}" if syntax else ""}>{code}</code></pre>')
            elif kind == "aside":
                name = item.get("name", item["style"].capitalize())
                parts.append(
                    f'<div class="aside"><p><strong>{escape(name)}</strong></p>'
                    f"{self.blocks(item['content'], references, depth)}</div>")
            elif kind in ("unorderedList", "orderedList"):
                tag = "ul" if kind == "unorderedList" else "ol"
                entries = "".join(f"<li>{self.blocks(entry['content'], references, depth)}</li>" for entry in item["items"])
                parts.append(f"<{tag}>{entries}</{tag}>")
            elif kind == "termList":
                entries = "".join(
                    f"<dt>{self.inline(entry['term']['inlineContent'], references)}</dt>"
                    f"<dd>{self.blocks(entry['definition']['content'], references, depth)}</dd>" for entry in item["items"])
                parts.append(f"<dl>{entries}</dl>")
            elif kind == "table":
                rows = []
                for number, row in enumerate(item["rows"]):
                    tag = "th" if number == 0 and item.get("header") in ("row", "both") else "td"
                    rows.append("<tr>" + "".join(
                        f"<{tag}>{re.sub('^<p>|</p>$', '', self.blocks(cell, references, depth))}</{tag}>" for cell in row)
                        + "</tr>")
                parts.append(f'<div class="scroll"><table>{"".join(rows)}</table></div>')
            elif kind == "thematicBreak":
                parts.append("<hr>")
            else:
                fail(f"docc wrote a block of an unknown type: {kind}")
        return "\n".join(parts)

    def content(self, document, depth=0):
        """Returns the HTML of a document without its title and members."""
        references, parts = document.get("references", {}), []
        if document.get("abstract"):
            parts.append(f"<p>{self.inline(document['abstract'], references)}</p>")
        for section in document.get("primaryContentSections", []):
            kind = section["kind"]
            if kind == "declarations":
                code = "\n".join(
                    "".join(token["text"] for token in declaration["tokens"]) for declaration in section["declarations"])
                parts.insert(0, f"<pre><code>{escape(code)}</code></pre>")
            elif kind == "parameters":
                parts.append("<dl>" + "".join(
                    f"<dt><code>{escape(entry['name'])}</code></dt>"
                    f"<dd>{self.blocks(entry['content'], references, depth)}</dd>" for entry in section["parameters"])
                    + "</dl>")
            elif kind == "content":
                blocks = section["content"]
                # The heading of the only section is not needed.
                if blocks and blocks[0]["type"] == "heading" and blocks[0]["text"] in ("Overview", "Discussion"):
                    blocks = blocks[1:]
                parts.append(self.blocks(blocks, references, depth))
        return "\n".join(parts)

    def lists(self, document, own):
        """Returns the lists of other pages: topics, relationships, further reading."""
        references, parts = document.get("references", {}), []
        for key in ("topicSections", "relationshipsSections", "seeAlsoSections"):
            for section in document.get(key, []):
                if key == "seeAlsoSections" and section.get("generated"):
                    continue
                entries = []
                for identifier in section["identifiers"]:
                    link = self.link(identifier, references)
                    # Members are on this page, and the language's own are nowhere.
                    if key == "topicSections" and (f"{own}#" in link or "<a " not in link):
                        continue
                    about = self.inline(references.get(identifier, {}).get("abstract", []), references)
                    entries.append(f"<li>{link}{f': {about}' if about else ''}")
                if entries:
                    title = section.get("title") or "Topics"
                    parts.append(f"<h2>{escape(title)}</h2><ul>{''.join(entries)}</ul>")
        return "\n".join(parts)

    # MARK: Pages

    def ordered(self, library, document, members):
        """Returns the members in the order of the page's topics."""
        order = {}
        for section in document.get("topicSections", []):
            for identifier in section["identifiers"]:
                url = document["references"].get(identifier, {}).get("url", "")
                order.setdefault(url.lower(), len(order))
        return sorted(members, key=lambda path: order.get(path, len(order)))

    def pages(self):
        for library in self.libraries:
            root = f"/documentation/{library.name.lower()}"
            ordered = sorted(library.documents.items(), key=lambda entry: (entry[0] != root, entry[0]))
            for path, document in ordered:
                place = self.places[path]
                if place and "#" not in place:
                    yield self.page(library, path, place, document, path == root)

    def page(self, library, path, place, document, is_root):
        title = document["metadata"]["title"]
        parents = [
            self.link(identifier, document["references"]) for identifier in (document["hierarchy"]["paths"] or [[]])[0]]
        kind = document["metadata"].get("roleHeading", "")
        above = " / ".join(parents)
        body = [
            f'<p class="kind">{escape(kind)}{" in " + above if above else ""}</p>', f"<h1>{escape(title)}</h1>",
            self.content(document)]
        anchors = []
        members = self.ordered(library, document, self.members.get(place, []))
        if members:
            body.append("<h2>Members</h2>")
        for member in members:
            described = library.documents[member]
            anchor = self.places[member].partition("#")[2]
            name = described["metadata"]["title"]
            body.append(
                f'<section class="member" id="{anchor}"><h3><code>{escape(name)}</code></h3>'
                f"{self.content(described, 2)}</section>")
            anchors.append((anchor, name, inline_text(described.get("abstract", []))[:120]))
        body.append(self.lists(document, place))
        is_article = document["kind"] == "article"
        group = "Libraries" if is_root else library.name if is_article else "Symbols"
        return Page(
            place, title, "\n".join(body), group, inline_text(document.get("abstract", []))[:200],
            entry=is_root or is_article, anchors=anchors)
