#!/usr/bin/env python3
"""Checks that every target imports, and depends on, only what its layer may.

usage: check-layering.py [ROOT]

Reads the Swift files of ROOT/Sources and ROOT/Tests and, where ROOT/Package.swift exists, the manifest.
Exits with 1 and one line a finding, `file:line: error: ...`, when something is imported that the table below
does not allow.
"""

import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from swift_source import code_only  # noqa: E402

LIGHT = {"FoundationEssentials", "Synchronization"}
FOUNDATION = {"Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking"}
PLATFORM = {"Glibc", "Musl", "Darwin"}
STORE = {"StorekeeperEngine", "Storekeeper"}

# What each target may import. Arrows go down only; a module that is not named here may not be imported.
ALLOWED = {
    "StorekeeperEngine": LIGHT,
    "Storekeeper": LIGHT | {"StorekeeperEngine"},
    "StorekeeperCharts": LIGHT | {"StorekeeperEngine"},
    # Without the store: a check without a server needs no more than the engine and this.
    "StorekeeperJWS": LIGHT | {"StorekeeperEngine", "Crypto", "X509", "SwiftASN1"},
    # What is hashed and stored alike by every durable vault.
    "StorekeeperDurable": LIGHT | STORE | {"Crypto"},
    # Dispatch, because passes over the log block: they must not take a thread of the tasks. The system, because a vault
    # is made for its owner alone, and a pipe must not be opened to find out that it is one.
    "StorekeeperSQLite": LIGHT | PLATFORM | STORE | {"StorekeeperDurable", "GRDB", "GRDBSQLite", "Crypto", "Dispatch"},
    # In C: it finds libpq when a database is named.
    "CPostgres": set(),
    # Foundation for threads: a server is waited for outside of the tasks' own.
    "StorekeeperPostgres": LIGHT | PLATFORM | STORE | {"StorekeeperDurable", "CPostgres", "Foundation", "Dispatch"},
    "StorekeeperSimulator": LIGHT | STORE | {"StorekeeperCharts", "StorekeeperJWS", "Yams"},
    # The wire, its tokens, and what operators watch. No server here: a client is tested against one, not built with it.
    "StorekeeperAppStore": LIGHT
    | PLATFORM
    | STORE
    | {"StorekeeperJWS", "AsyncHTTPClient", "Crypto", "JWTKit", "Logging", "Metrics", "Tracing", "NIOCore", "NIOHTTP1"}
    | {"NIOPosix", "NIOSSL"},
    "StorekeeperPages": LIGHT | PLATFORM | STORE | {"StorekeeperAppStore", "StorekeeperCharts", "Mustache", "NIOCore"},
    # No simulator here, and no YAML: the service answers about the App Store, and is none.
    "StorekeeperCompanion": LIGHT
    | PLATFORM
    | STORE
    | {"StorekeeperAppStore", "StorekeeperCharts", "StorekeeperPages", "CoreMetrics", "Crypto", "HTTPTypes"}
    | {"Hummingbird", "HummingbirdCore", "HummingbirdTLS", "JWTKit", "Logging", "Mustache", "NIOCore", "NIOHTTPTypes"}
    | {"NIOSSL", "ServiceLifecycle", "Tracing", "UnixSignals"},
    "StorekeeperLocalStore": LIGHT
    | PLATFORM
    | STORE
    | {"StorekeeperCharts", "StorekeeperJWS", "StorekeeperPages", "StorekeeperSimulator", "AsyncHTTPClient"}
    | {"HTTPTypes", "Hummingbird", "JWTKit", "Logging", "Mustache", "NIOCore", "NIOHTTP1", "ServiceLifecycle"}
    | {"UnixSignals"},
    "StorekeeperTesting": LIGHT | STORE | {"Testing"},
    "StorekeeperCLI": LIGHT
    | FOUNDATION
    | PLATFORM
    | STORE
    | {"StorekeeperJWS", "StorekeeperSQLite", "StorekeeperPostgres", "StorekeeperAppStore"}
    | {"StorekeeperCharts", "StorekeeperCompanion", "StorekeeperLocalStore", "StorekeeperPages", "StorekeeperSimulator"}
    | {"ArgumentParser", "Configuration", "CoreMetrics", "Crypto", "Logging", "NIOSSL", "Yams"},
}

# What tests may import beside their own target and what that target may import.
FOR_TESTS = LIGHT | FOUNDATION | PLATFORM | STORE | {"StorekeeperCharts", "Testing", "StorekeeperTesting"}

