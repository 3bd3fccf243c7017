// Package storekeeper is libstorekeeper for Go: what an App Store customer owns right now, and why.
//
// It adds three things to storekeeper.h, which remains the documentation: texts are strings, JSON is a slice of bytes,
// and a call that fails returns an *Error, which errors.Is compares with a Status. It needs cgo and no other module.
// Any goroutine may use any value. Close frees a value of the library; a call after that fails with Misuse.
//
//	pool, err := storekeeper.Open(storekeeper.Options{
//		Vault: "players.sqlite", Verifier: verifier, CatalogPath: "Store.storekit",
//	})
//	anna, err := pool.OpenCustomer("anna")
//	pro, err := anna.HasFeature("pro", storekeeper.Now)
//
// The compiler and the linker look for the library where CGO_CFLAGS and CGO_LDFLAGS say, or in the system's folders.
package storekeeper

/*
#cgo LDFLAGS: -lstorekeeper
#include <poll.h>
#include <stdlib.h>
#include <storekeeper.h>

extern void storekeeperHistory(uintptr_t, sk_reply *, char *, char *);
extern void storekeeperStatuses(uintptr_t, sk_reply *, char *);
extern void storekeeperRelease(uintptr_t);

static void history(void *context, sk_reply *reply, const char *customer, const char *cursor) {
	storekeeperHistory((uintptr_t)context, reply, (char *)customer, (char *)cursor);
}
static void statuses(void *context, sk_reply *reply, const char *customer) {
	storekeeperStatuses((uintptr_t)context, reply, (char *)customer);
}
static void release(void *context) { storekeeperRelease((uintptr_t)context); }
static void set_functions(sk_backend *backend, uintptr_t context) {
	backend->context = (void *)context;
	backend->history = history;
	backend->statuses = statuses;
	backend->release = release;
}
static int is_readable(int fd, int milliseconds) {
	struct pollfd one = {fd, POLLIN, 0};
	return poll(&one, 1, milliseconds);
}
*/
import "C"

import (
	"encoding/json"
	"runtime"
	"runtime/cgo"
	"strings"
	"time"
	"unsafe"
)

// Instant is milliseconds since 1970-01-01T00:00:00Z, as time.Time.UnixMilli returns them.
type Instant = int64

const (
	Now     Instant = C.SK_NOW
	Forever Instant = C.SK_FOREVER
)

// Version returns the release of the library.
func Version() string { return C.GoString(C.sk_version()) }

// Status is a status of storekeeper.h.
type Status int

const (
	Misuse     Status = C.SK_MISUSE
	Invalid    Status = C.SK_INVALID
	Unknown    Status = C.SK_UNKNOWN
	Refused    Status = C.SK_REFUSED
	Unverified Status = C.SK_UNVERIFIED
	Busy       Status = C.SK_BUSY
	IO         Status = C.SK_IO
	Doubt      Status = C.SK_DOUBT
	Corrupt    Status = C.SK_CORRUPT
	Closed     Status = C.SK_CLOSED
	Timeout    Status = C.SK_TIMEOUT
	Cancelled  Status = C.SK_CANCELLED
	Forked     Status = C.SK_FORKED
	Internal   Status = C.SK_INTERNAL
)

func (status Status) Error() string { return C.GoString(C.sk_status_name(C.sk_status(status))) }

// Error is the failure of a call: its status, and the code and the message of the Swift library.
type Error struct {
	Status        Status
	Code, Message string
}

func (err *Error) Error() string { return err.Code + ": " + err.Message }

// Unwrap returns the status, so that errors.Is(err, storekeeper.Refused) works.
func (err *Error) Unwrap() error { return err.Status }

// check calls the library in one thread, because the description of a failure belongs to the thread.
func check(call func() C.sk_status) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if status := call(); status != C.SK_OK {
		return &Error{Status(status), C.GoString(C.sk_error_code()), C.GoString(C.sk_error_message())}
	}
	return nil
}

// start returns the address of a text, which the library copies during the call.
func start(text string) *C.char { return *(**C.char)(unsafe.Pointer(&text)) }

