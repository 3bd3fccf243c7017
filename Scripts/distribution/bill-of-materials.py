#!/usr/bin/env python3
"""Prints a bill of materials in CycloneDX: the packages, Swift, and the Debian packages in the program and the image.

usage: bill-of-materials.py VERSION COMMIT PROGRAM IMAGE-PACKAGES

IMAGE-PACKAGES has a line `NAME VERSION ARCHITECTURE` for each Debian package in the image. The versions of the Swift
packages are those of Package.resolved.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
import uuid

from importlib.machinery import SourceFileLoader

licences = SourceFileLoader("licences", os.path.join(os.path.dirname(__file__), "licences.py")).load_module()
LIBRARIES = [licences.package_of(archive) for archive in licences.ARCHIVES]


def debian(name, version, architecture, where):
    return {
        "type": "library", "name": name, "version": version,
        "bom-ref": f"pkg:deb/debian/{name}@{version}?arch={architecture}&in={where}",
        "purl": f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}",
        "properties": [{"name": "storekeeper:in", "value": where}],
    }


def installed(name):
    text = subprocess.run(["dpkg-query", "-W", "-f", "${Version} ${Architecture}", name], check=True,
                          capture_output=True, text=True).stdout
    return text.split()


def main(version, commit, program, packages):
    components = []
    with open("Package.resolved", encoding="utf-8") as file:
        pins = json.load(file)["pins"]
    for pin in pins:
        address = re.sub(r"^https://|\.git$", "", pin["location"])
        state = pin["state"]
        number = state.get("version", state["revision"])
        components.append({
            "type": "library", "name": pin["identity"], "version": number,
            "bom-ref": f"pkg:swift/{address}@{number}", "purl": f"pkg:swift/{address}@{number}",
            "externalReferences": [
                {"type": "vcs", "url": pin["location"], "comment": f"commit {state['revision']}"}],
            "properties": [{"name": "storekeeper:in", "value": "program"},
                           {"name": "storekeeper:commit", "value": state["revision"]}],
        })
    said = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
    match = re.search(r"Swift version (\S+)", said)
    components.append({
        "type": "framework", "name": "swift", "version": match[1] if match else "unknown", "bom-ref": "swift",
        "description": "The standard library, Concurrency, Foundation and ICU, linked in",
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "properties": [{"name": "storekeeper:in", "value": "program"}],
    })
    components += [debian(name, *installed(name), "program") for name in LIBRARIES]
    with open(packages, encoding="utf-8") as file:
        components += [debian(*line.split(), "image") for line in file]
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "component": {
                "type": "application", "name": "storekeeper", "version": version, "bom-ref": "storekeeper",
                "hashes": [{"alg": "SHA-256", "content": digest}],
                "properties": [{"name": "storekeeper:commit", "value": commit}],
            },
        },
        "components": components,
        "dependencies": [{"ref": "storekeeper", "dependsOn": [part["bom-ref"] for part in components]}],
    }, indent=1))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
