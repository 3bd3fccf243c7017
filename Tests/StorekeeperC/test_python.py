#!/usr/bin/env python3
"""Tests of the Python module, and of what every function does with a handle that is not one.

usage: test_python.py CONFIGURATION HEADER, with STOREKEEPER_LIBRARY and PYTHONPATH set.
"""
import ctypes
import datetime
import gc
import json
import pathlib
import re
import select
import sys
import unittest

import storekeeper
from storekeeper import Backend, Error, Pool, Queue, Simulator, Status, Verifier

FOLDER, HEADER = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
JUNE = 1780315200000  # 2026-06-01T12:00:00Z
DAY = 86_400_000


def verifier():
    return Verifier((FOLDER / "evidence/root.pem").read_bytes(), "com.example.lanternvale")


def pool(**options):
    return Pool(verifier=verifier(), catalog_path=str(FOLDER / "Products.json"), **options)


def evidence(name):
    return (FOLDER / "evidence" / f"{name}.jsonl").read_bytes()


def items(queue, count):
    """Waits for so many items, at most ten seconds for each."""
    found = []
    while len(found) < count:
        ready, _, _ = select.select([queue], [], [], 10)
        assert ready, f"only {len(found)} of {count} items came"
        while (item := queue.next()) is not None:
            found.append(item)
    return found