func length(text string) C.size_t { return C.size_t(len(text)) }

// memory holds texts for the library, which may not be in the memory of Go inside of a struct.
type memory []unsafe.Pointer

func (held *memory) bytes(data []byte) *C.char {
	if len(data) == 0 {
		return nil
	}
	copy := C.CBytes(data)
	*held = append(*held, copy)
	return (*C.char)(copy)
}

func (held *memory) text(text string) *C.char {
	if text == "" {
		return nil
	}
	return held.bytes(append([]byte(text), 0))
}

func (held *memory) free() {
	for _, one := range *held {
		C.free(one)
	}
}

// checkZero refuses a text that C would read only up to a zero byte.
func checkZero(texts ...string) error {
	for _, text := range texts {
		if strings.IndexByte(text, 0) >= 0 {
			return &Error{Invalid, "zeroByte", "the text has a zero byte inside"}
		}
	}
	return nil
}

// take copies a text of the library, and frees it; nil if there is none.
func take(text C.sk_text) []byte {
	if text.bytes == nil {
		return nil
	}
	defer C.sk_text_free(text.bytes)
	return append([]byte{}, unsafe.Slice((*byte)(unsafe.Pointer(text.bytes)), text.length)...)
}

// result returns what the library gives, which some functions set although they fail.
func result(call func(*C.sk_text) C.sk_status) ([]byte, error) {
	var text C.sk_text
	err := check(func() C.sk_status { return call(&text) })
	return take(text), err
}

// Environments of a Verifier and of an AppStore.
const (
	Production   uint32 = C.SK_PRODUCTION
	Sandbox      uint32 = C.SK_SANDBOX
	Xcode        uint32 = C.SK_XCODE
	LocalTesting uint32 = C.SK_LOCAL_TESTING
)

// VerifierOptions name what evidence must be signed under. Root is DER or PEM.
type VerifierOptions struct {
	Root         []byte
	BundleID     string
	AppAppleID   int64
	Environments uint32
}

// Verifier verifies signatures.
type Verifier struct{ handle *C.sk_verifier }

// NewVerifier creates a verifier.
func NewVerifier(options VerifierOptions) (*Verifier, error) {
	if err := checkZero(options.BundleID); err != nil {
		return nil, err
	}
	var held memory
	defer held.free()
	plain := C.sk_verifier_options{
		size: C.sizeof_sk_verifier_options, root: held.bytes(options.Root), root_length: C.size_t(len(options.Root)),
		bundle_id: held.text(options.BundleID), app_apple_id: C.int64_t(options.AppAppleID),
		environments: C.uint(options.Environments),
	}
	verifier := &Verifier{}
	return verifier, check(func() C.sk_status { return C.sk_verifier_new(&plain, &verifier.handle) })
}

func (verifier *Verifier) Close() { C.sk_verifier_free(verifier.handle) }

// Verify returns the signed payload; an error with Unverified has the reason as its code.
func (verifier *Verifier) Verify(jws string) ([]byte, error) {
	return result(func(payload *C.sk_text) C.sk_status {
		return C.sk_verify(verifier.handle, start(jws), length(jws), payload)
	})
}

// AppStore is Apple's App Store Server API, with a key of App Store Connect.
type AppStore struct {
	KeyID, IssuerID, Key string
	Environments         uint32
}

// Options of a pool: at most one of AppStore, Backend and Simulator.
type Options struct {
	Vault           string // A path or postgres://…; empty keeps all in memory, for tests.
	Verifier        *Verifier
	CatalogPath     string
	Catalog         []byte // The text of a catalog, in place of a path.
	AppStore        *AppStore
	Backend         Backend
	BackendName     string
	Simulator       *Simulator
	Capacity        uint
	RefreshInterval int64
}

// Pool has the customers of one app, over one vault.
type Pool struct{ handle *C.sk_pool }

