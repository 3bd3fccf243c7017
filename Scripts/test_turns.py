"""How long each test took, when the runner tells only when it ended."""

import collections
import json


class Turns:
    """When it was each test's turn, by the events that the runner writes down, and how long it took.

    The runner says that all tests have begun and lets only `width` of them go on. It tells when a test with arguments
    goes on, and of others only when they end. Theirs is worked out: they go on in their order, as soon as there is room;
    one that ends before it seems to have gone on had the turn of the one that went on last.
    """

    def __init__(self, width):
        self.width = width
        self.seconds = collections.Counter()
        self.with_arguments = set()
        self.others_running = 0
        self.waiting = collections.deque()
        self.running = {}

    def read_all(self, stream):
        """Reads the bytes of a stream of events, a line each.

        Only a line feed ends a line: names of tests hold the other separators of lines as they are. A runner that was
        killed leaves half a line at the end.
        """
        *lines, _ = stream.split(b"\n")
        for line in lines:
            self.read(json.loads(line))

    def read(self, record):
        payload = record["payload"]
        if record["kind"] == "test":
            if payload.get("kind") != "function" or payload.get("isParameterized"):
                self.with_arguments.add(payload["id"])
            return
        kind, test, time = payload["kind"], payload.get("testID"), payload["instant"]["absolute"]
        if kind == "testCaseStarted":
            self.others_running += 1
            self.seconds[test] -= time
        elif kind == "testCaseEnded":
            self.others_running -= 1
            self.seconds[test] += time
        elif test not in self.with_arguments and kind == "testStarted":
            self.waiting.append(test)
        elif test not in self.with_arguments and kind == "testEnded":
            self.end(test, time)
        while self.waiting and len(self.running) + self.others_running < self.width:
            self.running[self.waiting.popleft()] = time

    def end(self, test, time):
        if test not in self.running:
            self.waiting.remove(test)
            last = max(self.running, key=self.running.get, default=None)
            if last:
                self.waiting.appendleft(last)
            self.running[test] = self.running.pop(last, time)
        self.seconds[test] = time - self.running.pop(test)
