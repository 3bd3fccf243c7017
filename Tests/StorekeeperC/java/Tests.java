import static storekeeper.Storekeeper.*;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import storekeeper.Storekeeper;

/** Tests of the layer for Java. STOREKEEPER_CONFIGURATION is the folder with the examples. */
public final class Tests {
    static final String BUNDLE_ID = "com.example.lanternvale";

    static Path path(String name) { return Path.of(System.getenv("STOREKEEPER_CONFIGURATION"), name); }

    static void expect(boolean holds, String what) { if (!holds) throw new AssertionError("expected: " + what); }

    static void equal(Object found, Object expected) {
        if (!found.equals(expected)) throw new AssertionError(found + ", but expected " + expected);
    }

    static Failure failure(Runnable action) {
        try {
            action.run();
        } catch (Failure failure) {
            return failure;
        }
        throw new AssertionError("the call has not failed");
    }

    /** Waits for an item, at most ten seconds. */
    static Item item(Queue queue) {
        var item = queue.take(Duration.ofSeconds(10));
        expect(item != null, "an item");
        return item;
    }

    static void purchaseSpendAndEvent() {
        try (var simulator = new Simulator(BUNDLE_ID, path("Store.storekit").toString(), null, 0, 0);
                var queue = new Queue()) {
            simulator.addAccount("anna");
            var options = new Options().simulator(simulator).catalogPath(path("Products.json").toString());
            var pool = Pool.open(options);
            pool.beginOpen("anna", queue, 1);
            var opened = item(queue);
            equal(opened.kind(), ItemKind.RESULT);
            equal(opened.tag(), 1L);
            var anna = opened.customer();
            anna.sync();
            pool.subscribe(queue, 5, 0);

            var bought = simulator.buy("anna", "gold.monthly");
            simulator.buy("anna", "coins.100");
            anna.sync();
            var event = item(queue);
            equal(event.kind(), ItemKind.EVENT);
            equal(event.tag(), 5L);
            expect(event.json().contains("\"anna\""), "an event of anna");

            long now = simulator.now();
            expect(anna.hasFeature("pro", NOW), "pro");
            expect(anna.isEntitled("gold.monthly", now), "gold.monthly");
            expect(!anna.isEntitled("remove.ads", NOW), "not remove.ads");
            expect(anna.nextChange(NOW) > now, "a later change");
            var answer = anna.feature("pro", NOW);
            equal(answer, new Answer(AnswerKind.ENTITLED, "active", answer.until()));
            expect(answer.until() > now, "a later end");
            expect(anna.explainFeature("pro", NOW).contains("\"entitled\""), "an explanation");
            var snapshot = anna.snapshot();
            expect(snapshot.timeline(now).contains("<svg"), "a picture");

            var first = anna.spend(30, "coins", "lantern-42");
            equal(first, new Receipt(70, false, first.id()));
            expect(first.id().startsWith("spend-"), "an id");
            equal(anna.spend(30, "coins", "lantern-42"), new Receipt(70, true, first.id()));
            equal(anna.balance("coins"), 70L);
            equal(failure(() -> anna.spend(1000, "coins", "lantern-43")).status, Status.REFUSED);
            equal(anna.grant(5, "coins", "", "ticket-0").balance(), 75L);

            var unknown = failure(() -> anna.hasFeature("daily-lantrn", NOW));
            equal(unknown.status, Status.UNKNOWN);
            equal(unknown.code, "unknownFeature");
            expect(unknown.getMessage().contains("daily-lantern"), "the nearest name");
            equal(failure(() -> anna.hasFeature("", NOW)).status, Status.INVALID);
            equal(failure(() -> anna.hasFeature("\ud800", NOW)).status, Status.INVALID);
            equal(failure(() -> anna.grantFeature("pro", 9, "a lost\0day", "ticket-1")).status, Status.INVALID);

            simulator.refund(bought);
            anna.sync();
            equal(anna.feature("pro", NOW).reason(), "refunded");
            expect(pool.audit().contains("\"faults\""), "a report");
            pool.close();
            pool.close();
            equal(failure(() -> anna.hasFeature("pro", NOW)).status, Status.CLOSED);
            expect(snapshot.hasFeature("pro", now), "a snapshot that outlives the pool");
            anna.close();
            anna.close();
            equal(failure(() -> anna.hasFeature("pro", NOW)).status, Status.MISUSE);
            snapshot.close();
        }
    }

