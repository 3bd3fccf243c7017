#!/usr/bin/env python3
"""Checks that every counterpart in the pages of names compiles.

usage: check-names.py [--write]

The pages are in Sources/StorekeeperKit/Documentation.docc: NamesOfStoreKit.md, whose rows have a kind, and
NamesOfStoreHelper.md. Each counterpart becomes a line of Swift in Tests/StorekeeperKitTests/Names, which the tests
compile. Without --write it exits with 1 if the files differ from the pages.

A counterpart is "the same", for which the kind of the row says how it is used, or `NAME` (KIND).
"""

import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "Sources/StorekeeperKit/Documentation.docc"
FILES = ROOT / "Tests/StorekeeperKitTests/Names"

CODE = re.compile(r"`([^`]+)`")
COUNTERPART = re.compile(r"`([^`]+)` \(([a-z ]+)\)")
# Names that are generic or overloaded, with their use.
USES = {
    "Product.products(for:)": "{ () async throws in _ = try await Product.products(for: [String]()) }",
    "Product.PurchaseOption.custom(key:value:)": "\n    ".join([
        "(",
        "    Product.PurchaseOption.custom(key:value:) as (String, String) -> Product.PurchaseOption,",
        "    Product.PurchaseOption.custom(key:value:) as (String, Double) -> Product.PurchaseOption,",
        "    Product.PurchaseOption.custom(key:value:) as (String, Bool) -> Product.PurchaseOption,",
        "    Product.PurchaseOption.custom(key:value:) as (String, Data) -> Product.PurchaseOption",
        ")",
    ]),
    "Product.SubscriptionInfo.PricingTerms.subscript(offers:)":
        "{ (value: Product.SubscriptionInfo.PricingTerms) in value[offers: .introductory] }",
    "Catalog.product(_:)": "{ (value: Catalog) in value.product(\"\") }",
    "ProductSource.products(for:)": "{ (value: any ProductSource) async throws in try await value.products(for: []) }",
    "PurchasingStore.purchase(_:options:)":
        "{ (value: PurchasingStore, product: Product) async throws in try await value.purchase(product, options: []) }",
}


def use(name, kind):
    """The expression that uses a name."""
    if name in USES:
        return USES[name]
    root, _, member = name.rpartition(".")
    match kind:
        case "type":
            return f"{name}.self"
        case "property":
            return f"\\{name}"
        case "static" | "case" | "method":
            # The argument labels of an enumeration's case without any are not written.
            return re.sub(r"\((?:_:)*\)$", "", name)
        case "static async":
            return f"{{ () async in _ = await {name} }}"
        case "static async throws":
            return f"{{ () async throws in _ = try await {name} }}"
        case "property throws":
            return f"{{ (value: {root}) throws in _ = try value.{member} }}"
        case "property async":
            return f"{{ (value: {root}) async in _ = await value.{member} }}"
        case "property async throws":
            return f"{{ (value: {root}) async throws in _ = try await value.{member} }}"
        case "actor property":
            return f"{{ (value: {root}) async throws in _ = try await value.{member} }}"
        case "actor method":
            return f"{{ (value: isolated {root}) in _ = value.{member.removesuffix('()')} }}"
    raise SystemExit(f"check-names: unknown kind '{kind}' of {name}")


def rows(page):
    """Yields the heading and the cells of each row of a page."""
    heading = ""
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("### "):
            heading = html.unescape(line[4:])
        elif line.startswith("| ") and not line.startswith("| ---"):
            yield heading, [cell.strip() for cell in line.strip("| ").split(" | ")]


def counterparts(page):
    """The names of a page that StorekeeperKit has, and those of other modules, each with its kind."""
    same, others = [], []
    for heading, cells in rows(page):
        here = cells[-1]
        if here.startswith("the same"):
            prefix = "" if heading == "The module" else f"{heading}."
            same += [(prefix + name, cells[1]) for name in CODE.findall(cells[0])]
        elif found := COUNTERPART.findall(here):
            others += found
        elif here not in ("Here",) and not here.startswith("none: "):
            raise SystemExit(f"check-names: {page.name}: '{here}' names no counterpart and no reason")
    return same, others


def swift(name, imports, uses):
    lines = [
        "// Written by Scripts/check-names.py from the pages of names; do not edit.",
        "",
        *(f"import {module}" for module in imports),
        "",
        f"/// Uses each counterpart, so that the compiler checks that it exists.",
        f"func use{name}() {{",
    ]
    seen = dict.fromkeys(f"    _ = {use(*item)}" for item in uses)
    return "\n".join([*lines, *seen, "}", ""])


def main():
    same, others = counterparts(PAGES / "NamesOfStoreKit.md")
    _, helper = counterparts(PAGES / "NamesOfStoreHelper.md")
    wanted = {
        "NamesOfStoreKit.swift": swift("NamesOfStoreKit", ["Foundation", "StorekeeperKit"], same),
        "OtherNames.swift": swift("OtherNames", ["Storekeeper", "StorekeeperSimulator"], others + helper),
    }
    stale = []
    for name, text in wanted.items():
        file = FILES / name
        if "--write" in sys.argv:
            FILES.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        raise SystemExit(f"check-names: {', '.join(stale)}: not as the pages say; run Scripts/check-names.py --write")
    print(f"check-names: {len(same)} names of StoreKit, {len(others) + len(helper)} counterparts in other modules")


main()
