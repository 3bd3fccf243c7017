#!/usr/bin/env python3
"""Reads the functions that storekeeper.h declares.

usage: c-header.py [--names | --map | --check LIBRARY | --grown OLD-HEADER]

--names prints the names, one a line. --map prints a version script for the linker, which exports these names only. --check
compares them with the symbols that a library exports. --grown checks that everything which an older header declares is
declared still, in the same words: functions, constants, and the first members of structs.
"""
import pathlib
import re
import subprocess
import sys

HEADER = pathlib.Path(__file__).resolve().parent.parent / "Sources/CStorekeeper/include/storekeeper.h"


def declarations(path):
    """Returns what a header declares, without comments, as {name: words}."""
    text = re.sub(r"/\*.*?\*/", " ", pathlib.Path(path).read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", " ", text)
    constants = dict(re.findall(r"^#define (SK_\w+) (.+)$", text, flags=re.MULTILINE))
    for name in ("SK_NULLABLE", "SK_VERSION", "SK_VERSION_NUMBER"):
        constants.pop(name, None)
    text = re.sub(r"^#.*$", " ", text, flags=re.MULTILINE).replace("SK_NULLABLE", " ")
    # The braces of extern "C" are around everything in C++ only.
    text = re.sub(r'extern\s+"C"\s*\{', " ", text)
    found = {f"constant {name}": value.split() for name, value in constants.items()}
    for body in re.findall(r"\benum\s*\{(.*?)\}", text, flags=re.DOTALL):
        for name, value in re.findall(r"(SK_\w+)\s*=\s*(\w+)", body):
            found[f"constant {name}"] = [value]
    for name, body in re.findall(r"\bstruct\s+(sk_\w+)\s*\{(.*?)\}", text, flags=re.DOTALL):
        found[f"struct {name}"] = [" ".join(member.split()) for member in body.split(";") if member.strip()]
    outside = re.sub(r"\{.*?\}", " ", text, flags=re.DOTALL)
    for statement in outside.split(";"):
        words = " ".join(statement.split()).lstrip("} ")
        match = re.match(r"(?:[\w ]+[ *])(sk_\w+) ?\((.*)\)$", words)
        if match and not words.startswith("typedef"):
            found[f"function {match[1]}"] = words.split()
    return found


def functions(path=HEADER):
    return sorted(key.removeprefix("function ") for key in declarations(path) if key.startswith("function "))


def exported(library):
    """Returns the symbols that a library exports, without the name of their version."""
    output = subprocess.run(
        ["nm", "--dynamic", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return sorted({line.split()[2].split("@")[0] for line in output.splitlines() if line.split()[1] != "A"})


def main(arguments):
    match arguments:
        case ["--names"]:
            print("\n".join(functions()))
        case ["--map"]:
            print("STOREKEEPER_0 {\n  global:")
            print("\n".join(f"    {name};" for name in functions()))
            print("  local: *;\n};")
        case ["--check", library]:
            declared, defined = set(functions()), set(exported(library))
            for name in sorted(declared - defined):
                print(f"c-header: {library} does not export {name}", file=sys.stderr)
            for name in sorted(defined - declared):
                print(f"c-header: {library} exports {name}, which storekeeper.h does not declare", file=sys.stderr)
            return declared != defined
        case ["--grown", old]:
            now, faults = declarations(HEADER), 0
            for key, words in declarations(old).items():
                same = now.get(key, [])[:len(words)] if key.startswith("struct ") else now.get(key)
                if same != words:
                    faults += 1
                    print(f"c-header: {key} has changed since the last release; a header only grows", file=sys.stderr)
            return faults > 0
        case _:
            print(__doc__, file=sys.stderr)
            return 64
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
