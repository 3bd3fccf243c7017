#!/usr/bin/env python3
"""Compares two folders of artefacts, and prints which bytes differ, in which part, and why if that can be seen.

usage: compare.py FOLDER OTHER

Archives that differ are compared file by file, and programs section by section. The exit status is 3 if they differ, so
that a difference is not mistaken for a failure of the comparison.
"""

import gzip
import io
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zlib

SHOWN = 5


def parts_of_image(files):
    """The blobs of an image by what they are: their names are digests, so that different ones have different names."""
    def path(descriptor):
        return "blobs/" + descriptor["digest"].replace(":", "/")

    if "index.json" not in files:
        return {}
    manifest = path(json.loads(files["index.json"])["manifests"][0])
    described = json.loads(files[manifest])
    layers = {path(layer): f"layer {number}.tar.gz" for number, layer in enumerate(described["layers"], 1)}
    return {manifest: "the manifest", path(described["config"]): "the configuration", **layers}


def members(name, data):
    """The files in an archive by name, with what else belongs to them; `None` if it is no archive."""
    if name.endswith((".tar.gz", ".tar", ".xz", ".gz")) or ".tar" in name:
        for opened in (lambda: gzip.decompress(data), lambda: lzma.decompress(data), lambda: data):
            try:
                with tarfile.open(fileobj=io.BytesIO(opened())) as archive:
                    files = [(entry, archive.extractfile(entry).read() if entry.isreg() else b"") for entry in archive]
                parts = parts_of_image({entry.name: content for entry, content in files})
                return {
                    f"{parts.get(entry.name, entry.name)} "
                    f"({entry.mode:o} {entry.uid}:{entry.gid} {entry.mtime} {entry.linkname})": content
                    for entry, content in files}
            except (OSError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError):
                continue
    if name.endswith(".gz"):
        try:
            return {"unpacked": gzip.decompress(data)}
        except (OSError, EOFError, zlib.error):
            return None
    if name.endswith(".deb"):
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            names = subprocess.run(["ar", "t", file.name], check=True, capture_output=True, text=True).stdout.split()
            return {part: subprocess.run(["ar", "p", file.name, part], check=True, capture_output=True).stdout
                    for part in names}
    return None


def sections(data):
    """The sections of a program by name: (start, end)."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        text = subprocess.run(["readelf", "-SW", file.name], capture_output=True, text=True).stdout
    return {match[1]: (int(match[2], 16), int(match[2], 16) + int(match[3], 16)) for match in re.finditer(
        r"\[\s*\d+\] (\S+)\s+(?!NOBITS)\S+\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", text)}


def reason(text):
    if b"/" in text and re.search(rb"/(tmp|home|work|mnt|root|source)", text):
        return "the path of a folder"
    if re.search(rb"20\d\d-\d\d-\d\d|\d\d:\d\d:\d\d", text):
        return "a time"
    return None


def explain(name, one, other):
    print(f"{name}: {len(one)} and {len(other)} bytes")
    places = [index for index in range(min(len(one), len(other))) if one[index] != other[index]] \
        if len(one) == len(other) else []
    if places:
        print(f"  {len(places)} bytes differ, from {places[0]:#x} to {places[-1]:#x}")
    if one[:4] == b"\x7fELF":
        # By name, because the places of all later sections differ if the length of one does.
        sides = sections(one), sections(other)
        for section in sides[0] | sides[1]:
            left, right = (data[slice(*side.get(section, (0, 0)))] for data, side in zip((one, other), sides))
            if left != right:
                differing = sum(a != b for a, b in zip(left, right))
                print(f"  section {section}: {len(left)} and {len(right)} bytes, {differing} of the common length differ")
    first = places[0] if places else next(
        (index for index in range(min(len(one), len(other))) if one[index] != other[index]), min(len(one), len(other)))
    for place in ([first] + [place for place in places if place > first + 64])[:SHOWN]:
        left, right = one[max(0, place - 32):place + 32], other[max(0, place - 32):place + 32]
        why = reason(left) or reason(right)
        print(f"  at {place:#x}: {left!r}\n  {' ' * len(f'at {place:#x}')}: {right!r}" + (f" ({why})" if why else ""))


def compare(name, one, other):
    if one == other:
        return True
    parts, others = members(name, one), members(name, other)
    if parts is None or others is None or parts.keys() | others.keys() == set():
        explain(name, one, other)
        return False
    for part in sorted(parts.keys() ^ others.keys()):
        print(f"{name}: {part}: only in {'the first' if part in parts else 'the second'}")
    same = [compare(f"{name}: {part.split(' (')[0]}", parts[part], others[part])
            for part in sorted(parts.keys() & others.keys())]
    if all(same) and parts.keys() == others.keys():
        print(f"{name}: the files are the same, but packed or compressed differently")
    return False


def main(first, second):
    folders = [{path.name: path for path in pathlib.Path(folder).iterdir()} for folder in (first, second)]
    names = sorted(folders[0].keys() | folders[1].keys())
    equal = bool(names)
    for name in names:
        if name not in folders[0] or name not in folders[1]:
            print(f"{name}: only in {first if name in folders[0] else second}")
            equal = False
        elif compare(name, folders[0][name].read_bytes(), folders[1][name].read_bytes()):
            print(f"{name}: the same bytes")
        else:
            equal = False
    return 0 if equal else 3


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
