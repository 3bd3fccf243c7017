#!/usr/bin/env python3
"""Prints the licences of all code in the program: of each package, of Swift's libraries, and of C and C++ libraries.

usage: licences.py SCRATCH

SCRATCH is the folder in which the program was built; its checkouts contain the packages.
"""

import pathlib
import re
import shutil
import subprocess
import sys

LICENCE = re.compile(r"(LICENSE|LICENCE|NOTICE|COPYING)(\.(txt|md))?$", re.I)
# Code of others inside packages is in their sources.
SKIPPED = {"Tests", "Examples", "Benchmarks", "IntegrationTests", ".git", "Documentation", "docs", "dev", "scripts"}
# Linked in from archives of Debian.
ARCHIVES = ("libsqlite3.a", "libz.a", "libstdc++.a")


def texts(folder):
    """The licences in a folder of sources."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and LICENCE.match(path.name) and not SKIPPED.intersection(parts[:-1]):
            yield "/".join((folder.name, *parts)), path.read_text(encoding="utf-8", errors="replace")


def package_of(archive):
    """The Debian package of an archive that the compiler finds."""
    path = subprocess.run(["clang", f"-print-file-name={archive}"], capture_output=True, text=True).stdout.strip()
    real = str(pathlib.Path(path).resolve())
    # Debian knows a file by one of its names, with or without /usr.
    for name in (path, real, real.removeprefix("/usr")):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    sys.exit(f"licences: no package contains {archive}")


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
    for library in map(package_of, ARCHIVES):
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
