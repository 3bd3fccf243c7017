"""libstorekeeper for Python: what an App Store customer owns right now, and why.

The module adds three things to storekeeper.h, which remains the documentation: objects free themselves, results of JSON
are Python objects, and a call that fails raises Error. It needs Python 3.9 and no other package. The library is found
beside this file (in a wheel), or as libstorekeeper.so.0 where the system looks for libraries; the environment variable
STOREKEEPER_LIBRARY names another file.

    with Pool("players.sqlite", verifier=Verifier(root, "com.example.game"), catalog_path="Store.storekit") as pool:
        anna = pool.open("anna")
        if anna.has_feature("pro"): ...

Calls release the interpreter's lock while they wait. A Queue has a fileno(), for selectors and asyncio's add_reader.
"""
import ctypes
import enum
import json
import os
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Union

NOW = -(2**63)
FOREVER = 2**63 - 1
PRODUCTION, SANDBOX, XCODE, LOCAL_TESTING = 1, 2, 4, 8


class Status(enum.IntEnum):
    """The statuses of storekeeper.h."""

    OK = 0
    MISUSE = 1
    INVALID = 2
    UNKNOWN = 3
    REFUSED = 4
    UNVERIFIED = 5
    EMPTY = 6
    BUSY = 7
    IO = 8
    DOUBT = 9
    CORRUPT = 10
    CLOSED = 11
    TIMEOUT = 12
    CANCELLED = 13
    FORKED = 14
    INTERNAL = 15

    @classmethod
    def _missing_(cls, value):
        return cls.INTERNAL


class Error(Exception):
    """A call has failed: its status, and the code and the message of the Swift library."""

    def __init__(self, status: int, code: str, message: str):
        super().__init__(f"{code}: {message}")
        self.status, self.code, self.message = Status(status), code, message


# The structs and functions of the header.


class _Text(ctypes.Structure):
    _fields_ = [("bytes", c_void_p), ("length", c_size_t)]


class _VerifierOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("root", c_char_p), ("root_length", c_size_t), ("bundle_id", c_char_p),
        ("app_apple_id", c_int64), ("environments", c_uint)]


class _AppStore(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("key_id", c_char_p), ("issuer_id", c_char_p), ("key", c_char_p), ("environments", c_uint)]


_History = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_char_p, c_char_p)
_Statuses = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_char_p)
_Release = ctypes.CFUNCTYPE(None, c_void_p)


class _Backend(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("name", c_char_p), ("context", c_void_p), ("history", _History), ("statuses", _Statuses),
        ("release", _Release)]


class _PoolOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("vault", c_char_p), ("verifier", c_void_p), ("catalog_path", c_char_p),
        ("catalog", c_char_p), ("catalog_length", c_size_t), ("app_store", POINTER(_AppStore)),
        ("backend", POINTER(_Backend)), ("simulator", c_void_p), ("capacity", c_size_t), ("refresh_interval", c_int64)]


class _Answer(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("reason", c_char_p), ("until", c_int64)]


class _Receipt(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("balance", c_int64), ("is_replayed", c_bool), ("id", ctypes.c_char * 32)]


class _Item(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("kind", c_int), ("status", c_int), ("tag", c_uint64), ("place", c_int64),
        ("customer", c_void_p), ("json", _Text)]


class _SimulatorOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("bundle_id", c_char_p), ("catalog_path", c_char_p), ("catalog", c_char_p),
        ("catalog_length", c_size_t), ("start", c_int64), ("seed", c_uint64)]