// Open opens a vault and a pool over it.
func Open(options Options) (*Pool, error) {
	if err := checkZero(options.Vault, options.CatalogPath, options.BackendName); err != nil {
		return nil, err
	}
	var held memory
	defer held.free()
	plain := C.sk_pool_options{
		size: C.sizeof_sk_pool_options, vault: held.text(options.Vault), catalog_path: held.text(options.CatalogPath),
		catalog: held.bytes(options.Catalog), catalog_length: C.size_t(len(options.Catalog)),
		capacity: C.size_t(options.Capacity), refresh_interval: C.int64_t(options.RefreshInterval),
	}
	if options.Verifier != nil {
		plain.verifier = options.Verifier.handle
	}
	if options.Simulator != nil {
		plain.simulator = options.Simulator.handle
	}
	if from := options.AppStore; from != nil {
		if err := checkZero(from.KeyID, from.IssuerID, from.Key); err != nil {
			return nil, err
		}
		appStore := (*C.sk_app_store)(C.calloc(1, C.sizeof_sk_app_store))
		defer C.free(unsafe.Pointer(appStore))
		*appStore = C.sk_app_store{
			size: C.sizeof_sk_app_store, key_id: held.text(from.KeyID), issuer_id: held.text(from.IssuerID),
			key: held.text(from.Key), environments: C.uint(from.Environments),
		}
		plain.app_store = appStore
	}
	var context cgo.Handle
	if options.Backend != nil {
		context = cgo.NewHandle(options.Backend)
		backend := (*C.sk_backend)(C.calloc(1, C.sizeof_sk_backend))
		defer C.free(unsafe.Pointer(backend))
		backend.size, backend.name = C.sizeof_sk_backend, held.text(options.BackendName)
		C.set_functions(backend, C.uintptr_t(context))
		plain.backend = backend
	}
	pool := &Pool{}
	err := check(func() C.sk_status { return C.sk_pool_open(&plain, &pool.handle) })
	if err != nil && context != 0 {
		context.Delete()
	}
	return pool, err
}

// Close completes the calls that have begun, and closes the vault. In a function of the pool's own backend it fails.
func (pool *Pool) Close() error {
	return check(func() C.sk_status { return C.sk_pool_close(pool.handle) })
}

// LoadCatalog replaces the catalog; name is for messages.
func (pool *Pool) LoadCatalog(name string, text []byte) error {
	if err := checkZero(name); err != nil {
		return err
	}
	var held memory
	defer held.free()
	cName, content := held.text(name), string(text)
	return check(func() C.sk_status {
		return C.sk_pool_load_catalog(pool.handle, cName, start(content), length(content))
	})
}

// Receive stores a notification, and returns the HTTP status with which to answer the request, also if it fails.
func (pool *Pool) Receive(body string) (int, error) {
	var status C.int
	err := check(func() C.sk_status { return C.sk_pool_receive(pool.handle, start(body), length(body), &status) })
	return int(status), err
}

// Audit returns the report of the audit; with an error of Corrupt, it lists the faults.
func (pool *Pool) Audit() ([]byte, error) {
	return result(func(report *C.sk_text) C.sk_status { return C.sk_pool_audit(pool.handle, report) })
}

// OpenCustomer reads a customer from the vault.
func (pool *Pool) OpenCustomer(id string) (*Customer, error) {
	customer := &Customer{}
	return customer, check(func() C.sk_status {
		return C.sk_customer_open(pool.handle, start(id), length(id), &customer.handle)
	})
}

// Subscribe adds each event after a place to a queue.
func (pool *Pool) Subscribe(queue *Queue, tag uint64, after int64) error {
	return check(func() C.sk_status {
		return C.sk_pool_subscribe(pool.handle, queue.handle, C.uint64_t(tag), C.int64_t(after))
	})
}

// ReportTo adds each report to a queue; nil ends it.
func (pool *Pool) ReportTo(queue *Queue, tag uint64) error {
	var handle *C.sk_queue
	if queue != nil {
		handle = queue.handle
	}
	return check(func() C.sk_status { return C.sk_pool_report(pool.handle, handle, C.uint64_t(tag)) })
}