    static void verifierAndBeginning() throws Exception {
        try (var verifier = new Verifier(Files.readAllBytes(path("evidence/root.pem")), BUNDLE_ID, 0, 0);
                var pool = Pool.open(
                    new Options().verifier(verifier).catalogPath(path("Products.json").toString()));
                var anna = pool.openCustomer("änna");
                var queue = new Queue()) {
            equal(failure(() -> verifier.verify("a.b.c")).status, Status.UNVERIFIED);
            var evidence = Files.readString(path("evidence/coins-one-refunded.jsonl"));
            expect(anna.ingest(evidence + "\na.b.c\n", true).contains("\"failures\""), "a report");
            equal(anna.balance("coins"), 700L);
            equal(pool.receive("{\"signedPayload\":\"a.b.c\"}"), 400);
            anna.beginSpend(9000, "coins", "lantern-43", queue, 2);
            var refused = item(queue);
            equal(refused.status(), Status.REFUSED);
            expect(refused.json().contains("insufficient"), "a code");
            expect(queue.next() == null && queue.take(Duration.ofMillis(1)) == null, "an empty queue");

            // The description of a failure is that of the caller, whatever the other threads do.
            var wrong = new AtomicInteger();
            var threads = Stream.of("prro", "nws", "season-aren").map(name -> Thread.startVirtualThread(() -> {
                for (int round = 0; round < 1000; round++)
                    if (!failure(() -> anna.hasFeature(name, NOW)).getMessage().contains(name)) wrong.incrementAndGet();
            })).toList();
            for (var thread : threads) thread.join();
            equal(wrong.get(), 0);
        }
    }

    static final class Archive implements Backend {
        Simulator simulator;
        volatile boolean fails;
        volatile Pool closing;
        volatile String code;

        @Override public String history(String customer, String cursor) throws IOException {
            if (fails) throw new IOException("the archive is away");
            var pool = closing;
            closing = null;
            if (pool != null) code = failure(pool::close).code;
            return "{\"items\":[\"" + String.join("\",\"", simulator.evidence(customer).strip().split("\n")) + "\"]}";
        }
    }

    static void ownBackend() throws Exception {
        var catalog = Files.readAllBytes(path("Store.storekit"));
        var archive = new Archive();
        try (var simulator = new Simulator(BUNDLE_ID, null, catalog, 0, 0);
                var verifier = new Verifier(
                    simulator.root().getBytes(StandardCharsets.US_ASCII), BUNDLE_ID, SANDBOX, 0)) {
            var pool = Pool.open(new Options().verifier(verifier).catalog(catalog).backend("archive", archive));
            var anna = pool.openCustomer("anna");
            archive.simulator = simulator;
            simulator.addAccount("anna");
            simulator.buy("anna", "gold.monthly");
            expect(verifier.verify(simulator.evidence("anna").split("\n")[0]).contains("gold.monthly"), "a payload");
            anna.sync();
            System.gc();
            expect(anna.isEntitled("gold.monthly", simulator.now()), "gold.monthly");
            archive.fails = true;
            expect(failure(anna::sync).getMessage().contains("the archive is away"), "the backend's message");
            // A method of the backend cannot close the pool, which stays open until it is closed elsewhere.
            archive.fails = false;
            archive.closing = pool;
            anna.sync();
            equal(archive.code, "ownBackend");
            anna.sync();
            pool.close();
            equal(failure(anna::sync).status, Status.CLOSED);
            anna.close();
        }
    }

    public static void main(String[] arguments) throws Exception {
        purchaseSpendAndEvent();
        verifierAndBeginning();
        ownBackend();
        System.out.println("Java: 3 tests have passed with libstorekeeper " + Storekeeper.version());
    }
}