# Targets beside the layers, all for tests: a vault is tested with evidence that is really signed, and by a program that
# is killed while it writes, and its file is changed behind its back.
BESIDE = {
    "StorekeeperSQLiteTests": FOR_TESTS
    | {"StorekeeperSQLite", "StorekeeperDurable", "StorekeeperJWS", "GRDB", "GRDBSQLite", "Crypto", "VaultCrasher"},
    # Client and server are each tested against the other, on the simulator, with a real socket between them.
    "StorekeeperAppStoreTests": FOR_TESTS
    | {"StorekeeperAppStore", "StorekeeperJWS", "StorekeeperSimulator", "StorekeeperSQLite", "AsyncHTTPClient"}
    | {"Crypto", "InMemoryTracing", "JWTKit", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "Logging", "Metrics"}
    | {"Tracing"},
    "StorekeeperServerTests": FOR_TESTS
    | {"StorekeeperAppStore", "StorekeeperCompanion", "StorekeeperJWS", "StorekeeperLocalStore", "StorekeeperPages"}
    | {"StorekeeperSimulator", "StorekeeperSQLite"}
    | {"AsyncHTTPClient", "CoreMetrics", "Crypto", "HTTPTypes", "Hummingbird", "HummingbirdTesting", "JWTKit"}
    | {"Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "ServiceLifecycle", "Yams"},
    "StorekeeperCLITests": FOR_TESTS | ALLOWED["StorekeeperCLI"] | {"StorekeeperCLI", "AsyncHTTPClient", "GRDBSQLite", "NIOCore", "NIOHTTP1", "NIOPosix"},
    # What a node has done is read, and done again by a model, by the tests of the vault.
    "StorekeeperPostgresTests": FOR_TESTS | ALLOWED["StorekeeperPostgres"] | {"StorekeeperPostgres", "FleetNode"},
    "FleetNode": FOUNDATION | LIGHT | STORE | {"StorekeeperPostgres", "StorekeeperTesting"},
    "VaultCrasher": FOUNDATION | STORE | {"StorekeeperJWS", "StorekeeperSQLite", "StorekeeperTesting"},
}

KINDS = "typealias|struct|class|enum|protocol|let|var|func|actor|macro"
IMPORT = re.compile(
    r"(?<![\w.`])import\s+(?:(?:" + KINDS + r")\s+)?(`?\w+`?)(?=\s*(?:[.;]|$|\s))", re.MULTILINE
)
CAN_IMPORT = re.compile(r"(?<![\w.`])canImport\s*\(\s*(\w+)")


def allowed_for(target):
    """What a target may import, or None where the table does not know the target."""
    for table in (ALLOWED, BESIDE):
        if target in table:
            return table[target]
    if target.endswith("Tests") and target[: -len("Tests")] in ALLOWED:
        tested = target[: -len("Tests")]
        return FOR_TESTS | {tested} | ALLOWED[tested]
    return None


def imports(text):
    """The modules a file imports or asks for, each with its line."""
    code = code_only(text)
    for pattern in (IMPORT, CAN_IMPORT):
        for match in pattern.finditer(code):
            yield match.group(1).strip("`"), code.count("\n", 0, match.start(1)) + 1


def unknown(target):
    return f"no layer is known for target {target}: add it to the table in Scripts/check-layering.py"


def refusal(target, verb, module):
    allowed = ", ".join(sorted(allowed_for(target)))
    return f"{target} may not {verb} {module}; it may {verb} {allowed}"


def check_files(root):
    for folder in sorted([*root.glob("Sources/*"), *root.glob("Tests/*")]):
        if not folder.is_dir():
            continue
        target = folder.name
        for file in sorted(folder.rglob("*.swift")):
            name = file.relative_to(root)
            if allowed_for(target) is None:
                yield f"{name}:1: error: {unknown(target)}"
                break
            for module, line in sorted(imports(file.read_text(encoding="utf-8")), key=lambda found: found[1]):
                if module not in allowed_for(target):
                    yield f"{name}:{line}: error: {refusal(target, 'import', module)}"


def check_manifest(root):
    described = subprocess.run(
        ["swift", "package", "--package-path", str(root), "describe", "--type", "json"],
        check=True, stdout=subprocess.PIPE,
    )
    for target in json.loads(described.stdout)["targets"]:
        name = target["name"]
        if target["type"] in ("plugin", "macro", "snippet", "system-target", "system"):
            continue
        if allowed_for(name) is None:
            yield f"Package.swift:1: error: {unknown(name)}"
            continue
        # A product of another package carries the name of its module.
        for module in target.get("target_dependencies", []) + target.get("product_dependencies", []):
            if module not in allowed_for(name):
                yield f"Package.swift:1: error: {refusal(name, 'depend on', module)}"


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    findings = list(check_files(root))
    if (root / "Package.swift").exists():
        findings += check_manifest(root)
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