// BeginOpen begins what OpenCustomer waits for.
func (pool *Pool) BeginOpen(id string, queue *Queue, tag uint64) error {
	return check(func() C.sk_status {
		return C.sk_begin_open(pool.handle, start(id), length(id), queue.handle, C.uint64_t(tag))
	})
}

// BeginReceive begins what Receive waits for.
func (pool *Pool) BeginReceive(body string, queue *Queue, tag uint64) error {
	return check(func() C.sk_status {
		return C.sk_begin_receive(pool.handle, start(body), length(body), queue.handle, C.uint64_t(tag))
	})
}

// AnswerKind is the kind of an answer.
type AnswerKind int

const (
	IsUnknown  AnswerKind = C.SK_IS_UNKNOWN
	IsNever    AnswerKind = C.SK_IS_NEVER
	IsLapsed   AnswerKind = C.SK_IS_LAPSED
	IsPending  AnswerKind = C.SK_IS_PENDING
	IsEntitled AnswerKind = C.SK_IS_ENTITLED
)

// Answer is an answer with its reason.
type Answer struct {
	Kind   AnswerKind
	Reason string
	Until  Instant
}

// Receipt describes a change of a balance.
type Receipt struct {
	Balance    int64
	IsReplayed bool
	ID         string
}

// Customer is one customer, in memory until it is closed.
type Customer struct{ handle *C.sk_customer }

func (customer *Customer) Close() { C.sk_customer_free(customer.handle) }

func (customer *Customer) HasFeature(feature string, at Instant) (bool, error) {
	var answer C.bool
	err := check(func() C.sk_status {
		return C.sk_has_feature(customer.handle, start(feature), length(feature), C.sk_instant(at), &answer)
	})
	return bool(answer), err
}

func (customer *Customer) IsEntitled(product string, at Instant) (bool, error) {
	var answer C.bool
	err := check(func() C.sk_status {
		return C.sk_is_entitled(customer.handle, start(product), length(product), C.sk_instant(at), &answer)
	})
	return bool(answer), err
}

func (customer *Customer) Balance(name string) (int64, error) {
	var units C.int64_t
	err := check(func() C.sk_status { return C.sk_balance(customer.handle, start(name), length(name), &units) })
	return int64(units), err
}

func (customer *Customer) NextChange(at Instant) (Instant, error) {
	var change C.sk_instant
	err := check(func() C.sk_status { return C.sk_next_change(customer.handle, C.sk_instant(at), &change) })
	return Instant(change), err
}

func (customer *Customer) Feature(id string, at Instant) (Answer, error) {
	answer := C.sk_answer{size: C.sizeof_sk_answer}
	err := check(func() C.sk_status {
		return C.sk_feature_answer(customer.handle, start(id), length(id), C.sk_instant(at), &answer)
	})
	return Answer{AnswerKind(answer.kind), C.GoString(answer.reason), Instant(answer.until)}, err
}

func (customer *Customer) Product(id string, at Instant) (Answer, error) {
	answer := C.sk_answer{size: C.sizeof_sk_answer}
	err := check(func() C.sk_status {
		return C.sk_product_answer(customer.handle, start(id), length(id), C.sk_instant(at), &answer)
	})
	return Answer{AnswerKind(answer.kind), C.GoString(answer.reason), Instant(answer.until)}, err
}

// Snapshot returns the state of the customer at this moment.
func (customer *Customer) Snapshot() (*Snapshot, error) {
	snapshot := &Snapshot{}
	return snapshot, check(func() C.sk_status { return C.sk_customer_snapshot(customer.handle, &snapshot.handle) })
}

// Ingest returns the report, also with an error of Unverified: the evidence that is verified is stored.
func (customer *Customer) Ingest(evidence string, isComplete bool) ([]byte, error) {
	return result(func(report *C.sk_text) C.sk_status {
		return C.sk_customer_ingest(
			customer.handle, start(evidence), length(evidence), C.bool(isComplete), report)
	})
}

// Sync reads the customer's whole history from the App Store, the backend or the simulator.
func (customer *Customer) Sync() ([]byte, error) {
	return result(func(report *C.sk_text) C.sk_status { return C.sk_customer_sync(customer.handle, report) })
}

