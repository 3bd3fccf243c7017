#!/usr/bin/env bash
# Prints the size of the library for other languages, as a release has it, and the time in which a process loads it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

Scripts/c-library.sh >&2
python3 - "$(realpath .build/c-library/lib/libstorekeeper.so)" <<'END'
import gzip, pathlib, statistics, subprocess, sys

library = pathlib.Path(sys.argv[1])
load = "import ctypes, time; t = time.perf_counter(); ctypes.CDLL(%r); print(time.perf_counter() - t)" % str(library)
# Each in a process of its own, because a library is loaded once; the first reads it from the disk.
times = [float(subprocess.check_output([sys.executable, "-c", load])) * 1e3 for _ in range(21)][1:]
size = library.stat().st_size
print(f"""
The library for other languages, {library.name}
  {size / 1e6:.1f} MB, {len(gzip.compress(library.read_bytes(), 6)) / 1e6:.1f} MB compressed
  loaded in {statistics.median(times):.1f} ms, {min(times):.1f} … {max(times):.1f} (20 processes)""")
END