def _load() -> ctypes.CDLL:
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libstorekeeper.so.0")
    path = os.environ.get("STOREKEEPER_LIBRARY") or (beside if os.path.exists(beside) else "libstorekeeper.so.0")
    library = ctypes.CDLL(path)
    handle, text, text_result, out = c_void_p, (c_char_p, c_size_t), POINTER(_Text), POINTER(c_void_p)
    queue = (c_void_p, c_uint64)
    for name, arguments in {
        "sk_verifier_new": (POINTER(_VerifierOptions), out),
        "sk_verify": (handle, *text, text_result),
        "sk_pool_open": (POINTER(_PoolOptions), out),
        "sk_pool_close": (handle,),
        "sk_pool_load_catalog": (handle, c_char_p, *text),
        "sk_pool_receive": (handle, *text, POINTER(c_int)),
        "sk_pool_audit": (handle, text_result),
        "sk_pool_subscribe": (handle, *queue, c_int64),
        "sk_pool_report": (handle, *queue),
        "sk_customer_open": (handle, *text, out),
        "sk_has_feature": (handle, *text, c_int64, POINTER(c_bool)),
        "sk_is_entitled": (handle, *text, c_int64, POINTER(c_bool)),
        "sk_balance": (handle, *text, POINTER(c_int64)),
        "sk_next_change": (handle, c_int64, POINTER(c_int64)),
        "sk_feature_answer": (handle, *text, c_int64, POINTER(_Answer)),
        "sk_product_answer": (handle, *text, c_int64, POINTER(_Answer)),
        "sk_customer_snapshot": (handle, out),
        "sk_snapshot_has_feature": (handle, *text, c_int64, POINTER(c_bool)),
        "sk_snapshot_is_entitled": (handle, *text, c_int64, POINTER(c_bool)),
        "sk_snapshot_balance": (handle, *text, POINTER(c_int64)),
        "sk_snapshot_next_change": (handle, c_int64, POINTER(c_int64)),
        "sk_snapshot_entitlements": (handle, c_int64, text_result),
        "sk_snapshot_timeline": (handle, c_int64, text_result),
        "sk_customer_ingest": (handle, *text, c_bool, text_result),
        "sk_customer_sync": (handle, text_result),
        "sk_customer_spend": (handle, *text, c_int64, *text, POINTER(_Receipt)),
        "sk_customer_grant": (handle, *text, c_int64, c_char_p, *text, POINTER(_Receipt)),
        "sk_customer_grant_feature": (handle, *text, c_int64, c_char_p, *text),
        "sk_customer_revoke_grant": (handle, c_char_p, *text),
        "sk_customer_explain_feature": (handle, *text, c_int64, text_result),
        "sk_customer_explain_product": (handle, *text, c_int64, text_result),
        "sk_queue_new": (out,),
        "sk_queue_fd": (handle, POINTER(c_int)),
        "sk_queue_next": (handle, POINTER(_Item)),
        "sk_begin_open": (handle, *text, *queue),
        "sk_begin_receive": (handle, *text, *queue),
        "sk_begin_ingest": (handle, *text, c_bool, *queue),
        "sk_begin_sync": (handle, *queue),
        "sk_begin_spend": (handle, *text, c_int64, *text, *queue),
        "sk_begin_grant": (handle, *text, c_int64, c_char_p, *text, *queue),
        "sk_reply_send": (handle, c_int, *text),
        "sk_simulator_new": (POINTER(_SimulatorOptions), out),
        "sk_simulator_root": (handle, text_result),
        "sk_simulator_now": (handle, POINTER(c_int64)),
        "sk_simulator_advance": (handle, c_int64),
        "sk_simulator_add_account": (handle, *text),
        "sk_simulator_buy": (handle, *text, *text, text_result),
        "sk_simulator_refund": (handle, *text),
        "sk_simulator_set_auto_renew": (handle, *text, c_bool),
        "sk_simulator_evidence": (handle, *text, text_result),
        "sk_simulator_notifications": (handle, c_size_t, text_result),
        "sk_version_number": (),
    }.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, c_int
    for kind in ("verifier", "customer", "snapshot", "queue", "simulator"):
        function = getattr(library, f"sk_{kind}_free")
        function.argtypes, function.restype = (handle,), None
    library.sk_text_free.argtypes, library.sk_text_free.restype = (c_void_p,), None
    for name in ("sk_error_code", "sk_error_message", "sk_version"):
        getattr(library, name).argtypes, getattr(library, name).restype = (), c_char_p
    return library


