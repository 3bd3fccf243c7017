// Tests of the package. STOREKEEPER_CONFIGURATION is the folder with the examples.
package storekeeper

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const bundleID = "com.example.lanternvale"
const day = 86_400_000

func file(name string) string { return filepath.Join(os.Getenv("STOREKEEPER_CONFIGURATION"), name) }

// must returns a value, or fails the test.
func must[Value any](value Value, err error) func(*testing.T) Value {
	return func(test *testing.T) Value {
		test.Helper()
		if err != nil {
			test.Fatal(err)
		}
		return value
	}
}

func equal[Value comparable](test *testing.T, found, expected Value) {
	test.Helper()
	if found != expected {
		test.Fatalf("%v, but expected %v", found, expected)
	}
}

func succeed(test *testing.T, err error) {
	test.Helper()
	must(0, err)(test)
}

// item waits for an item, at most ten seconds.
func item(test *testing.T, queue *Queue) *Item {
	test.Helper()
	item := must(queue.Wait(10 * time.Second))(test)
	if item == nil {
		test.Fatal("no item came")
	}
	return item
}

func TestPurchaseSpendAndEvent(test *testing.T) {
	simulator := must(NewSimulator(SimulatorOptions{BundleID: bundleID, CatalogPath: file("Store.storekit")}))(test)
	defer simulator.Close()
	succeed(test, simulator.AddAccount("anna"))
	pool := must(Open(Options{Simulator: simulator, CatalogPath: file("Products.json")}))(test)
	queue := must(NewQueue())(test)
	defer queue.Close()
	succeed(test, pool.BeginOpen("anna", queue, 1))
	opened := item(test, queue)
	equal(test, opened.Kind, Result)
	equal(test, opened.Tag, 1)
	anna := opened.Customer
	defer anna.Close()
	must(anna.Sync())(test)
	succeed(test, pool.Subscribe(queue, 5, 0))

	bought := must(simulator.Buy("anna", "gold.monthly"))(test)
	must(simulator.Buy("anna", "coins.100"))(test)
	must(anna.Sync())(test)
	event := item(test, queue)
	equal(test, event.Kind, Event)
	equal(test, event.Tag, 5)
	equal(test, strings.Contains(string(event.JSON), `"anna"`), true)

	now := must(simulator.Now())(test)
	equal(test, must(anna.HasFeature("pro", Now))(test), true)
	equal(test, must(anna.IsEntitled("gold.monthly", Now))(test), true)
	equal(test, must(anna.NextChange(Now))(test) > now, true)
	answer := must(anna.Feature("pro", Now))(test)
	equal(test, answer.Kind, IsEntitled)
	equal(test, answer.Reason, "active")
	snapshot := must(anna.Snapshot())(test)
	defer snapshot.Close()
	equal(test, strings.Contains(string(must(snapshot.Timeline(now))(test)), "<svg"), true)
	equal(test, strings.Contains(string(must(anna.ExplainFeature("pro", now))(test)), `"entitled"`), true)

	first := must(anna.Spend(30, "coins", "lantern-42"))(test)
	again := must(anna.Spend(30, "coins", "lantern-42"))(test)
	equal(test, first, Receipt{70, false, first.ID})
	equal(test, again, Receipt{70, true, first.ID})
	equal(test, must(anna.Balance("coins"))(test), 70)
	_, err := anna.Spend(1000, "coins", "lantern-43")
	equal(test, errors.Is(err, Refused), true)
	equal(test, must(anna.Grant(5, "coins", "", "ticket-0"))(test).Balance, 75)

	_, err = anna.HasFeature("daily-lantrn", Now)
	var failure *Error
	equal(test, errors.As(err, &failure), true)
	equal(test, failure.Status, Unknown)
	equal(test, failure.Code, "unknownFeature")
	equal(test, strings.Contains(failure.Message, "daily-lantern"), true)
	err = anna.GrantFeature("pro", Forever, "a lost\x00day", "ticket-1")
	equal(test, errors.Is(err, Invalid), true)

	succeed(test, simulator.Refund(bought))
	must(anna.Sync())(test)
	equal(test, must(anna.Feature("pro", Now))(test).Reason, "refunded")
	must(pool.Audit())(test)
	succeed(test, pool.Close())
	_, err = anna.HasFeature("pro", Now)
	equal(test, errors.Is(err, Closed), true)
	equal(test, must(snapshot.HasFeature("pro", now))(test), true)
	equal(test, errors.Is(pool.Close(), Misuse), true)
}

