#!/usr/bin/env python3
"""Prints the cost of a load, from the server's counters before and after it, and the wait events of its sessions.

usage: tell.py FOLDER SECONDS
"""

import collections
import os
import pathlib
import sys


def counts(path):
    return {name: float(value) for name, _, value in (line.partition("|") for line in path.read_text().split("\n"))
            if value}


def main():
    folder, seconds = pathlib.Path(sys.argv[1]), float(sys.argv[2])
    before, after = counts(folder / "before"), counts(folder / "after")
    took = {name: after[name] - before[name] for name in after}
    answer = dict(line.split() for line in (folder / "answer").read_text().splitlines())
    renewals = int(answer["renewals"])
    tick = os.sysconf("SC_CLK_TCK")
    touched = took["pages_read"] + took["pages_hit"]
    print(f"  {int(answer['rate']):,} renewals a second; median {answer['median_ms']} ms, 99th of a hundred "
          f"{answer['p99_ms']} ms, longest {answer['longest_ms']} ms")
    print(f"  {renewals / max(took['commits'], 1):.0f} a transaction, {took['syncs'] / seconds:.0f} syncs a second; "
          f"log {took['wal_bytes'] / renewals:,.0f} bytes a renewal, "
          f"{took['page_images'] / renewals:.2f} page images; {took['checkpoints']:.0f} checkpoints")
    print(f"  pages a renewal: {touched / renewals:.1f} touched, {took['pages_read'] / renewals:.2f} not in the server's "
          f"cache ({100 * took['pages_hit'] / touched:.2f} % hits), {took['read_ms'] * 1000 / renewals:.0f} us of reading")
    print(f"  processor a renewal: server {took['server_ticks'] / tick * 1e6 / renewals:.0f} us, program "
          f"{answer['program_us']} us; the machine idle for {100 * took['idle_ticks'] / took['all_ticks']:.0f} %, this "
          f"load {100 * (took['server_ticks'] / tick + int(answer['program_us']) * renewals / 1e6) * tick / took['all_ticks']:.0f} %")
    waits = collections.Counter(line for line in (folder / "waits").read_text().splitlines() if line)
    total = sum(waits.values()) or 1
    print("  active sessions: " + ", ".join(f"{100 * n / total:.0f} % {name}" for name, n in waits.most_common(6)))


if __name__ == "__main__":
    main()