func converted(receipt C.sk_receipt, err error) (Receipt, error) {
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{int64(receipt.balance), bool(receipt.is_replayed), C.GoString(&receipt.id[0])}, nil
}

// Spend spends units once for each key.
func (customer *Customer) Spend(units int64, balance, key string) (Receipt, error) {
	receipt := C.sk_receipt{size: C.sizeof_sk_receipt}
	err := check(func() C.sk_status {
		return C.sk_customer_spend(
			customer.handle, start(balance), length(balance), C.int64_t(units), start(key), length(key), &receipt)
	})
	return converted(receipt, err)
}

// Grant adds units without a purchase, once for each key.
func (customer *Customer) Grant(units int64, balance, reason, key string) (Receipt, error) {
	if err := checkZero(reason); err != nil {
		return Receipt{}, err
	}
	cReason, receipt := C.CString(reason), C.sk_receipt{size: C.sizeof_sk_receipt}
	defer C.free(unsafe.Pointer(cReason))
	err := check(func() C.sk_status {
		return C.sk_customer_grant(
			customer.handle, start(balance), length(balance), C.int64_t(units), cReason, start(key), length(key),
			&receipt)
	})
	return converted(receipt, err)
}

// GrantFeature gives access without a purchase; key names the grant.
func (customer *Customer) GrantFeature(feature string, until Instant, reason, key string) error {
	if err := checkZero(reason); err != nil {
		return err
	}
	cReason := C.CString(reason)
	defer C.free(unsafe.Pointer(cReason))
	return check(func() C.sk_status {
		return C.sk_customer_grant_feature(
			customer.handle, start(feature), length(feature), C.sk_instant(until), cReason, start(key), length(key))
	})
}

// RevokeGrant ends the access that a key names.
func (customer *Customer) RevokeGrant(reason, key string) error {
	if err := checkZero(reason); err != nil {
		return err
	}
	cReason := C.CString(reason)
	defer C.free(unsafe.Pointer(cReason))
	return check(func() C.sk_status {
		return C.sk_customer_revoke_grant(customer.handle, cReason, start(key), length(key))
	})
}

func (customer *Customer) ExplainFeature(id string, at Instant) ([]byte, error) {
	return result(func(text *C.sk_text) C.sk_status {
		return C.sk_customer_explain_feature(customer.handle, start(id), length(id), C.sk_instant(at), text)
	})
}

func (customer *Customer) ExplainProduct(id string, at Instant) ([]byte, error) {
	return result(func(text *C.sk_text) C.sk_status {
		return C.sk_customer_explain_product(customer.handle, start(id), length(id), C.sk_instant(at), text)
	})
}

// BeginIngest begins what Ingest waits for.
func (customer *Customer) BeginIngest(evidence string, isComplete bool, queue *Queue, tag uint64) error {
	return check(func() C.sk_status {
		return C.sk_begin_ingest(
			customer.handle, start(evidence), length(evidence), C.bool(isComplete), queue.handle, C.uint64_t(tag))
	})
}

// BeginSync begins what Sync waits for.
func (customer *Customer) BeginSync(queue *Queue, tag uint64) error {
	return check(func() C.sk_status { return C.sk_begin_sync(customer.handle, queue.handle, C.uint64_t(tag)) })
}

// BeginSpend begins what Spend waits for.
func (customer *Customer) BeginSpend(units int64, balance, key string, queue *Queue, tag uint64) error {
	return check(func() C.sk_status {
		return C.sk_begin_spend(
			customer.handle, start(balance), length(balance), C.int64_t(units), start(key), length(key),
			queue.handle, C.uint64_t(tag))
	})
}

// BeginGrant begins what Grant waits for.
func (customer *Customer) BeginGrant(units int64, balance, reason, key string, queue *Queue, tag uint64) error {
	if err := checkZero(reason); err != nil {
		return err
	}
	cReason := C.CString(reason)
	defer C.free(unsafe.Pointer(cReason))
	return check(func() C.sk_status {
		return C.sk_begin_grant(
			customer.handle, start(balance), length(balance), C.int64_t(units), cReason, start(key), length(key),
			queue.handle, C.uint64_t(tag))
	})
}

