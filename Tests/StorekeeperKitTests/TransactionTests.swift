import Foundation
import Storekeeper
import StorekeeperKit
import StorekeeperSimulator
import Testing

/// Tests of the transactions of a customer under StoreKit's names.
struct TransactionTests {
    private typealias Transaction = StoreKit.Transaction
    private typealias Product = StoreKit.Product

    /// Returns the product ids of a sequence that ends.
    private func products(of transactions: Transaction.Transactions) async -> [String] {
        var ids: [String] = []
        for await result in transactions { ids.append(result.unsafePayloadValue.productID) }
        return ids
    }

    @Test("A transaction is unfinished until the app finishes it, and is delivered once then")
    func finishing() async throws {
        let session = try KitShop.session()
        try session.buyProduct(productIdentifier: "remove.ads")
        let store = try await session.openStore(deliver: StoreKit.deliversInApp)
        try await store.store.sync()
        try await StoreKit.withStore(store) {
            #expect(await products(of: Transaction.unfinished) == ["remove.ads"])
            // Another attempt of the store does not finish the transaction either.
            #expect(await !store.store.deliverUnfinished())
            #expect(session.allTransactions().map(\.isFinished) == [false])

            for await result in Transaction.unfinished { await result.unsafePayloadValue.finish() }
            #expect(await products(of: Transaction.unfinished).isEmpty)
            #expect(session.allTransactions().map(\.isFinished) == [true])

            let coins = try #require(try await Product.products(for: ["coins.100"]).first)
            guard case .success(let bought) = try await coins.purchase() else {
                Issue.record("the coins were not bought")
                return
            }
            #expect(await products(of: Transaction.unfinished) == ["coins.100"])
            await bought.unsafePayloadValue.finish()
            await bought.unsafePayloadValue.finish()
            #expect(await products(of: Transaction.unfinished).isEmpty)
        }
    }

    @Test("The number of finished transactions in memory is limited, and the newest are kept")
    func finishedInMemory() {
        func key(_ number: Int) -> TransactionKey {
            TransactionKey(
                bundleID: "com.example.game", environment: .sandbox, transactionID: .init(rawValue: "\(number)"))
        }
        var finished = FinishedTransactions()
        let capacity = FinishedTransactions.capacity
        for number in 0...capacity { finished.insert(key(number)) }
        #expect(!finished.contains(key(0)) && finished.contains(key(1)) && finished.contains(key(capacity)))
        // A transaction that is finished again counts once, as a new one.
        finished.insert(key(1))
        finished.insert(key(capacity + 1))
        #expect(finished.contains(key(1)) && !finished.contains(key(2)) && finished.contains(key(3)))
        finished.remove(key(3))
        #expect(!finished.contains(key(3)))
    }

    @Test("Updates begin with unfinished transactions; the result of a purchase is not among them, but its refund is")
    func updates() async throws {
        let session = try KitShop.session()
        try session.buyProduct(productIdentifier: "coins.100")
        let journal = AppJournal()
        try await session.running(deliver: StoreKit.deliversInApp) { _ in
            let listener = Task {
                for await result in Transaction.updates {
                    let transaction = result.unsafePayloadValue
                    let state = transaction.revocationDate == nil ? "bought" : "refunded"
                    await journal.write("\(state) \(transaction.productID)")
                }
            }
            defer { listener.cancel() }
            try await eventually("the unfinished one arrives") { await journal.lines.count == 1 }
            let ads = try #require(try await Product.products(for: ["remove.ads"]).first)
            _ = try await ads.purchase()
            try session.refundTransaction(identifier: session.newest("remove.ads"))
            try await eventually("the refund arrives") { await journal.lines.last == "refunded remove.ads" }
        }
        #expect(await journal.lines == ["bought coins.100", "refunded remove.ads"])
    }

    @Test("Each loop over updates receives every update, also one that begins later")
    func severalLoops() async throws {
        let session = try KitShop.session()
        let journals = [AppJournal(), AppJournal()]
        try await session.running { _ in
            func listen(_ journal: AppJournal) -> Task<Void, Never> {
                Task {
                    for await result in Transaction.updates { await journal.write("\(result.unsafePayloadValue.id)") }
                }
            }
            let first = listen(journals[0])
            try session.buyProduct(productIdentifier: "remove.ads")
            try session.buyProduct(productIdentifier: "coins.100")
            try await eventually("both arrive") { await journals[0].lines.count == 2 }
            let second = listen(journals[1])
            try await eventually("both arrive later") { await journals[1].lines.count == 2 }
            try session.refundTransaction(identifier: session.newest("remove.ads"))
            try await eventually("the refund arrives twice") {
                let (first, second) = await (journals[0].lines, journals[1].lines)
                return first.count == 3 && second.count == 3
            }
            first.cancel()
            second.cancel()
        }
        #expect(await Set(journals[0].lines) == Set(journals[1].lines))
    }