_library = _load()
version: str = _library.sk_version().decode()


def _failure(status: int) -> Error:
    return Error(status, _library.sk_error_code().decode(), _library.sk_error_message().decode())


def _check(status: int) -> None:
    if status != 0:
        raise _failure(status)


def _bytes(text: Union[str, bytes]) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _terminated(text: str) -> bytes:
    """Returns a text that C reads up to a zero byte."""
    if "\0" in text:
        raise Error(Status.INVALID, "zeroByte", "the text has a zero byte inside")
    return text.encode()


def _number(value: int) -> int:
    """Returns a number of 64 bits; ctypes would drop the other bits."""
    if not -(2**63) <= value < 2**63:
        raise Error(Status.INVALID, "invalidRequest", f"{value} does not fit in 64 bits")
    return value


def _text(text: Union[str, bytes]):
    """Returns the two arguments of a text."""
    data = _bytes(text)
    return data, len(data)


def _take(text: _Text) -> bytes:
    try:
        return ctypes.string_at(text.bytes, text.length) if text.bytes else b""
    finally:
        _library.sk_text_free(text.bytes)


def _text_of(function, *arguments) -> bytes:
    text = _Text()
    status = function(*arguments, byref(text))
    if status != 0:
        failure = _failure(status)
        _library.sk_text_free(text.bytes)
        raise failure
    return _take(text)


def _value(kind, function, *arguments):
    value = kind()
    _check(function(*arguments, byref(value)))
    return value.value


class _Handle:
    """Owns a handle of the library."""

    _free: Callable[[Any], None]

    def __init__(self, handle):
        self._handle = handle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def close(self) -> None:
        """Frees the handle; later calls raise Error."""
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            self._free(handle)


@dataclass(frozen=True)
class Answer:
    """An answer with its reason; `until` is in milliseconds since 1970, or FOREVER."""

    kind: str
    reason: str
    until: int

    @property
    def is_entitled(self) -> bool:
        return self.kind == "entitled"


@dataclass(frozen=True)
class Receipt:
    balance: int
    is_replayed: bool
    id: str


@dataclass(frozen=True)
class Item:
    """What a queue brings: kind is "result", "event" or "report"; `error` is set if the status is not OK."""

    kind: str
    tag: int
    place: int
    content: Any
    customer: Optional["Customer"]
    error: Optional[Error]


class Verifier(_Handle):
    _free = _library.sk_verifier_free

    def __init__(self, root: bytes, bundle_id: str, environments: int = 0, app_apple_id: int = 0):
        options = _VerifierOptions(
            ctypes.sizeof(_VerifierOptions), root, len(root), _terminated(bundle_id), _number(app_apple_id),
            environments)
        super().__init__(_value(c_void_p, _library.sk_verifier_new, byref(options)))

    def verify(self, jws: Union[str, bytes]) -> Any:
        """Returns the signed payload; raises Error with UNVERIFIED and the reason."""
        return json.loads(_text_of(_library.sk_verify, self._handle, *_text(jws)))


class Snapshot(_Handle):
    _free = _library.sk_snapshot_free

    def has_feature(self, feature: str, at: int = NOW) -> bool:
        return _value(c_bool, _library.sk_snapshot_has_feature, self._handle, *_text(feature), _number(at))

    def is_entitled(self, product: str, at: int = NOW) -> bool:
        return _value(c_bool, _library.sk_snapshot_is_entitled, self._handle, *_text(product), _number(at))

    def balance(self, name: str) -> int:
        return _value(c_int64, _library.sk_snapshot_balance, self._handle, *_text(name))

    def next_change(self, at: int = NOW) -> int:
        return _value(c_int64, _library.sk_snapshot_next_change, self._handle, _number(at))

    def entitlements(self, at: int = NOW) -> Any:
        return json.loads(_text_of(_library.sk_snapshot_entitlements, self._handle, _number(at)))

    def timeline(self, at: int = NOW) -> str:
        """Returns a picture as SVG."""
        return _text_of(_library.sk_snapshot_timeline, self._handle, _number(at)).decode()


