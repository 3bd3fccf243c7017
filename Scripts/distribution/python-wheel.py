#!/usr/bin/env python3
"""Makes the wheel of the Python module, with the library for other languages inside.

usage: python-wheel.py LIBRARY VERSION FOLDER

LIBRARY is the shared library that Scripts/c-library.sh has built.
"""
import base64
import hashlib
import os
import pathlib
import platform
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main(library, version, folder):
    # The library runs with the libc that it was built with, or a newer one.
    libc = platform.libc_ver()[1].replace(".", "_")
    tag = f"py3-none-manylinux_{libc}_{platform.machine()}"
    information = f"storekeeper-{version}.dist-info"
    files = {
        "storekeeper/__init__.py": (ROOT / "Bindings/python/storekeeper/__init__.py").read_bytes(),
        "storekeeper/libstorekeeper.so.0": pathlib.Path(library).read_bytes(),
        f"{information}/METADATA": (
            f"Metadata-Version: 2.1\nName: storekeeper\nVersion: {version}\nRequires-Python: >=3.9\n"
            "Summary: What an App Store customer owns right now, and why\n").encode(),
        f"{information}/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: storekeeper\nRoot-Is-Purelib: false\nTag: {tag}\n").encode(),
    }
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{information}/RECORD"] = (record + f"{information}/RECORD,,\n").encode()
    wheel = pathlib.Path(folder) / f"storekeeper-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            # The same time for all, so that the same files make the same wheel.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(os.fspath(wheel))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
