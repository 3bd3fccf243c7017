#!/usr/bin/env python3
"""Holds the public interface of every library to the files in Documentation/Interface.

What is public is a promise, so that a change of it must be seen in a diff: there is a file for each library, with a
paragraph for each type and a line for each declaration. `--write` writes the files anew.

Reads the modules of the debug build, which must be of the sources as they are.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "Documentation" / "Interface"
# What every type of a kind has, and what an explicit conformance of the list brings with it.
SILENT = {"Copyable", "Escapable", "SendableMetatype"}
TYPES = {"swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.actor"}


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def libraries():
    """The libraries of the manifest, in its order."""
    products = json.loads(output("swift", "package", "describe", "--type", "json"))["products"]
    return [target for product in products if "library" in product["type"] for target in product["targets"]]


def symbol_graphs(names):
    """The symbol graphs of libraries: of each its own, and those of what it adds to other modules' types."""
    modules = pathlib.Path(output("swift", "build", "--show-bin-path").strip()) / "Modules"
    target = json.loads(output("swift", "-print-target-info"))["target"]["triple"]
    searched = ["-I", str(modules)]
    # C libraries of ours, and system libraries that a dependency wraps, are found by their module maps; see check-docs.sh.
    for found in sorted((ROOT / "Sources").glob("*/**/module.modulemap")):
        searched += ["-I", str(found.parent)]
    for found in sorted((ROOT / ".build" / "checkouts").glob("*/Sources/**/module.modulemap")):
        searched += ["-I", str(found.parent)]
    # Of C libraries that have no map the build has made one.
    for found in sorted(modules.parent.glob("*.build/module.modulemap")):
        searched += ["-Xcc", f"-fmodule-map-file={found}"]
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for name in names:
            (pathlib.Path(folder) / name).mkdir()
            command = ["swift", "symbolgraph-extract", "-module-name", name, *searched, "-target", target]
            command += ["-minimum-access-level", "public", "-skip-synthesized-members"]
            runs.append(subprocess.Popen([*command, "-output-dir", f"{folder}/{name}"], cwd=ROOT))
        if any([run.wait() for run in runs]):
            sys.exit("check-interface: no interface of the modules in the build; run 'swift build' first")
        return {
            name: [json.loads(path.read_text()) for path in sorted((pathlib.Path(folder) / name).glob("*.json"))]
            for name in names
        }


def declaration(symbol):
    """A declaration on one line."""
    return " ".join("".join(part["spelling"] for part in symbol["declarationFragments"]).split())


def interface(graphs):
    """The text of a library's interface."""
    members = collections.defaultdict(set)
    heads = {}
    for graph in graphs:
        symbols = {
            symbol["identifier"]["precise"]: symbol
            for symbol in graph["symbols"]
            if "location" in symbol
            and symbol["kind"]["identifier"] != "swift.extension"
            and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
        }
        conformances = collections.defaultdict(set)
        for relation in graph["relationships"]:
            if relation["kind"] == "conformsTo":
                conformances[relation["source"]].add(relation["target"])
        names = {precise: symbol["pathComponents"][-1] for precise, symbol in symbols.items()}
        names.update(
            (relation["target"], relation["targetFallback"].split(".")[-1])
            for relation in graph["relationships"]
            if relation["kind"] == "conformsTo" and relation["target"] not in names and "targetFallback" in relation
        )

        for precise, symbol in symbols.items():
            path = ".".join(symbol["pathComponents"])
            if symbol["kind"]["identifier"] in TYPES:
                protocols = {names.get(target, target) for target in conformances[precise]} - SILENT
                heads[path] = declaration(symbol) + (": " + ", ".join(sorted(protocols)) if protocols else "")
            else:
                members[".".join(symbol["pathComponents"][:-1])].add(declaration(symbol))
    lines = []
    for path in sorted(set(heads) | set(members)):
        lines += ["", path, f"  {heads.get(path, '(of another module)')}"]
        lines += [f"    {member}" for member in sorted(members[path])]
    return "\n".join(lines[1:]) + "\n"


def main(arguments):
    if arguments not in ([], ["--write"]):
        sys.exit("usage: Scripts/check-interface.py [--write]")
    stale = []
    graphs = symbol_graphs(libraries())
    FOLDER.mkdir(exist_ok=True)
    for name, found in graphs.items():
        text = interface(found)
        path = FOLDER / f"{name}.txt"
        if arguments:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(name)
            old = path if path.exists() else "/dev/null"
            subprocess.run(["diff", "-u", "--label", f"{name}.txt", "--label", "the sources", str(old), "-"],
                           input=text, text=True)
    for path in FOLDER.glob("*.txt"):
        if path.stem not in graphs:
            stale.append(path.stem)
    if stale:
        print(f"check-interface: {', '.join(stale)}: Documentation/Interface says another interface than the sources; "
              "look whether you want the change, then run Scripts/check-interface.py --write", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