class Customer(_Handle):
    _free = _library.sk_customer_free

    def has_feature(self, feature: str, at: int = NOW) -> bool:
        return _value(c_bool, _library.sk_has_feature, self._handle, *_text(feature), _number(at))

    def is_entitled(self, product: str, at: int = NOW) -> bool:
        return _value(c_bool, _library.sk_is_entitled, self._handle, *_text(product), _number(at))

    def balance(self, name: str) -> int:
        return _value(c_int64, _library.sk_balance, self._handle, *_text(name))

    def next_change(self, at: int = NOW) -> int:
        return _value(c_int64, _library.sk_next_change, self._handle, _number(at))

    def feature(self, feature: str, at: int = NOW) -> Answer:
        return self._answer(_library.sk_feature_answer, feature, at)

    def product(self, product: str, at: int = NOW) -> Answer:
        return self._answer(_library.sk_product_answer, product, at)

    def _answer(self, function, name: str, at: int) -> Answer:
        answer = _Answer(ctypes.sizeof(_Answer))
        _check(function(self._handle, *_text(name), _number(at), byref(answer)))
        kinds = ("unknown", "never", "lapsed", "pending", "entitled")
        return Answer(kinds[answer.kind], (answer.reason or b"").decode(), answer.until)

    def snapshot(self) -> Snapshot:
        return Snapshot(_value(c_void_p, _library.sk_customer_snapshot, self._handle))

    def ingest(self, evidence: Union[str, bytes], is_complete: bool = False) -> Any:
        """Returns the report, whose "failures" lists the evidence that was not verified and therefore not stored."""
        text = _Text()
        status = _library.sk_customer_ingest(self._handle, *_text(evidence), is_complete, byref(text))
        if not text.bytes:
            raise _failure(status)
        return json.loads(_take(text))

    def sync(self) -> Any:
        return json.loads(_text_of(_library.sk_customer_sync, self._handle))

    def spend(self, units: int, balance: str, key: str) -> Receipt:
        return self._move(_library.sk_customer_spend, *_text(balance), _number(units), *_text(key))

    def grant(self, units: int, balance: str, reason: str, key: str) -> Receipt:
        return self._move(
            _library.sk_customer_grant, *_text(balance), _number(units), _terminated(reason), *_text(key))

    def _move(self, function, *arguments) -> Receipt:
        receipt = _Receipt(ctypes.sizeof(_Receipt))
        _check(function(self._handle, *arguments, byref(receipt)))
        return Receipt(receipt.balance, receipt.is_replayed, receipt.id.decode())

    def grant_feature(self, feature: str, until: int, reason: str, key: str) -> None:
        _check(_library.sk_customer_grant_feature(
            self._handle, *_text(feature), _number(until), _terminated(reason), *_text(key)))

    def revoke_grant(self, reason: str, key: str) -> None:
        _check(_library.sk_customer_revoke_grant(self._handle, _terminated(reason), *_text(key)))

    def explain_feature(self, feature: str, at: int = NOW) -> Any:
        return json.loads(_text_of(_library.sk_customer_explain_feature, self._handle, *_text(feature), _number(at)))

    def explain_product(self, product: str, at: int = NOW) -> Any:
        return json.loads(_text_of(_library.sk_customer_explain_product, self._handle, *_text(product), _number(at)))

    def begin_ingest(self, evidence: Union[str, bytes], is_complete: bool, queue: "Queue", tag: int) -> None:
        _check(_library.sk_begin_ingest(self._handle, *_text(evidence), is_complete, queue._handle, tag))

    def begin_sync(self, queue: "Queue", tag: int) -> None:
        _check(_library.sk_begin_sync(self._handle, queue._handle, tag))

    def begin_spend(self, units: int, balance: str, key: str, queue: "Queue", tag: int) -> None:
        _check(_library.sk_begin_spend(
            self._handle, *_text(balance), _number(units), *_text(key), queue._handle, tag))

    def begin_grant(self, units: int, balance: str, reason: str, key: str, queue: "Queue", tag: int) -> None:
        _check(_library.sk_begin_grant(
            self._handle, *_text(balance), _number(units), _terminated(reason), *_text(key), queue._handle, tag))