func TestVerifierAndBeginning(test *testing.T) {
	root := must(os.ReadFile(file("evidence/root.pem")))(test)
	evidence := string(must(os.ReadFile(file("evidence/coins-one-refunded.jsonl")))(test))
	verifier := must(NewVerifier(VerifierOptions{Root: root, BundleID: bundleID}))(test)
	defer verifier.Close()
	pool := must(Open(Options{Verifier: verifier, CatalogPath: file("Products.json")}))(test)
	anna := must(pool.OpenCustomer("anna"))(test)
	defer anna.Close()
	report, err := anna.Ingest(evidence+"\na.b.c\n", true)
	equal(test, errors.Is(err, Unverified), true)
	equal(test, strings.Contains(string(report), `"failures"`), true)
	equal(test, must(anna.Balance("coins"))(test), 700)
	status, err := pool.Receive(`{"signedPayload":"a.b.c"}`)
	equal(test, status, 400)
	equal(test, err != nil, true)

	queue := must(NewQueue())(test)
	defer queue.Close()
	succeed(test, anna.BeginSpend(9000, "coins", "lantern-43", queue, 2))
	refused := item(test, queue)
	equal(test, errors.Is(refused.Err, Refused), true)
	equal(test, refused.Err.(*Error).Code, "insufficient")
	succeed(test, anna.BeginIngest("this is not evidence", false, queue, 3))
	unverified := item(test, queue)
	equal(test, errors.Is(unverified.Err, Unverified), true)
	equal(test, unverified.Err.(*Error).Code, "malformed")
	equal(test, strings.Contains(string(unverified.JSON), `"failures":[{"code":"malformed"`), true)
	equal(test, must(queue.Next())(test), nil)
	equal(test, must(queue.Wait(time.Millisecond))(test), nil)

	// The description of a failure is that of the caller, whatever the other goroutines do.
	var group sync.WaitGroup
	for _, name := range []string{"prro", "nws", "season-aren"} {
		group.Add(1)
		go func(name string) {
			defer group.Done()
			for range [1000]int{} {
				_, err := anna.HasFeature(name, Now)
				if err == nil || !strings.Contains(err.Error(), name) {
					test.Errorf("%s: %v", name, err)
				}
			}
		}(name)
	}
	group.Wait()
	succeed(test, pool.Close())
}

type archive struct {
	simulator *Simulator
	err       error
}

func (archive *archive) History(customer, cursor string) (string, error) {
	evidence, err := archive.simulator.Evidence(customer)
	if archive.err != nil || err != nil {
		return "", archive.err
	}
	return `{"items":["` + strings.Join(strings.Fields(evidence), `","`) + `"]}`, nil
}

func (archive *archive) Statuses(string) (string, error) { return "[]", archive.err }

func TestBackend(test *testing.T) {
	catalog := must(os.ReadFile(file("Store.storekit")))(test)
	simulator := must(NewSimulator(SimulatorOptions{BundleID: bundleID, Catalog: catalog}))(test)
	defer simulator.Close()
	succeed(test, simulator.AddAccount("anna"))
	must(simulator.Buy("anna", "gold.monthly"))(test)
	verifier := must(NewVerifier(VerifierOptions{
		Root: must(simulator.Root())(test), BundleID: bundleID, Environments: Sandbox,
	}))(test)
	signed := strings.Fields(must(simulator.Evidence("anna"))(test))[0]
	equal(test, strings.Contains(string(must(verifier.Verify(signed))(test)), `"gold.monthly"`), true)
	_, err := verifier.Verify("a.b.c")
	equal(test, errors.Is(err, Unverified), true)
	source := &archive{simulator: simulator}
	pool := must(Open(Options{
		Verifier: verifier, Catalog: catalog, Backend: source, BackendName: "archive",
	}))(test)
	verifier.Close()
	anna := must(pool.OpenCustomer("anna"))(test)
	defer anna.Close()
	must(anna.Sync())(test)
	now := must(simulator.Now())(test)
	equal(test, must(anna.IsEntitled("gold.monthly", now+day))(test), true)
	source.err = errors.New("the archive is away")
	_, err = anna.Sync()
	equal(test, err != nil && strings.Contains(err.Error(), "the archive is away"), true)
	succeed(test, pool.Close())
}
