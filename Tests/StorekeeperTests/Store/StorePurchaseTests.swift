import FoundationEssentials
import Storekeeper
import StorekeeperTesting
import Testing

@Suite(.timeLimit(.minutes(20))) struct StorePurchaseTests {
    private static let now = Instant.day(10)
    private let coins = TransactionDraft.purchase(of: TestShop.coins, at: now, id: "2000")
    private let ads = TransactionDraft.purchase(of: TestShop.removeAds, at: now, id: "3000")
    private let old = TransactionDraft.purchase(of: TestShop.coins, at: .day(2), id: "1500")

    /// Buys a product and returns the result, or the error, in words.
    private func buy(_ id: Product.ID = TestShop.coins.id, in shop: PurchasingStore) async throws -> String {
        do {
            switch try await shop.purchase(productID: id) {
            case .success(.verified(let transaction)): return "bought \(transaction.id)"
            case .success(let result): return "unverified \(result.unsafePayloadValue.id)"
            case .pending(let reason, _): return "pending \(reason.rawValue)"
            case .userCancelled: return "cancelled"
            }
        } catch let error as PurchaseError {
            return "thrown \(error.code.rawValue)"
        }
    }

    @Test("A purchase is owned, credited, delivered and finished when the call returns")
    func purchases() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        bench.backend.willPurchase { [coins] in .success(coins.jws) }
        #expect(try await buy(in: shop) == "bought 2000")
        #expect(shop.store.balance(of: "coins").amount == 500)
        #expect(bench.deliveries == ["2000"])
        #expect(bench.backend[\.finished] == ["2000"])
        #expect(await !shop.isPurchasing(TestShop.coins.id))
    }

    @Test("An earlier transaction that the App Store returns counts once", arguments: [false, true])
    func oldTransaction(isKnown: Bool) async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        if isKnown { try await shop.store.ingest([old.jws]) }
        bench.backend.willPurchase { [old] in .success(old.jws) }
        #expect(try await buy(in: shop) == "bought 1500")
        #expect(shop.store.balance(of: "coins").amount == 500)
        #expect(bench.backend[\.finished] == ["1500"])
    }

    @Test("A purchase that the stream delivered first counts once")
    func streamIsFaster() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        bench.backend.willPurchase { [coins] in
            try await shop.store.ingest([coins.jws])
            return .success(coins.jws)
        }
        #expect(try await buy(in: shop) == "bought 2000")
        #expect(shop.store.balance(of: "coins").amount == 500)
        #expect(bench.deliveries == ["2000"])
    }

    @Test("Owed deliveries are made and finished before the App Store is asked")
    func drainsFirst() async throws {
        let bench = StoreBench(Self.now)
        bench.refuseDeliveries(1)
        let shop = try await bench.openPurchasing()
        try await shop.store.ingest([old.jws])
        #expect(bench.backend[\.finished].isEmpty)
        bench.backend.willPurchase { [coins] in .success(coins.jws) }
        _ = try await shop.purchase(productID: TestShop.coins.id)
        #expect(bench.backend[\.log] == ["finish 1500", "purchase coins.500", "finish 2000"])
    }

    @Test("A second purchase of a product is refused while the first is in progress")
    func oneAtATime() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        bench.backend.willPurchase { [coins] in
            await #expect(throws: PurchaseError(.inProgress, "")) {
                try await shop.purchase(productID: TestShop.coins.id)
            }
            #expect(await shop.isPurchasing(TestShop.coins.id))
            #expect(await !shop.isPurchasing(TestShop.removeAds.id))
            return .success(coins.jws)
        }
        #expect(try await buy(in: shop) == "bought 2000")
        #expect(try await buy(in: shop) == "cancelled")
    }

    @Test("Refusals and failures of the App Store are thrown; a cancellation is a result")
    func failures() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        bench.backend.willPurchase { throw PurchaseError(.purchaseNotAllowed, "no") }
        bench.backend.willPurchase { throw PurchaseError(.networkError, "no") }
        bench.backend.willPurchase { throw StubBackend.ConnectionLost() }
        bench.backend.willPurchase { .userCancelled }
        var words: [String] = []
        for _ in 0..<4 { words.append(try await buy(in: shop)) }
        #expect(words == ["thrown purchaseNotAllowed", "thrown networkError", "thrown systemError", "cancelled"])
        #expect(shop.store.snapshot.balances.isEmpty)
    }

    @Test("A forged purchase is returned as unverified, entitles to nothing and is not finished")
    func forged() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        bench.backend.willPurchase { [coins] in .success(coins.forged) }
        guard case .success(let result) = try await shop.purchase(productID: TestShop.coins.id) else {
            Issue.record("the purchase has no transaction")
            return
        }
        #expect(throws: VerificationError.self) { try result.payloadValue }
        #expect(result.unsafePayloadValue.id == "2000")
        #expect(shop.store.balance(of: "coins").amount == 0)
        #expect(bench.backend[\.finished].isEmpty)
    }

    @Test("Text that is no transaction, and a transaction of another product or customer, fail verification")
    func notWhatWasAskedFor() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        let bert = try await bench.open(customer: "bert")
        var other = coins
        (other.id, other.originalID) = ("2500", "2500")
        try await bert.ingest([other.jws])
        bench.backend.willPurchase { .success("nonsense") }
        bench.backend.willPurchase { [other] in .success(other.jws) }
        for _ in 0..<2 { #expect(try await buy(in: shop) == "thrown failedVerification") }
        #expect(shop.store.balance(of: "coins").amount == 0)
        #expect(bench.backend[\.finished] == ["2500"])
        for _ in 0..<2 {
            bench.backend.willPurchase { [ads] in .success(ads.jws) }
            #expect(try await buy(in: shop) == "thrown failedVerification")
        }
        // The transaction is verified, so it counts for its own product.
        #expect(shop.store.isEntitled(TestShop.removeAds.id))
    }

    @Test("A transaction that the customer had before may carry an earlier token; a new one may not")
    func earlierToken() async throws {
        let (first, second) = (UUID(), UUID())
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        func receive(_ draft: TransactionDraft, ordering token: UUID) async throws -> PurchaseResult {
            bench.backend.willPurchase { [jws = draft.owned(by: first.uuidString).jws] in .success(jws) }
            return try await shop.purchase(TestShop.coins, options: [.appAccountToken(token)])
        }
        _ = try await receive(coins, ordering: first)
        _ = try await receive(coins, ordering: second)
        var other = coins
        (other.id, other.originalID) = ("2500", "2500")
        await #expect(throws: PurchaseError(.failedVerification, "")) { _ = try await receive(other, ordering: second) }
    }

    @Test("An earlier transaction that the vault does not have yet may carry an earlier token")
    func unknownEarlierToken() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        bench.backend.willPurchase { [jws = old.owned(by: UUID().uuidString).jws] in .success(jws) }
        let result = try await shop.purchase(TestShop.coins, options: [.appAccountToken(UUID())])
        guard case .success(.verified(let transaction)) = result else {
            Issue.record("the earlier transaction was not returned")
            return
        }
        #expect(transaction.id == "1500")
        #expect(bench.backend[\.finished] == ["1500"])
    }

    @Test("A new transaction with another token is refused, also if the stream delivered it first")
    func streamedToken() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        let jws = coins.owned(by: UUID().uuidString).jws
        bench.backend.willPurchase {
            try await shop.store.ingest([jws])
            return .success(jws)
        }
        await #expect(throws: PurchaseError(.failedVerification, "")) {
            try await shop.purchase(TestShop.coins, options: [.appAccountToken(UUID())])
        }
    }

    @Test("A purchase that could not be written is not finished and can be ingested later")
    func unwritten() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        bench.backend.willPurchase { [coins, vault = bench.vault] in
            vault.failWrites()
            return .success(coins.jws)
        }
        await #expect(throws: VaultError.self) { try await shop.purchase(productID: TestShop.coins.id) }
        #expect(bench.backend[\.finished].isEmpty)
        #expect(await !shop.isPurchasing(TestShop.coins.id))
        try await shop.store.ingest([coins.jws])
        #expect(shop.store.balance(of: "coins").amount == 500)
        #expect(bench.backend[\.finished] == ["2000"])
    }

    @Test("A pending purchase survives a restart, and ends by approval or at its end")
    func pending() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        bench.backend.willPurchase { .pending(.askToBuy) }
        let id = TestShop.removeAds.id
        #expect(try await buy(id, in: shop) == "pending askToBuy")
        #expect(shop.store.entitlement(for: id) == .pending(.askToBuy))
        let restarted = try await bench.open()
        #expect(restarted.entitlement(for: id) == .pending(.askToBuy))
        // The pending purchase ends at an exact millisecond, without an event.
        let end = Self.now.adding(days: 1)
        #expect(restarted.entitlement(for: id, at: end.adding(milliseconds: -1)).word == "pending")
        #expect(restarted.entitlement(for: id, at: end).word != "pending")
        // An approval also ends the pending purchase.
        bench.clock.advance(byMilliseconds: 3_600_000)
        let approved = TransactionDraft.purchase(of: TestShop.removeAds, at: bench.clock.now, id: "3000")
        try await restarted.ingest([approved.jws])
        #expect(restarted.isEntitled(id))
        #expect(try await bench.vault.load("anna").pending.isEmpty)
        #expect(bench.deliveries == ["3000"])
    }

    @Test("Pending purchases in memory equal those that a load returns, after each step and at each instant")
    func pendingAsLoaded() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        let pass = TransactionDraft.purchase(of: TestShop.seasonPass, at: Self.now, id: "1")
        func expectAsLoaded(_ count: Int, _ comment: Comment) async throws {
            #expect(try await bench.vault.load("anna").pending.count == count, comment)
            let days = (0...4).map { Self.now.adding(days: $0) }
            let (store, loaded) = (shop.store.snapshot, try await bench.open().snapshot)
            #expect(
                days.map { store.entitlement(for: TestShop.removeAds.id, at: $0) }
                    == days.map { loaded.entitlement(for: TestShop.removeAds.id, at: $0) }, comment)
        }
        bench.backend.willPurchase { .pending(.askToBuy) }
        _ = try await shop.purchase(productID: TestShop.removeAds.id)
        try await expectAsLoaded(1, "the purchase is pending")
        // The end of the pending purchase has passed when other evidence arrives.
        bench.clock.set(Self.now.adding(days: 2))
        try await shop.store.ingest([pass.jws])
        try await expectAsLoaded(1, "another purchase was learned")
        bench.backend.willPurchase { .pending(.askToBuy) }
        _ = try await shop.purchase(productID: TestShop.badge.id)
        try await expectAsLoaded(1, "another purchase is pending")
        try await shop.store.ingest([pass.signed(at: Self.now.adding(days: 2)).jws])
        try await expectAsLoaded(1, "a newer copy was learned")
    }

    @Test("A bank approval is pending as long as the app configures, by default without end")
    func bankApproval() async throws {
        let id = TestShop.removeAds.id
        for (lifetime, end) in [
            (nil, Instant.distantFuture), (3_600_000, Self.now.adding(milliseconds: 3_600_000)),
        ] as [(Int64?, Instant)] {
            let bench = StoreBench(Self.now)
            var configuration = StoreBench.configuration
            configuration.bankApprovalLifetime = lifetime.map { .milliseconds($0) }
            let shop = try await bench.openPurchasing(configuration)
            bench.backend.willPurchase { .pending(.bankApproval) }
            guard case .pending(.bankApproval, let until) = try await shop.purchase(productID: id) else {
                Issue.record("the purchase is not pending")
                continue
            }
            #expect(until == end)
            // A store that reads the vault has the same answer.
            let restarted = try await bench.open()
            #expect(restarted.entitlement(for: id, at: end.adding(milliseconds: -1)) == .pending(.bankApproval))
            let later = restarted.entitlement(for: id, at: Self.now.adding(days: 9))
            #expect((later == .pending(.bankApproval)) == (lifetime == nil))
        }
    }

    @Test("A declined purchase ends at once, and an unanswered one ends with an event")
    func declined() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        bench.backend.willPurchase { .pending(.bankApproval) }
        bench.backend.willPurchase { .pending(.askToBuy) }
        _ = try await shop.purchase(productID: TestShop.removeAds.id)
        try await bench.running(shop.store) {
            try await eventually("synced") { shop.store.snapshot.freshness.syncedAt != nil }
            bench.backend.send(TransactionUpdate(.declined(TestShop.removeAds.id), customer: "anna"))
            try await eventually("declined") { shop.store.entitlement(for: TestShop.removeAds.id) == .never }
            _ = try await shop.purchase(productID: TestShop.badge.id)
            let end = Self.now.adding(days: 1)
            try await eventually("sleeps") { bench.clock.earliestWake == end }
            bench.clock.set(end)
            try await eventually("ended") { try await bench.events(about: TestShop.badge.id).count == 2 }
        }
        let events = try await bench.events(about: TestShop.badge.id)
        #expect(events.map(\.change.after.word) == ["pending", "never"])
        #expect(events.last?.change.at == Self.now.adding(days: 1))
    }

    @Test("Invalid options are refused before the App Store is asked")
    func options() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        let token = try #require(UUID(uuidString: "7a0d5b1e-0000-4000-8000-00000000000a"))
        let wrong: [(Product, Set<PurchaseOption>, PurchaseError.Code)] = [
            (TestShop.coins, [.quantity(0)], .invalidQuantity), (TestShop.coins, [.quantity(11)], .invalidQuantity),
            (TestShop.removeAds, [.quantity(2)], .invalidQuantity), (TestShop.gold, [.quantity(2)], .invalidQuantity),
            (TestShop.coins, [.quantity(1), .quantity(2)], .invalidOptions),
            (TestShop.coins, [.winBackOffer(id: "x")], .ineligibleForOffer),
            (TestShop.gold, [.winBackOffer(id: "x"), .promotionalOffer(id: "y", compactJWS: nil)], .invalidOptions),
        ]
        for (product, options, code) in wrong {
            await #expect(throws: PurchaseError(code, "")) { try await shop.purchase(product, options: options) }
        }
        await #expect(throws: PurchaseError(.productUnavailable, "")) { try await shop.purchase(productID: "misspelt") }
        #expect(bench.backend[\.options].isEmpty)
        _ = try await shop.purchase(TestShop.coins, options: [.quantity(10), .appAccountToken(token)])
        #expect(bench.backend[\.options] == [[.quantity(10), .appAccountToken(token)]])
    }

    @Test("A customer whose id is a UUID buys with it as the account token")
    func ownToken() async throws {
        let id = "7a0d5b1e-0000-4000-8000-00000000000a"
        let bench = StoreBench(Self.now, customer: CustomerID(rawValue: id))
        let shop = try await bench.openPurchasing()
        _ = try await shop.purchase(productID: TestShop.coins.id)
        #expect(bench.backend[\.options] == [[.appAccountToken(try #require(UUID(uuidString: id)))]])
        var other = coins
        other.appAccountToken = "7a0d5b1e-0000-4000-8000-00000000000b"
        bench.backend.willPurchase { [other] in .success(other.jws) }
        #expect(try await buy(in: shop) == "thrown failedVerification")
    }

    @Test("A cancelled purchase throws, and a transaction that was made anyway arrives by the stream")
    func cancelledTask() async throws {
        let bench = StoreBench(Self.now)
        let shop = try await bench.openPurchasing()
        bench.backend.willPurchase {
            withUnsafeCurrentTask { $0?.cancel() }
            try Task.checkCancellation()
            return .userCancelled
        }
        let task = Task { try await shop.purchase(productID: TestShop.coins.id) }
        await #expect(throws: CancellationError.self) { try await task.valueInTime() }
        #expect(await !shop.isPurchasing(TestShop.coins.id))
        try await shop.store.ingest([coins.jws])
        #expect(shop.store.balance(of: "coins").amount == 500)
    }
}