class ModuleTests(unittest.TestCase):
    def test_questions(self):
        with pool() as shop:
            anna = shop.open("anna")
            report = anna.ingest(evidence("season-pass-and-remove-ads"), is_complete=True)
            self.assertEqual(report["failures"], [])
            self.assertTrue(anna.has_feature("season-arena", JUNE))
            self.assertTrue(anna.is_entitled("remove.ads", JUNE))
            self.assertFalse(anna.has_feature("pro", JUNE))
            self.assertEqual(anna.balance("gems"), 60)
            self.assertGreater(anna.next_change(JUNE), JUNE)
            self.assertEqual(anna.feature("season-arena", JUNE).reason, "active")
            self.assertEqual(anna.product("gold.monthly", JUNE).kind, "never")
            snapshot = anna.snapshot()
            rows = {row["id"]: row for row in snapshot.entitlements(JUNE)["products"]}
            self.assertEqual(rows["remove.ads"]["answer"], "entitled")
            self.assertIn("<svg", snapshot.timeline(JUNE))
            self.assertEqual(anna.explain_feature("season-arena", JUNE)["answer"], "entitled")
            with self.assertRaises(Error) as raised:
                anna.has_feature("seson-arena", JUNE)
            self.assertEqual((raised.exception.status, raised.exception.code), (Status.UNKNOWN, "unknownFeature"))
            self.assertIn("season-arena", raised.exception.message)
        with self.assertRaises(Error) as raised:
            anna.has_feature("pro")
        self.assertEqual(raised.exception.status, Status.CLOSED)
        self.assertTrue(snapshot.has_feature("season-arena", JUNE))
        anna.close()
        with self.assertRaises(Error) as raised:
            anna.has_feature("pro")
        self.assertEqual(raised.exception.status, Status.MISUSE)

    def test_answers_equal_those_of_the_program(self):
        """The JSON of each example is that which the command line is tested with."""
        for file in sorted((FOLDER / "evidence").glob("*.expected.json")):
            name = file.name.removesuffix(".expected.json")
            expected = json.loads(file.read_text())
            if expected["diagnostics"]:
                continue  # A snapshot has no diagnostics.
            with Pool(verifier=verifier(), catalog_path=str(FOLDER)) as shop, self.subTest(name):
                anna = shop.open("anna")
                anna.ingest(evidence(name), is_complete=True)
                command = (FOLDER / "evidence" / f"{name}.command").read_text()
                at = re.search(r"--at (\S+)", command)[1]
                instant = int(datetime.datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp() * 1000)
                found = anna.snapshot().entitlements(instant)
                for member in ("products", "features"):
                    self.assertEqual(found[member], expected[member])

    def test_ledger_and_queue(self):
        queue = Queue()
        with pool() as shop:
            shop.subscribe(queue, 5)
            shop.begin_open("anna", queue, 1)
            (opened,) = items(queue, 1)
            anna = opened.customer
            anna.ingest(evidence("coins-one-refunded"), is_complete=True)
            first = anna.spend(30, "coins", "lantern-42")
            again = anna.spend(30, "coins", "lantern-42")
            self.assertEqual((first.balance, again.balance, again.is_replayed), (670, 670, True))
            self.assertEqual(first.id, again.id)
            anna.begin_spend(99999, "coins", "lantern-43", queue, 2)
            refused = next(item for item in items(queue, 1) if item.kind == "result")
            self.assertEqual((refused.tag, refused.error.status, refused.error.code), (2, Status.REFUSED, "insufficient"))
            anna.grant_feature("pro", JUNE * 2, "a lost day", "ticket-1")
            event = items(queue, 1)[0]
            self.assertEqual((event.kind, event.tag, event.content["customer"]), ("event", 5, "anna"))
            anna.begin_ingest(b"this is not evidence", False, queue, 3)
            unverified = next(item for item in items(queue, 1) if item.kind == "result")
            self.assertEqual((unverified.error.status, unverified.error.code), (Status.UNVERIFIED, "malformed"))
            self.assertEqual(unverified.content["failures"][0]["code"], "malformed")
            self.assertEqual(shop.receive('{"signedPayload":"a.b.c"}'), 400)
            self.assertEqual(shop.audit()["faults"], [])

    def refused(self, code, call, *arguments, **options):
        with self.assertRaises(Error) as raised:
            call(*arguments, **options)
        self.assertEqual((raised.exception.status, raised.exception.code), (Status.INVALID, code))

    def test_numbers_are_not_cut(self):
        with pool() as shop:
            anna, queue = shop.open("anna"), Queue()
            anna.grant(5, "coins", "a gift", "gift-1")
            for number in (2**64 + 1, 2**63, -(2**63) - 1):
                self.refused("invalidRequest", anna.spend, number, "coins", "k")
                self.refused("invalidRequest", anna.grant, number, "coins", "a gift", "k")
                self.refused("invalidRequest", anna.begin_spend, number, "coins", "k", queue, 1)
                self.refused("invalidRequest", anna.begin_grant, number, "coins", "a gift", "k", queue, 1)
                self.refused("invalidRequest", anna.has_feature, "pro", number)
                self.refused("invalidRequest", anna.feature, "pro", number)
                self.refused("invalidRequest", anna.snapshot().entitlements, number)
                self.refused("invalidRequest", anna.grant_feature, "pro", number, "a test", "k")
                self.refused("invalidRequest", shop.subscribe, queue, 1, number)
            self.assertEqual(anna.balance("coins"), 5)

    def test_texts_are_not_cut(self):
        with pool() as shop:
            anna, queue = shop.open("anna"), Queue()
            self.refused("zeroByte", anna.grant, 1, "coins", "a\0b", "k")
            self.refused("zeroByte", anna.begin_grant, 1, "coins", "a\0b", "k", queue, 1)
            self.refused("zeroByte", anna.grant_feature, "pro", JUNE, "a\0b", "k")
            self.refused("zeroByte", anna.revoke_grant, "a\0b", "k")
            self.refused("zeroByte", shop.load_catalog, "a\0b", "{}")
        self.refused("zeroByte", pool, vault="/tmp/a\0b")
        self.refused("zeroByte", Pool, verifier=verifier(), catalog_path=f"{FOLDER}\0b")
        self.refused("zeroByte", Verifier, (FOLDER / "evidence/root.pem").read_bytes(), "com.example\0.other")
        self.refused("zeroByte", Simulator, "com.example.game", f"{FOLDER / 'Store.storekit'}\0b")
        # An empty path is not the same as none, which keeps all in memory.
        self.refused("noVault", pool, vault="")
        with self.assertRaises(Error):
            Pool(verifier=verifier(), catalog_path="")

    def test_simulator_and_backend(self):
        simulator = Simulator("com.example.lanternvale", catalog_path=str(FOLDER / "Store.storekit"))
        simulator.add_account("anna")
        bought = simulator.buy("anna", "gold.monthly")

        class Archive(Backend):
            fails = False

            def history(self, customer, cursor):
                if self.fails:
                    raise OSError("the archive is away")
                return {"items": simulator.evidence(customer).split()}

        archive = Archive()
        trust = Verifier(simulator.root, "com.example.lanternvale", environments=storekeeper.SANDBOX)
        with Pool(verifier=trust, catalog_path=str(FOLDER / "Products.json"), backend=archive) as shop:
            anna = shop.open("anna")
            self.assertEqual(anna.sync()["failures"], [])
            self.assertTrue(anna.has_feature("pro", simulator.now + DAY))
            simulator.advance(simulator.now + DAY)
            simulator.refund(bought)
            anna.sync()
            self.assertEqual(anna.feature("pro", simulator.now).reason, "refunded")
            archive.fails = True
            with self.assertRaises(Error) as raised:
                anna.sync()
            self.assertIn("the archive is away", raised.exception.message)
            gc.collect()

    def test_closing_in_the_own_backend(self):
        simulator = Simulator("com.example.lanternvale", catalog_path=str(FOLDER / "Store.storekit"))
        simulator.add_account("anna")
        trust = Verifier(simulator.root, "com.example.lanternvale", environments=storekeeper.SANDBOX)
        pools, codes = [], []

        class Closing(Backend):
            def history(self, customer, cursor):
                if pools:
                    try:
                        pools[0].close()
                    except Error as error:
                        codes.append(error.code)
                    pools.clear()
                    gc.collect()
                return {"items": simulator.evidence(customer).split()}

        shop = Pool(verifier=trust, catalog_path=str(FOLDER / "Products.json"), backend=Closing())
        anna = shop.open("anna")
        pools.append(shop)
        anna.sync()
        self.assertEqual(codes, ["ownBackend"])
        self.assertEqual(anna.sync()["failures"], [])  # The pool is still open, and asks its backend.
        shop.close()
        with self.assertRaises(Error) as raised:
            anna.sync()
        self.assertEqual(raised.exception.status, Status.CLOSED)
        # If its object is dropped there, the pool stays open, and the backend still answers.
        self.addCleanup(setattr, sys, "unraisablehook", sys.unraisablehook)
        sys.unraisablehook = lambda dropped: codes.append(dropped.exc_value.code)
        shop = Pool(verifier=trust, catalog_path=str(FOLDER / "Products.json"), backend=Closing())
        anna = shop.open("anna")
        pools.append(shop)
        del shop
        anna.sync()
        self.assertEqual(codes, ["ownBackend"] * 3)
        gc.collect()
        self.assertEqual(anna.sync()["failures"], [])