// Snapshot is the state of a customer at one moment. It never changes.
type Snapshot struct{ handle *C.sk_snapshot }

func (snapshot *Snapshot) Close() { C.sk_snapshot_free(snapshot.handle) }

func (snapshot *Snapshot) HasFeature(feature string, at Instant) (bool, error) {
	var answer C.bool
	err := check(func() C.sk_status {
		return C.sk_snapshot_has_feature(snapshot.handle, start(feature), length(feature), C.sk_instant(at), &answer)
	})
	return bool(answer), err
}

func (snapshot *Snapshot) IsEntitled(product string, at Instant) (bool, error) {
	var answer C.bool
	err := check(func() C.sk_status {
		return C.sk_snapshot_is_entitled(snapshot.handle, start(product), length(product), C.sk_instant(at), &answer)
	})
	return bool(answer), err
}

func (snapshot *Snapshot) Balance(name string) (int64, error) {
	var units C.int64_t
	err := check(func() C.sk_status {
		return C.sk_snapshot_balance(snapshot.handle, start(name), length(name), &units)
	})
	return int64(units), err
}

func (snapshot *Snapshot) NextChange(at Instant) (Instant, error) {
	var change C.sk_instant
	err := check(func() C.sk_status { return C.sk_snapshot_next_change(snapshot.handle, C.sk_instant(at), &change) })
	return Instant(change), err
}

// Entitlements returns all answers, as JSON.
func (snapshot *Snapshot) Entitlements(at Instant) ([]byte, error) {
	return result(func(text *C.sk_text) C.sk_status {
		return C.sk_snapshot_entitlements(snapshot.handle, C.sk_instant(at), text)
	})
}

// Timeline returns a picture, as SVG.
func (snapshot *Snapshot) Timeline(at Instant) ([]byte, error) {
	return result(func(text *C.sk_text) C.sk_status {
		return C.sk_snapshot_timeline(snapshot.handle, C.sk_instant(at), text)
	})
}

// ItemKind is the kind of an item.
type ItemKind int

const (
	Result ItemKind = C.SK_RESULT
	Event  ItemKind = C.SK_EVENT
	Report ItemKind = C.SK_REPORT
)

// Item is what a queue brings. Customer is set by BeginOpen, and is yours to close; Err is set if the call has failed.
type Item struct {
	Kind     ItemKind
	Tag      uint64
	Place    int64
	JSON     []byte
	Customer *Customer
	Err      error
}

// Queue brings results of calls that were begun, events and reports.
type Queue struct{ handle *C.sk_queue }

// NewQueue creates a queue.
func NewQueue() (*Queue, error) {
	queue := &Queue{}
	return queue, check(func() C.sk_status { return C.sk_queue_new(&queue.handle) })
}

func (queue *Queue) Close() { C.sk_queue_free(queue.handle) }

// Descriptor is readable while the queue has an item. It belongs to the queue.
func (queue *Queue) Descriptor() (int, error) {
	var fd C.int
	err := check(func() C.sk_status { return C.sk_queue_fd(queue.handle, &fd) })
	return int(fd), err
}

