#!/usr/bin/env python3
"""Makes an object file with the part of ICU's data that a program without texts in other languages needs.

usage: icu-data.py ARCHIVE OBJECT

ARCHIVE is Swift's lib_FoundationICU.a. Foundation needs its data of Unicode and of time zones, but 30 of its 34 MB are
conversions of old encodings, sort orders, and names in all languages. Storekeeper formats texts with its own table.
Prints the symbol of the data; with `--wrap SYMBOL` the linker takes it from OBJECT.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

archive, target = sys.argv[1:]


def is_needed(name):
    """Whether an item stays: what belongs to no language, and English, which ICU falls back to."""
    *folders, file = name.split("/")[1:]
    stem, _, kind = file.rpartition(".")
    if kind in ("cnv", "spp", "cfu", "dict") or folders == ["translit"]:
        return False
    is_language = kind == "res" and (folders or len(stem) <= 3 or "_" in stem)
    return not is_language or stem in ("root", "en", "res_index", "pool", "supplementaldata", "tzdbnames")


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    member = next(name for name in subprocess.check_output(["ar", "t", archive], text=True).split()
                  if name.startswith("icu_packaged_data"))
    (work / "member.o").write_bytes(subprocess.check_output(["ar", "p", archive, member]))
    symbols = subprocess.check_output(["nm", "--defined-only", work / "member.o"], text=True)
    symbol = re.search(r" R (icudt\d+_dat)", symbols)[1]
    subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata", work / "member.o", work / "all"], check=True)
    data = (work / "all").read_bytes()

    # A header, the number of items, their places relative to that number, their names, and their contents.
    (start,) = struct.unpack_from("<H", data)
    assert data[2:4] == b"\xda\x27" and data[12:16] == b"CmnD", "this is not a package of ICU's data"
    (count,) = struct.unpack_from("<I", data, start)
    places = [struct.unpack_from("<II", data, start + 4 + 8 * index) for index in range(count)]
    ends = [place for _, place in places[1:]] + [len(data) - start]
    items = []
    for (name, place), end in zip(places, ends):
        text = data[start + name:data.index(b"\0", start + name)]
        if is_needed(text.decode()):
            items.append((text, data[start + place:start + end]))

    names = b"".join(name + b"\0" for name, _ in items)
    first = 4 + 8 * len(items)
    body = bytearray(first) + names
    struct.pack_into("<I", body, 0, len(items))
    place = first
    for index, (name, content) in enumerate(items):
        body += bytes(-(start + len(body)) % 16)
        struct.pack_into("<II", body, 4 + 8 * index, place, len(body))
        place += len(name) + 1
        body += content
    (work / "data").write_bytes(data[:start] + body)
    (work / "data.s").write_text(
        f'.section .rodata, "a"\n.balign 16\n.globl __wrap_{symbol}\n.type __wrap_{symbol}, @object\n'
        f'__wrap_{symbol}: .incbin "{work / "data"}"\n.size __wrap_{symbol}, . - __wrap_{symbol}\n'
        '.section .note.GNU-stack, "", @progbits\n')
    subprocess.run(["as", "-o", target, work / "data.s"], check=True)
print(symbol)