    @Test("All, latest and current transactions are those of StoreKit")
    func lists() async throws {
        let session = try KitShop.session()
        for product: Storekeeper.Product.ID in ["silver.monthly", "coins.100", "remove.ads"] {
            try session.buyProduct(productIdentifier: product)
            try session.advance(by: .seconds(60))
        }
        try session.advance(byDays: 40)
        try session.refundTransaction(identifier: session.newest("remove.ads"))
        try await session.synced {
            #expect(
                await products(of: Transaction.all).filter { $0 != "silver.monthly" } == ["remove.ads", "coins.100"])
            #expect(await products(of: Transaction.all(for: "silver.monthly")).count == 2)
            #expect(await products(of: Transaction.currentEntitlements) == ["silver.monthly"])
            #expect(await products(of: Transaction.currentEntitlements(for: "remove.ads")).isEmpty)
            #expect(await Transaction.currentEntitlement(for: "remove.ads") == nil)
            #expect(await Transaction.latest(for: "misspelt") == nil)

            let ads = try #require(await Transaction.latest(for: "remove.ads")).payloadValue
            #expect(ads.revocationReason == .other)
            #expect(ads.productType == .nonConsumable)
            #expect(ads.reason == .purchase)
            #expect(ads.environment == .sandbox)
            #expect(ads.ownershipType == .purchased)
            #expect(ads.price == 4)
            #expect(ads.currency?.identifier == "USD")
            #expect(ads.storefront.countryCode == "USA")
            #expect(ads.debugDescription.contains("\"productId\":\"remove.ads\""))
            let silver = try #require(await Transaction.latest(for: "silver.monthly")).payloadValue
            #expect(silver.reason == .renewal)
            #expect(silver.originalID != silver.id)
            #expect(silver.subscriptionGroupID == "21400001")
            #expect(await silver.subscriptionStatus?.state == .subscribed)
            #expect(await ads.subscriptionStatus == nil)
            #expect(Set([silver, ads, silver]).count == 2)
        }
    }

    @Test("A result has the parts of the signed text")
    func signedText() async throws {
        let session = try KitShop.session()
        try session.buyProduct(productIdentifier: "silver.monthly")
        try await session.synced {
            let result = try #require(await Transaction.latest(for: "silver.monthly"))
            let parts = result.jwsRepresentation.split(separator: ".")
            #expect(parts.count == 3)
            #expect(String(decoding: result.headerData, as: UTF8.self).contains("ES256"))
            #expect(result.payloadData == result.unsafePayloadValue.jsonRepresentation)
            #expect(result.signatureData.count == 64)
            #expect(result.signedData == Data(parts.prefix(2).joined(separator: ".").utf8))
            #expect(result.signedDate == result.unsafePayloadValue.signedDate)
            #expect(result.deviceVerification.isEmpty)

            let status = try #require(try await Product.SubscriptionInfo.status(for: "21400001").first)
            #expect(status.renewalInfo.payloadData == status.renewalInfo.unsafePayloadValue.jsonRepresentation)
        }
    }

    @Test(
        "A purchase that fails verification is unverified for StoreKit's reason, and changes nothing",
        arguments: [SimulatedFailure.invalidSignature, .invalidCertificateChain, .revokedCertificate])
    func unverified(_ failure: SimulatedFailure) async throws {
        let session = try KitShop.session()
        try session.setSimulatedError(failure, forAPI: .verification)
        try await session.synced {
            let ads = try #require(try await Product.products(for: ["remove.ads"]).first)
            guard case .success(let result) = try await ads.purchase() else {
                Issue.record("the purchase has no result")
                return
            }
            guard case .unverified(let transaction, let error) = result else {
                Issue.record("the result is verified")
                return
            }
            #expect(transaction.productID == "remove.ads")
            #expect("\(error)" == failure.rawValue)
            #expect(throws: error) { try result.payloadValue }
            #expect(await unlockedProducts().isEmpty)
        }
    }

    @Test("The app transaction is the one given with the store")
    func appTransaction() async throws {
        let session = try KitShop.session()
        let store = try await session.openStore()
        let read: @Sendable () async throws -> String = { try session.store.appTransaction(of: session.customer) }
        try await StoreKit.withStore(store, appTransaction: read) {
            let app = try await AppTransaction.shared.payloadValue
            #expect(app.bundleID == session.bundleID)
            #expect(app.environment == .sandbox)
            #expect(try await AppTransaction.refresh() == .verified(app))
        }
    }

    @Test("The storefront is that of the newest transaction, and a change is an update")
    func storefront() async throws {
        let session = try KitShop.session()
        try session.buyProduct(productIdentifier: "remove.ads")
        let journal = AppJournal()
        try await session.running { _ in
            #expect(await Storefront.current?.countryCode == "USA")
            #expect(await Storefront.current?.currency?.identifier == "USD")
            let listener = Task {
                for await storefront in Storefront.updates { await journal.write(storefront.countryCode) }
            }
            defer { listener.cancel() }
            try session.buyProduct(productIdentifier: "coins.100")
            session.storefront = "DEU"
            try session.buyProduct(productIdentifier: "coins.100")
            try await eventually("the new storefront arrives") { await !journal.lines.isEmpty }
        }
        #expect(await journal.lines == ["DEU"])
    }
}
