#!/usr/bin/env python3
"""Prints the licences of all code in the program: of each package, of Swift's libraries, and of C and C++ libraries.

usage: licences.py SCRATCH

SCRATCH is the folder in which the program was built; its checkouts contain the packages.
"""

import pathlib
import re
import shutil
import sys

LICENCE = re.compile(r"(LICENSE|LICENCE|NOTICE|COPYING)(\.(txt|md))?$", re.I)
# Code of others inside packages is in their sources.
SKIPPED = {"Tests", "Examples", "Benchmarks", "IntegrationTests", ".git", "Documentation", "docs", "dev", "scripts"}
# Linked in from archives of Debian.
LIBRARIES = ("libsqlite3-dev", "zlib1g-dev", "libstdc++-12-dev")


def texts(folder):
    """The licences in a folder of sources."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and LICENCE.match(path.name) and not SKIPPED.intersection(parts[:-1]):
            yield "/".join((folder.name, *parts)), path.read_text(encoding="utf-8", errors="replace")


def main(scratch):
    found = {}
    for folder in sorted(pathlib.Path(scratch, "checkouts").iterdir()):
        names = []
        for name, text in texts(folder):
            found.setdefault(text.strip(), []).append(name)
            names.append(name)
        if not names:
            sys.exit(f"licences: {folder.name} has no licence")
    swift = shutil.which("swift")
    toolchain = pathlib.Path(swift).resolve().parent.parent if swift else pathlib.Path("/nowhere")
    path = toolchain / "share/swift/LICENSE.txt"
    if not path.is_file():
        sys.exit(f"licences: the toolchain has no {path}")
    found.setdefault(path.read_text(encoding="utf-8").strip(), []).append("Swift's libraries, with Foundation and ICU")
    for library in LIBRARIES:
        path = pathlib.Path("/usr/share/doc", library, "copyright")
        if not path.exists():
            sys.exit(f"licences: there is no {path}")
        found.setdefault(path.read_text(encoding="utf-8", errors="replace").strip(), []).append(library)
    print("The program contains code with these licences. Texts that are the same are printed once.")
    for text, names in found.items():
        print("\n" + "=" * 100)
        print("\n".join(names))
        print("=" * 100 + "\n")
        print(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
