import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the backends for files and for tests.
@Suite(.timeLimit(.minutes(20))) struct BackendTests {
    private static let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "1")
    private static let renewed = TransactionDraft.renewal(of: gold)
    private static let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(1), id: "9")
    private static let texts =
        [gold, renewed, ads].map(UnverifiedTexts.text) + [UnverifiedTexts.text(RenewalInfoDraft(for: renewed))]

    @Test("A replay conforms to the port with any page size", arguments: [1, 2, 100])
    func replayConforms(pageSize: Int) async {
        await BackendConformance(customer: "ada", updateCount: 3) {
            ReplayBackend(evidence: ["ada": Self.texts], pageSize: pageSize)
        }
        .run()
    }

    @Test("A scripted backend without faults conforms to the port", arguments: [1, 100])
    func scriptedConforms(pageSize: Int) async {
        await BackendConformance(customer: "ada") {
            let backend = ScriptedBackend(clock: VirtualClock(.day(0)), pageSize: pageSize)
            backend.setHistory(Self.texts, of: "ada")
            return backend
        }
        .run()
    }

    @Test("A backend that returns all evidence to every customer does not conform")
    func strangers() async {
        await withKnownIssue {
            await BackendConformance(customer: "ada", stranger: "bob") {
                let backend = ScriptedBackend(clock: VirtualClock(.day(0)))
                backend.setHistory(Self.texts, of: "ada")
                backend.setHistory(Self.texts, of: "bob")
                return backend
            }
            .run()
        } matching: {
            $0.comments.contains { $0.rawValue.contains("a customer without evidence has an empty history") }
        }
    }

    @Test("A replay returns the newest transaction and renewal info of each subscription")
    func statuses() async throws {
        let backend = ReplayBackend(evidence: ["ada": Self.texts.reversed(), "bob": [Self.texts[2]]])
        #expect(
            try await backend.subscriptionStatuses(for: "ada") == [
                SignedStatus(transaction: Self.texts[1], renewalInfo: Self.texts[3])
            ])
        #expect(try await backend.subscriptionStatuses(for: "bob").isEmpty)
    }

    @Test("A replay reads files and reports lines that are not evidence")
    func files() async throws {
        let backend = ReplayBackend()
        let file = Self.texts[0] + "\n[\"\(Self.texts[1])\"]\nnonsense nonsense\n"
        let rest = backend.add(file: Array(file.utf8) + Self.gold.payload, for: "ada")
        let items = try await backend.history(for: "ada", after: nil).items
        #expect(items.starts(with: Self.texts[..<2]))
        #expect(rest == ["line 4: a decoded payload has no signature"])
    }

    @Test("A stream of a replay continues with evidence that is added")
    func added() async throws {
        let backend = ReplayBackend(evidence: ["ada": [Self.texts[0]]])
        let listener = Task {
            var customers: [CustomerID?] = []
            for await update in backend.updates(after: UpdateCursor(rawValue: "1")) {
                customers.append(update.customer)
                if customers.count == 2 { break }
            }
            return customers
        }
        backend.add([Self.texts[1]], for: "ada")
        backend.add([Self.texts[2]], for: "bob")
        #expect(try await listener.valueInTime() == ["ada", "bob"])
    }

    @Test("A script makes single calls fail, return false evidence, or succeed")
    func script() async throws {
        struct Fault: Error {}
        let backend = ScriptedBackend(clock: VirtualClock(.day(0)))
        backend.setHistory([Self.texts[0]], of: "ada")
        backend.setHistory([Self.texts[2]], of: "bob")
        backend.next(.history, .fail(Fault()), .empty, .evidence(of: "bob"), .garbage)
        await #expect(throws: Fault.self) { try await backend.history(for: "ada", after: nil) }
        #expect(try await backend.history(for: "ada", after: nil).items.isEmpty)
        #expect(try await backend.history(for: "ada", after: nil).items == [Self.texts[2]])
        #expect(try await backend.history(for: "ada", after: nil).items.allSatisfy { VerifiedText($0) == nil })
        #expect(try await backend.history(for: "ada", after: nil).items == [Self.texts[0]])
        #expect(backend.calls.count == 5)
    }

    @Test("A hanging call ends when it is cancelled, a delayed one at its instant")
    func waiting() async throws {
        let clock = VirtualClock(.day(0))
        let backend = ScriptedBackend(clock: clock)
        backend.setHistory([Self.texts[0]], of: "ada")
        backend.next(.history, .hang, .delay(1_000))
        let hanging = Task { try await backend.history(for: "ada", after: nil) }
        try await eventually("the call sleeps") { clock.sleeperCount > 0 }
        hanging.cancel()
        await #expect(throws: CancellationError.self) { try await hanging.valueInTime() }
        let delayed = Task { try await backend.history(for: "ada", after: nil).items }
        try await eventually("the call sleeps") { clock.sleeperCount > 0 }
        clock.advance(byMilliseconds: 1_000)
        #expect(try await delayed.valueInTime() == [Self.texts[0]])
    }

    @Test("Streams end when the script ends them, and a new stream continues after the last cursor")
    func streamEnds() async {
        let backend = ScriptedBackend(clock: VirtualClock(.day(0)))
        let stream = backend.updates(after: nil)
        backend.send(Array(Self.texts[..<2]), of: "ada")
        backend.endStreams()
        backend.send([Self.texts[2]])
        var cursors: [UpdateCursor?] = []
        for await update in stream { cursors.append(update.cursor) }
        #expect(cursors.count == 3)
        for await update in backend.updates(after: cursors[1]) {
            #expect(update.cursor == cursors[2])
            break
        }
    }

    @Test("Purchases return the scripted results, then a cancellation")
    func purchases() async throws {
        let backend = ScriptedBackend(clock: VirtualClock(.day(0)))
        backend.willPurchase(
            .success(.success(Self.texts[2])), .success(.pending(.askToBuy)),
            .failure(PurchaseError(.purchaseNotAllowed, "no")))
        let buy = { try await backend.purchase(TestShop.removeAds, options: [.quantity(1)], for: "ada") }
        #expect(try await buy() == .success(Self.texts[2]))
        #expect(try await buy() == .pending(.askToBuy))
        await #expect(throws: PurchaseError(.purchaseNotAllowed, "")) { try await buy() }
        #expect(try await buy() == .userCancelled)
        #expect(backend.calls.last == .purchase(TestShop.removeAds.id, [.quantity(1)], "ada"))
    }

    @Test("The clocks conform to the port")
    func clocks() async {
        await ClockConformance { VirtualClock(.day(0)) }.run()
        await ClockConformance { WallClock() }.run()
    }
}

/// A text that has the form of evidence.
private struct VerifiedText {
    init?(_ text: String) {
        guard let jws = CompactJWS(text), let payload = Base64URL.decode(jws.payload),
            (try? JSONReader().read(payload)) != nil
        else { return nil }
    }
}
