#!/usr/bin/env python3
"""Makes the documentation as one static site, with search and without any request to another server.

usage: make.py PROGRAM ARCHIVES DESCRIPTIONS SITE

PROGRAM is the built command line, ARCHIVES the folder with the archives of docc, DESCRIPTIONS a folder with the OpenAPI
documents `companion.yaml` and `local-app-store.yaml`, SITE the folder to write.
"""

import pathlib
import shutil
import sys

import api
import commands
import reference
from documents import Documents
from layout import ROOT, Site
from libraries import Libraries

SERVICES = [
    ("companion", "HTTP API of the service", "storekeeper serve"),
    ("local-app-store", "HTTP API of the local App Store", "storekeeper local-app-store"),
]


def main():
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    program_path, archives, descriptions, folder = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    program, libraries = commands.Program(program_path), Libraries(archives)
    documents = Documents(libraries.articles())
    site = Site()

    pages = list(documents.pages())
    for page in pages:
        if page.group == "Start":
            site.add(page)
    for name, title, command in SERVICES:
        text = (descriptions / f"{name}.yaml").read_text(encoding="utf-8")
        source = (f'<p>Served by <code>{command}</code>, which returns the document for generators, '
                  f'<a href="@/reference/{name}.yaml">OpenAPI 3.1</a>, at <code>/openapi.yaml</code>.</p>')
        site.add(api.Description(text).page(f"reference/{name}.html", title, source))
    site.add(reference.settings_page(program))
    site.add(reference.codes_page())
    for page in commands.pages(program):
        site.add(page)
    for group in ("Examples", "Operate"):
        for page in pages:
            if page.group == group:
                site.add(page)
    for page in libraries.pages():
        site.add(page)
    for page in pages:
        if page.group == "Project":
            site.add(page)

    site.write(folder)
    for name, _, _ in SERVICES:
        shutil.copy(descriptions / f"{name}.yaml", folder / "reference" / f"{name}.yaml")
    for source, place in documents.images.items():
        (folder / place).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / source, folder / place)
    print(f"{len(site.pages)} pages")


if __name__ == "__main__":
    main()
