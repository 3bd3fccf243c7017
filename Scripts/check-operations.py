#!/usr/bin/env python3
"""Counts in how many files each operation of the vaults is declared, and fails above LIMIT.

usage: check-operations.py [ROOT]

An operation is a function that one of PROTOCOLS requires. It is declared in its protocol, and again where it is
implemented or forwarded; a declaration counts if its name and the labels and types of its parameters are the same. One
call path means few of them: an operation of `Vault` is one step over `VaultTables`, and each storage implements a table
operation once.
"""

import collections
import pathlib
import re
import sys

LIMIT = 4
PROTOCOLS = (
    "Vault", "TransactionalVault", "SharedVault", "CopyableVault", "WebhookVault", "OwnershipTables", "VaultTables", "RemoteStorage",
)
PROTOCOL = re.compile(r"\bprotocol\s+(\w+)")
FUNCTION = re.compile(r"\bfunc\s+(\w+)\s*(?:<[^>]*>)?\s*\(")


def code_only(text):
    """Swift code without comments and the contents of its strings."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"""(?:.|\n)*?"""', '""', text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def closing(code, start, opening="(", end=")"):
    """The position behind the parenthesis that closes the one at `start`."""
    depth = 0
    for position in range(start, len(code)):
        depth += (code[position] == opening) - (code[position] == end)
        if depth == 0:
            return position + 1
    return len(code)


def parameters(text):
    """The labels and types of a list of parameters."""
    found, depth, part = [], 0, ""
    for character in text + ",":
        depth += character in "([<"
        # An arrow closes nothing.
        depth -= character in ")]" or (character == ">" and not part.endswith("-"))
        if character != "," or depth:
            part += character
            continue
        if ":" in part:
            names, kind = part.split(":", 1)
            found.append(names.split()[0] + ":" + "".join(kind.split("=")[0].split()))
        part = ""
    return ",".join(found)


def functions(code):
    """The functions that are declared in code."""
    for match in FUNCTION.finditer(code):
        end = closing(code, match.end() - 1)
        yield f"{match[1]}({parameters(code[match.end():end - 1])})"


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    operations, declared = {}, collections.defaultdict(set)
    for path in sorted((root / "Sources").rglob("*.swift")):
        code = code_only(path.read_text(encoding="utf-8"))
        for function in functions(code):
            declared[function].add(path.relative_to(root).as_posix())
        for match in PROTOCOL.finditer(code):
            if match[1] in PROTOCOLS:
                start = code.index("{", match.end())
                operations.update((function, match[1]) for function in functions(code[start:closing(code, start, "{", "}")]))
    most = max((len(declared[operation]) for operation in operations), default=0)
    print(f"vault operations: {len(operations)}, each declared in at most {most} files (limit {LIMIT})")
    for operation, protocol in sorted(operations.items()):
        files = declared[operation]
        if len(files) > LIMIT:
            print(f"error: {protocol}.{operation} is declared in {len(files)} files: {', '.join(sorted(files))}",
                  file=sys.stderr)
    return most > LIMIT


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
