#!/usr/bin/env python3
"""Shows that test_turns.py tells how long tests took, whatever their names hold."""

import json
import sys

sys.dont_write_bytecode = True
from test_turns import Turns  # noqa: E402


def event(kind, test, time):
    payload = {"kind": kind, "testID": test, "instant": {"absolute": time}}
    # As the runner writes them, which escapes no separator of lines but the line feed.
    return json.dumps({"kind": "event", "payload": payload}, ensure_ascii=False).encode() + b"\n"


def seconds(*events, end=b"", width=1):
    turns = Turns(width)
    turns.read_all(b"".join(events) + end)
    return dict(turns.seconds)


def main():
    one = (event("testStarted", "one", 1), event("testEnded", "one", 4))
    odd = "two\u2028lines\u0085or\x0bmore"
    two = (event("testStarted", odd, 4), event("testEnded", odd, 6))
    assert seconds() == {}
    assert seconds(*one) == {"one": 3}
    assert seconds(*one, *two) == {"one": 3, odd: 2}
    assert seconds(*one, end=b'{"kind":"ev') == {"one": 3}, "the half line of a runner that was killed"
    # Both are said to have begun at once, but only one goes on at a time.
    begun = (event("testStarted", "one", 1), event("testStarted", "two", 1))
    assert seconds(*begun, event("testEnded", "one", 3), event("testEnded", "two", 4)) == {"one": 2, "two": 1}


if __name__ == "__main__":
    main()
