#!/usr/bin/env python3
"""Checks that the folders of each target form no circle: a folder uses those below it.

usage: check-floors.py [ROOT]

Files of one module import nothing of each other, so the arrows between its folders come from the names of types: a file
that names a type of another folder uses that folder, and a file that extends it names it. Exits with 1 and one line a
finding, `file:line: error: ...`; where folders form a circle, the findings are the uses of its thinnest arrow.
"""

import collections
import dataclasses
import pathlib
import re
import sys

NAME = r"[A-Z]\w*"
TOKEN = re.compile(
    # A brace opens or closes a scope.
    r"(?P<brace>[{}])"
    # A type that is declared, with what stands before it on its line.
    r"|(?P<modifiers>(?:\b(?:private|fileprivate)\s+)?(?:\b(?:final|indirect|nonisolated)\s+)*)"
    rf"(?<![\w.`])(?P<kind>struct|class|enum|protocol|actor|typealias|associatedtype)\s+(?P<declared>{NAME})"
    # A type that is extended.
    rf"|(?<![\w.`])extension\s+(?P<extended>{NAME}(?:\.{NAME})*)"
)
# A name with its members: `Product.ProductType`.
USE = re.compile(rf"(?<![\w.`])({NAME}(?:\s*\.\s*{NAME})*)")
# Comments and texts; of a text what it interpolates is code.
COMMENT = r"//[^\n]*|/\*.*?\*/"
TEXT = r'#+".*?"#+|"""(?:\\.|.)*?"""|"(?:\\.|[^"\\\n])*"'
NO_CODE = re.compile(f"{COMMENT}|{TEXT}", re.DOTALL)
INTERPOLATED = re.compile(r"\\\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
GENERIC = re.compile(r"(?:\bfunc\s+[^\s(<]+|\binit|\bsubscript|\b(?:struct|class|enum|actor|typealias)\s+\w+)\s*<([^>]*)>")


def code_only(text):
    """The text without comments and texts, on the same lines."""
    def kept(found):
        words = [] if found[0].startswith("/") else INTERPOLATED.findall(found[0])
        return " " + " ".join(words).replace("\n", " ") + "\n" * found[0].count("\n")

    return NO_CODE.sub(kept, text)


@dataclasses.dataclass
class Source:
    """A file and the names in it."""

    path: pathlib.Path
    folder: str
    code: str
    # The types it declares that other files can see, and those only it can: by their whole names.
    declared: set
    own: set
    # The types in whose scope it stands, whose inner types need no prefix.
    scopes: set

    @classmethod
    def read(cls, path, target):
        code = code_only(path.read_text(encoding="utf-8"))
        folder = path.parent.relative_to(target).as_posix()
        return cls(path, folder, code, *cls._declarations(code))

    @staticmethod
    def _declarations(code):
        declared, own, scopes, stack, opening = set(), set(), set(), [], None
        for token in TOKEN.finditer(code):
            if token["brace"] == "{":
                stack.append(opening)
                opening = None
            elif token["brace"]:
                if stack:
                    stack.pop()
                opening = None
            elif token["extended"]:
                opening = token["extended"]
                scopes.add(opening)
            elif None not in stack:  # Declarations in functions are ignored.
                name = ".".join([*stack[-1:], token["declared"]])
                is_own = "private" in token["modifiers"] or token["kind"] == "associatedtype"
                (own if is_own else declared).add(name)
                if token["kind"] not in ("typealias", "associatedtype"):
                    opening = name
                    scopes.add(name)
        for names in GENERIC.findall(code):
            own.update(re.findall(rf"(?:^|,)\s*(?:let\s+|each\s+)?({NAME})", names))
        # The inner types of Outer.Inner see those of Outer, too.
        scopes |= {scope.rsplit(".", count)[0] for scope in scopes for count in range(1, scope.count(".") + 1)}
        return declared, own, scopes

    def uses(self, module):
        """The names that the file asks other files for, each with the file that declares it and its line."""
        for match in USE.finditer(self.code):
            parts = re.split(r"\s*\.\s*", match.group(1))
            if parts[0] == module.name and len(parts) > 1:
                parts = parts[1:]
            if parts[0] in self.own or any(f"{scope}.{parts[0]}" in self.own for scope in self.scopes):
                continue
            for length in range(len(parts), 0, -1):
                name = ".".join(parts[:length])
                whole = next((f"{s}.{name}" for s in self.scopes if f"{s}.{name}" in module.homes), name)
                if whole in module.homes:
                    yield whole, module.homes[whole], self.code.count("\n", 0, match.start()) + 1
                    break


class Module:
    """The files of a target."""

    def __init__(self, folder):
        self.name = folder.name
        self.sources = [Source.read(path, folder) for path in sorted(folder.rglob("*.swift"))]
        self.homes = {}
        for source in self.sources:
            for name in source.declared:
                self.homes.setdefault(name, source)

    def arrows(self):
        """From folder to folder: the first use of each name in each file."""
        found = collections.defaultdict(dict)
        for source in self.sources:
            for name, home, line in source.uses(self):
                if home.folder != source.folder:
                    found[source.folder, home.folder].setdefault((source.path, name), line)
        return found

    def called(self, folder):
        return self.name if folder == "." else folder


def circles(arrows):
    """The sets of folders that all use each other, directly or through others."""
    below = collections.defaultdict(set)
    for user, used in arrows:
        below[user].add(used)

    def reached(start):
        seen, ahead = set(), [start]
        while ahead:
            for folder in below[ahead.pop()] - seen:
                seen.add(folder)
                ahead.append(folder)
        return seen

    reach = {folder: reached(folder) for folder in sorted(below)}
    found = {frozenset(other for other in reach if other in reach[folder] and folder in reach[other]) for folder in reach}
    return sorted((circle for circle in found if circle), key=sorted)


def way_back(arrows, circle, start, end):
    """The shortest way from one folder of a circle to another."""
    ways, seen = [[start]], {start}
    for way in ways:
        if way[-1] == end:
            return way
        for user, used in sorted(arrows):
            if user == way[-1] and used in circle and used not in seen:
                seen.add(used)
                ways.append([*way, used])
    return []


def check(module, root):
    arrows = module.arrows()
    for circle in circles(arrows):
        inside = [arrow for arrow in arrows if arrow[0] in circle and arrow[1] in circle]
        user, used = min(inside, key=lambda arrow: (len(arrows[arrow]), arrow))
        way = ", which uses ".join(map(module.called, way_back(arrows, circle, used, user)))
        for (path, name), line in arrows[user, used].items():
            yield (
                f"{path.relative_to(root)}:{line}: error: {module.called(user)} uses {name} of {way}: "
                "a circle; move down what both need"
            )


def findings(root):
    for folder in sorted(root.glob("Sources/*")):
        if not folder.is_dir():
            continue
        yield from check(Module(folder), root)


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    found = list(findings(root))
    for finding in found:
        print(finding, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