class Queue(_Handle):
    _free = _library.sk_queue_free

    def __init__(self):
        super().__init__(_value(c_void_p, _library.sk_queue_new))

    def fileno(self) -> int:
        return _value(c_int, _library.sk_queue_fd, self._handle)

    def next(self) -> Optional[Item]:
        """Takes the next item; None if there is none now."""
        item = _Item(ctypes.sizeof(_Item))
        status = _library.sk_queue_next(self._handle, byref(item))
        if status == Status.EMPTY:
            return None
        _check(status)
        customer = Customer(item.customer) if item.customer else None
        content = json.loads(_take(item.json))
        error = None
        if item.status != 0:
            error = Error(item.status, content.get("code", ""), content.get("message", ""))
        kind = {1: "result", 2: "event", 3: "report"}.get(item.kind, "")
        return Item(kind, item.tag, item.place, content, customer, error)


class Simulator(_Handle):
    _free = _library.sk_simulator_free

    def __init__(self, bundle_id: str, catalog_path: Optional[str] = None, catalog: Optional[bytes] = None,
                 start: int = 0, seed: int = 0):
        options = _SimulatorOptions(
            ctypes.sizeof(_SimulatorOptions), _terminated(bundle_id),
            None if catalog_path is None else _terminated(catalog_path), catalog, len(catalog or b""), _number(start),
            seed)
        super().__init__(_value(c_void_p, _library.sk_simulator_new, byref(options)))

    @property
    def root(self) -> bytes:
        return _text_of(_library.sk_simulator_root, self._handle)

    @property
    def now(self) -> int:
        return _value(c_int64, _library.sk_simulator_now, self._handle)

    def advance(self, to: int) -> None:
        _check(_library.sk_simulator_advance(self._handle, _number(to)))

    def add_account(self, id: str) -> None:
        _check(_library.sk_simulator_add_account(self._handle, *_text(id)))

    def buy(self, id: str, product: str) -> str:
        """Returns the id of the transaction."""
        return _text_of(_library.sk_simulator_buy, self._handle, *_text(id), *_text(product)).decode()

    def refund(self, transaction: str) -> None:
        _check(_library.sk_simulator_refund(self._handle, *_text(transaction)))

    def set_auto_renew(self, transaction: str, is_on: bool) -> None:
        _check(_library.sk_simulator_set_auto_renew(self._handle, *_text(transaction), is_on))

    def evidence(self, id: str) -> str:
        return _text_of(_library.sk_simulator_evidence, self._handle, *_text(id)).decode()

    def notifications(self, skip: int = 0) -> List[str]:
        return _text_of(_library.sk_simulator_notifications, self._handle, skip).decode().splitlines()


@dataclass(frozen=True)
class AppStore:
    """Apple's App Store Server API, with a key of App Store Connect."""

    key_id: str
    issuer_id: str
    key: str
    environments: int = 0


class Backend:
    """A source of evidence of your own; its methods are called one at a time in threads of the library.

    An exception makes the pool ask again later.
    """

    name = "python"

    def history(self, customer: str, cursor: str) -> Any:
        """Returns {"items": [JWS, …], "next": CURSOR}, without "next" at the end."""
        raise NotImplementedError

    def statuses(self, customer: str) -> Any:
        """Returns [{"transaction": JWS, "renewalInfo": JWS}, …]."""
        return []