class HostileCallerTests(unittest.TestCase):
    """Calls each function of the header with values that are not handles of the right kind."""

    def declarations(self):
        text = re.sub(r"/\*.*?\*/", " ", HEADER.read_text(), flags=re.DOTALL)
        text = re.sub(r"^#.*$", "", re.sub(r"//[^\n]*", " ", text), flags=re.MULTILINE).replace("SK_NULLABLE", " ")
        text = re.sub(r"\bstruct sk_\w+ \{.*?\}|typedef struct.*?\}.*?;|enum \{.*?\}", " ", text, flags=re.DOTALL)
        for result, name, arguments in re.findall(r"(\w+) +(sk_\w+) *\(([^()]*)\)\s*;", text):
            types = [" ".join(argument.split()) for argument in arguments.split(",")]
            yield result, name, [] if types == ["void"] else types

    def argument(self, declaration, handle, kept):
        """Returns a value for a parameter: the handle for a handle, otherwise a value that would be right."""
        if re.match(r"sk_(verifier|pool|customer|snapshot|queue|simulator|reply) \*", declaration) and (
                declaration.count("*") == 1):
            return ctypes.c_void_p(handle)
        if declaration.startswith("const char *"):
            return ctypes.c_char_p(b"text")
        if "*" in declaration:
            memory = ctypes.create_string_buffer(512)
            ctypes.c_size_t.from_buffer(memory).value = 256
            kept.append(memory)
            return ctypes.byref(memory)
        if "bool" in declaration:
            return ctypes.c_bool(True)
        if "size_t" in declaration:
            return ctypes.c_size_t(4)
        return ctypes.c_int64(JUNE) if "64" in declaration or "instant" in declaration else ctypes.c_int(0)

    def test_every_function(self):
        library = ctypes.CDLL(storekeeper._library._name)
        library.sk_error_message.restype = ctypes.c_char_p
        queue, checked = Queue(), 0
        with pool() as shop:
            anna = shop.open("anna")
            freed = Queue()
            number = freed._handle
            freed.close()
            handles = {"sk_queue": queue._handle, "sk_pool": shop._handle, "sk_customer": anna._handle}
            for result, name, parameters in self.declarations():
                kinds = [re.match(r"(sk_\w+) \*", parameter) for parameter in parameters]
                first = next((kind[1] for kind in kinds if kind), None)
                if result != "sk_status" or not parameters or not re.match(
                        r"sk_(verifier|pool|customer|snapshot|queue|simulator|reply) \*", parameters[0]):
                    continue
                if parameters[0].count("*") != 1:
                    continue
                wrong = next(handle for kind, handle in handles.items() if kind != first)
                for handle in (None, 1, 4096, number, wrong, id(self), 2**64 - 1, queue._handle ^ (1 << 45)):
                    if name == "sk_pool_close" and handle is None:
                        continue  # Allowed.
                    kept = []
                    values = [self.argument(parameter, handle, kept) for parameter in parameters]
                    function = getattr(library, name)
                    function.restype = ctypes.c_int
                    self.assertEqual(function(*values), Status.MISUSE, f"{name}({handle})")
                    self.assertTrue(library.sk_error_message())
                    checked += 1
            for kind in ("verifier", "customer", "snapshot", "queue", "simulator"):
                for handle in (None, 1, number, handles["sk_pool"], id(self)):
                    getattr(library, f"sk_{kind}_free")(ctypes.c_void_p(handle))
            # Nothing was freed by this, and nothing has changed.
            self.assertEqual(anna.balance("coins"), 0)
            self.assertIsNone(queue.next())
        self.assertGreater(checked, 300)

    def test_null_for_every_pointer(self):
        library = ctypes.CDLL(storekeeper._library._name)
        for result, name, parameters in self.declarations():
            if result == "sk_status" and parameters and not name == "sk_pool_close" and any("*" in p for p in parameters):
                values = [
                    ctypes.c_void_p(None) if "*" in parameter else self.argument(parameter, None, [])
                    for parameter in parameters]
                function = getattr(library, name)
                function.restype = ctypes.c_int
                self.assertEqual(function(*values), Status.MISUSE, name)


if __name__ == "__main__":
    unittest.main(verbosity=1)
