package storekeeper

// #include <stdint.h>
// #include <storekeeper.h>
import "C"

import "runtime/cgo"

// Backend is a source of evidence of your own. The library calls it in threads of its own, one call at a time, and
// waits for each answer at most 30 seconds. An error makes the pool ask again later; a panic ends the process.
type Backend interface {
	// History returns {"items":[JWS, …],"next":CURSOR}, without "next" at the end.
	History(customer, cursor string) (string, error)
	// Statuses returns [{"transaction":JWS,"renewalInfo":JWS}, …].
	Statuses(customer string) (string, error)
}

func send(reply *C.sk_reply, text string, err error) {
	status := C.sk_status(C.SK_OK)
	if err != nil {
		status, text = C.SK_IO, err.Error()
	}
	// A reply that is too late is of no interest to anyone.
	_ = C.sk_reply_send(reply, status, start(text), length(text))
}

//export storekeeperHistory
func storekeeperHistory(context C.uintptr_t, reply *C.sk_reply, customer, cursor *C.char) {
	text, err := cgo.Handle(context).Value().(Backend).History(C.GoString(customer), C.GoString(cursor))
	send(reply, text, err)
}

//export storekeeperStatuses
func storekeeperStatuses(context C.uintptr_t, reply *C.sk_reply, customer *C.char) {
	text, err := cgo.Handle(context).Value().(Backend).Statuses(C.GoString(customer))
	send(reply, text, err)
}

//export storekeeperRelease
func storekeeperRelease(context C.uintptr_t) { cgo.Handle(context).Delete() }