def _reply(reply, work: Callable[[], Any]) -> None:
    try:
        status, text = 0, json.dumps(work()).encode()
    except Exception as error:
        status, text = int(Status.IO), str(error).encode()
    # A reply that is too late is of no interest to anyone.
    _library.sk_reply_send(reply, status, text, len(text))


# The functions of pools that could not be closed, by their handles. The library still calls them, even if the object of
# the pool dies.
_kept: Dict[int, Any] = {}


class Pool(_Handle):
    def __init__(self, vault: Optional[str] = None, verifier: Optional[Verifier] = None,
                 catalog_path: Optional[str] = None, catalog: Optional[bytes] = None,
                 app_store: Optional[AppStore] = None, backend: Optional[Backend] = None,
                 simulator: Optional[Simulator] = None, capacity: int = 0, refresh_interval: int = 0):
        self._handle = None
        options = _PoolOptions(ctypes.sizeof(_PoolOptions))
        options.vault = None if vault is None else _terminated(vault)
        options.verifier = verifier._handle if verifier else None
        options.catalog_path = None if catalog_path is None else _terminated(catalog_path)
        options.catalog, options.catalog_length = catalog, len(catalog or b"")
        options.simulator = simulator._handle if simulator else None
        options.capacity, options.refresh_interval = capacity, _number(refresh_interval)
        if app_store:
            options.app_store = ctypes.pointer(_AppStore(
                ctypes.sizeof(_AppStore), _terminated(app_store.key_id), _terminated(app_store.issuer_id),
                _terminated(app_store.key), app_store.environments))
        # The library calls the functions until the pool is closed.
        self._functions = None
        if backend:
            self._functions = (
                _History(lambda _, reply, customer, cursor: _reply(
                    reply, lambda: backend.history(customer.decode(), cursor.decode()))),
                _Statuses(lambda _, reply, customer: _reply(reply, lambda: backend.statuses(customer.decode()))),
                _Release())
            options.backend = ctypes.pointer(_Backend(
                ctypes.sizeof(_Backend), _terminated(backend.name), None, *self._functions))
        super().__init__(_value(c_void_p, _library.sk_pool_open, byref(options)))

    def close(self) -> None:
        """Closes the pool; a function of its own backend cannot, and the pool then stays open."""
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            status = _library.sk_pool_close(handle)
            if status == Status.MISUSE:
                self._handle = handle
                _kept[handle] = self._functions
            else:
                _kept.pop(handle, None)
            _check(status)

    def open(self, id: str) -> Customer:
        return Customer(_value(c_void_p, _library.sk_customer_open, self._handle, *_text(id)))

    def begin_open(self, id: str, queue: Queue, tag: int) -> None:
        _check(_library.sk_begin_open(self._handle, *_text(id), queue._handle, tag))

    def load_catalog(self, name: str, text: Union[str, bytes]) -> None:
        _check(_library.sk_pool_load_catalog(self._handle, _terminated(name), *_text(text)))

    def receive(self, body: Union[str, bytes]) -> int:
        """Stores a notification, and returns the HTTP status with which to answer the request."""
        http_status = c_int()
        status = _library.sk_pool_receive(self._handle, *_text(body), byref(http_status))
        if http_status.value == 0:
            raise _failure(status)
        return http_status.value

    def begin_receive(self, body: Union[str, bytes], queue: Queue, tag: int) -> None:
        _check(_library.sk_begin_receive(self._handle, *_text(body), queue._handle, tag))

    def audit(self) -> Any:
        """Returns the report of the audit; its "faults" is empty if the vault is sound."""
        text = _Text()
        status = _library.sk_pool_audit(self._handle, byref(text))
        if not text.bytes:
            raise _failure(status)
        return json.loads(_take(text))

    def subscribe(self, queue: Queue, tag: int, after: int = 0) -> None:
        _check(_library.sk_pool_subscribe(self._handle, queue._handle, tag, _number(after)))

    def report_to(self, queue: Optional[Queue], tag: int = 0) -> None:
        _check(_library.sk_pool_report(self._handle, queue._handle if queue else None, tag))
