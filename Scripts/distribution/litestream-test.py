#!/usr/bin/env python3
"""Tests that a vault fulfils what Litestream requires of a database (https://litestream.io/tips/).

usage: litestream-test.py PROGRAM

Litestream itself is not needed: a connection that holds a read transaction, as Litestream does, takes its place.

- The vault is in WAL mode, also after it was written and closed.
- Writers wait for short write locks of another process, as Litestream's checkpoints take them, instead of failing.
- While Litestream reads, no one restarts or truncates the log, so no frame is lost before it is copied.
- A copy of the database and the log, as Litestream restores them, is a sound vault.
"""

import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

WRITES = 30


def main(program):
    program = str(pathlib.Path(program).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        vault, log = folder / "vault.sqlite", folder / "vault.sqlite-wal"

        def run(*words):
            done = subprocess.run([program, "vault", *words, "--vault", str(vault)], cwd=folder,
                                  capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"litestream-test: {' '.join(words)}: {done.stderr}")
            return done.stdout

        def grant(number):
            run("grant", "--customer", f"c{number}", "coins", "5", "--key", f"k{number}", "--reason", "test")

        run("init")
        grant(0)
        reader = sqlite3.connect(vault, isolation_level=None)
        mode = reader.execute("PRAGMA journal_mode").fetchone()[0]
        assert mode == "wal", f"the journal mode is {mode}"

        # Litestream keeps a read transaction open from one of its own checkpoints to the next.
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
        grant(1)
        header, sizes = log.read_bytes()[:32], [log.stat().st_size]
        for number in range(2, WRITES):
            grant(number)
            sizes.append(log.stat().st_size)
            assert log.read_bytes()[:32] == header, "the log was restarted while a reader held it"
        assert sizes == sorted(sizes), "the log was truncated while a reader held it"

        # The copy that Litestream makes of both, before its checkpoint.
        copy = folder / "copy"
        copy.mkdir()
        shutil.copy(vault, copy / "vault.sqlite")
        shutil.copy(log, copy / "vault.sqlite-wal")
        reader.execute("ROLLBACK")

        locker = sqlite3.connect(vault, isolation_level=None)
        locker.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        waiting = threading.Thread(target=grant, args=(WRITES,))
        waiting.start()
        time.sleep(2)
        assert waiting.is_alive(), "a writer did not wait for a write lock"
        locker.execute("ROLLBACK")
        waiting.join()
        assert time.monotonic() - start >= 2
        # The writer that waited has written.
        assert '"balance":5' in run("balance", "--customer", f"c{WRITES}", "coins", "--format", "json").replace(" ", "")

        vault = copy / "vault.sqlite"
        assert '"balance":5' in run(
            "balance", "--customer", f"c{WRITES - 1}", "coins", "--format", "json").replace(" ", "")
        reader.close()
        locker.close()
    print(f"litestream-test: WAL mode, no restart of the log over {WRITES} writes, writers wait, the copy is sound")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