// Next takes the next item; nil if there is none now.
func (queue *Queue) Next() (*Item, error) {
	item := C.sk_item{size: C.sizeof_sk_item}
	var status C.sk_status
	err := check(func() C.sk_status {
		status = C.sk_queue_next(queue.handle, &item)
		return status
	})
	if status == C.SK_EMPTY {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	next := &Item{
		Kind: ItemKind(item.kind), Tag: uint64(item.tag), Place: int64(item.place), JSON: take(item.json),
	}
	if item.customer != nil {
		next.Customer = &Customer{item.customer}
	}
	if item.status != C.SK_OK {
		failure := &Error{Status: Status(item.status)}
		// JSON without these members leaves them empty.
		_ = json.Unmarshal(next.JSON, failure)
		next.Err = failure
	}
	return next, nil
}

// Wait takes the next item, for which it waits in a thread; nil if none comes in time.
func (queue *Queue) Wait(timeout time.Duration) (*Item, error) {
	fd, err := queue.Descriptor()
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(timeout); ; {
		// Another goroutine may have taken the item, and a signal may have ended the wait.
		item, err := queue.Next()
		left := time.Until(end)
		if item != nil || err != nil || left <= 0 {
			return item, err
		}
		if left > time.Hour {
			left = time.Hour
		}
		C.is_readable(C.int(fd), C.int(left.Milliseconds()+1))
	}
}

// SimulatorOptions describe a simulated App Store.
type SimulatorOptions struct {
	BundleID    string
	CatalogPath string
	Catalog     []byte // The text of a catalog, in place of a path.
	Start       Instant
	Seed        uint64
}

// Simulator is a simulated App Store, for tests.
type Simulator struct{ handle *C.sk_simulator }

// NewSimulator creates a simulator.
func NewSimulator(options SimulatorOptions) (*Simulator, error) {
	if err := checkZero(options.BundleID, options.CatalogPath); err != nil {
		return nil, err
	}
	var held memory
	defer held.free()
	plain := C.sk_simulator_options{
		size: C.sizeof_sk_simulator_options, bundle_id: held.text(options.BundleID),
		catalog_path: held.text(options.CatalogPath), catalog: held.bytes(options.Catalog),
		catalog_length: C.size_t(len(options.Catalog)), start: C.sk_instant(options.Start),
		seed: C.uint64_t(options.Seed),
	}
	simulator := &Simulator{}
	return simulator, check(func() C.sk_status { return C.sk_simulator_new(&plain, &simulator.handle) })
}

func (simulator *Simulator) Close() { C.sk_simulator_free(simulator.handle) }

// Root returns the certificate, as PEM.
func (simulator *Simulator) Root() ([]byte, error) {
	return result(func(pem *C.sk_text) C.sk_status { return C.sk_simulator_root(simulator.handle, pem) })
}

func (simulator *Simulator) Now() (Instant, error) {
	var now C.sk_instant
	err := check(func() C.sk_status { return C.sk_simulator_now(simulator.handle, &now) })
	return Instant(now), err
}

func (simulator *Simulator) Advance(to Instant) error {
	return check(func() C.sk_status { return C.sk_simulator_advance(simulator.handle, C.sk_instant(to)) })
}

func (simulator *Simulator) AddAccount(id string) error {
	return check(func() C.sk_status { return C.sk_simulator_add_account(simulator.handle, start(id), length(id)) })
}

// Buy returns the id of the transaction.
func (simulator *Simulator) Buy(id, product string) (string, error) {
	transaction, err := result(func(text *C.sk_text) C.sk_status {
		return C.sk_simulator_buy(simulator.handle, start(id), length(id), start(product), length(product), text)
	})
	return string(transaction), err
}

func (simulator *Simulator) Refund(transaction string) error {
	return check(func() C.sk_status {
		return C.sk_simulator_refund(simulator.handle, start(transaction), length(transaction))
	})
}

func (simulator *Simulator) SetAutoRenew(transaction string, isOn bool) error {
	return check(func() C.sk_status {
		return C.sk_simulator_set_auto_renew(
			simulator.handle, start(transaction), length(transaction), C.bool(isOn))
	})
}

// Evidence returns all evidence about a customer, as Ingest takes it.
func (simulator *Simulator) Evidence(id string) (string, error) {
	evidence, err := result(func(text *C.sk_text) C.sk_status {
		return C.sk_simulator_evidence(simulator.handle, start(id), length(id), text)
	})
	return string(evidence), err
}

// Notifications returns the notifications that were sent, one a line, without the first.
func (simulator *Simulator) Notifications(skip uint) (string, error) {
	notifications, err := result(func(text *C.sk_text) C.sk_status {
		return C.sk_simulator_notifications(simulator.handle, C.size_t(skip), text)
	})
	return string(notifications), err
}
