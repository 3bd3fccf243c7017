import Foundation
import Storekeeper
import StorekeeperKit
import StorekeeperSimulator
import Testing

/// Tests that code with only StoreKit's names works with a store whose customer buys from the simulator.
///
/// The samples make the calls of the fourteen samples in Apple's session "What's new in StoreKit testing" (2022), and
/// the calls of StoreHelper's main class.
struct SamplesTests {
    @Test("No sample names Storekeeper, except to import the modules in place of StoreKit and StoreKitTest")
    func onlyStoreKitsNames() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count == 7)
        for file in files {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let names = lines.filter { $0.contains("Storekeeper") }
            let imports: Set<Substring> = ["import StorekeeperKit", "import StorekeeperSimulator"]
            #expect(Set(names).isSubset(of: imports), "\(file.lastPathComponent)")
        }
    }

    /// Runs a loop over updates and an action at the same time, until the loop has written a given line.
    private func follow(
        _ session: SimulatedSession, until last: String, loop: @escaping @Sendable (AppJournal) async throws -> Void,
        while something: (PurchasingStore) async throws -> Void
    ) async throws -> [String] {
        let journal = AppJournal()
        return try await session.running { store in
            let listener = Task { try await loop(journal) }
            defer { listener.cancel() }
            try await something(store)
            try await eventually("'\(last)' is written") { await journal.lines.contains(last) }
            return await journal.lines
        }
    }

    // MARK: Products and refunds

    @Test("1, 2: a subscription has texts, and a refund form closes when the request was sent")
    func optionsAndForms() async throws {
        let products = try await KitShop.session().synced { try await Product.products(for: ["gold.monthly"]) }
        let option = SubscriptionOption(subscription: try #require(products.first))
        #expect(option.title == "Gold")
        #expect(option.details == "Gold, every month.")

        var form = RefundForm()
        #expect(!form.canBeSent)
        form.selectedTransactionID = 7
        #expect(form.canBeSent)
        form.sheetClosed(with: .failure(.duplicateRequest))
        form.sheetClosed(with: .success(.userCancelled))
        #expect(form.isPresented)
        form.sheetClosed(with: .success(.success))
        #expect(!form.isPresented)
    }

    @Test("3: a refund is an update of the transaction, with its reason")
    func refunds() async throws {
        let session = try KitShop.session()
        let lines = try await follow(session, until: "no more remove.ads", loop: watchRefunds) { store in
            _ = try await store.purchase(productID: "remove.ads")
            try session.perform(.refund(.id(session.newest("remove.ads")), percentage: nil, reason: .developerIssue))
        }
        #expect(lines == ["remove.ads did not work", "no more remove.ads"])
    }

    // MARK: Offers

    @Test("4, 5: a redeemed code arrives as a transaction, and as a status")
    func redemptions() async throws {
        let session = try KitShop.session()
        let loop: @Sendable (AppJournal) async -> Void = { journal in
            await withTaskGroup { group in
                group.addTask { await watchRedemptions(journal) }
                group.addTask { await watchStatuses(journal) }
            }
        }
        let journal = AppJournal()
        try await session.running { _ in
            let listener = Task { await loop(journal) }
            defer { listener.cancel() }
            let button = RedeemButton()
            try await button.tap {
                #expect(button.isSheetOpen)
                try session.perform(.redeemOfferCode("WELCOME", product: "gold.monthly", by: session.customer))
            }
            #expect(!button.isSheetOpen)
            try await eventually("both loops write") { await journal.lines.count == 2 }
        }
        #expect(await Set(journal.lines) == ["bought gold.monthly", "gold.monthly: Subscribed"])
    }

    @Test("6: the offer of the current period is in the transaction")
    func currentOffer() async throws {
        let session = try KitShop.session()
        let lines = try await follow(session, until: "offer code WELCOME", loop: watchCurrentOffers) { _ in
            try session.perform(.redeemOfferCode("WELCOME", product: "gold.monthly", by: session.customer))
        }
        #expect(lines == ["offer code WELCOME"])
    }

    @Test("7: the offer of the next period is in the renewal info")
    func nextOffer() async throws {
        let session = try KitShop.session()
        let lines = try await follow(session, until: "next: offer code WELCOME", loop: watchNextOffers) { store in
            _ = try await store.purchase(productID: "silver.monthly")
            try session.perform(.redeemOfferCode("WELCOME", product: "silver.monthly", by: session.customer))
        }
        #expect(lines.last == "next: offer code WELCOME")
    }

    // MARK: Messages and prices

    @Test("8: messages wait in a box, or are displayed")
    func messages() async throws {
        let session = try KitShop.session()
        let shown = AppJournal()
        let waiting = MessageBox(display: nil)
        let showing = MessageBox(
            display: DisplayMessageAction { message in
                Task { await shown.write(message.reason.localizedDescription) }
            })
        try await session.running { store in
            let listeners = [Task { await waiting.listen() }, Task { await showing.listen() }]
            defer { for listener in listeners { listener.cancel() } }
            _ = try await store.purchase(productID: "silver.monthly")
            try session.requestPriceIncreaseConsentForTransaction(identifier: session.newest("silver.monthly"))
            try await eventually("the message arrives") {
                let (pending, lines) = await (waiting.pendingMessages, shown.lines)
                return pending.map(\.reason) == [.priceIncreaseConsent] && !lines.isEmpty
            }
        }
        #expect(await shown.lines == ["Price Increase Consent"])
        #expect(await showing.pendingMessages.isEmpty)
    }

    @Test("9: the renewal info says whether the customer agreed to a price increase", arguments: [true, false])
    func priceIncreases(agrees: Bool) async throws {
        let session = try KitShop.session()
        let last = agrees ? "agreed to the new price" : "ended because of the new price"
        let lines = try await follow(session, until: last, loop: { try await watchPriceIncreases($0) }) { store in
            _ = try await store.purchase(productID: "silver.monthly")
            let id = try session.newest("silver.monthly")
            try session.requestPriceIncreaseConsentForTransaction(identifier: id)
            if agrees {
                try session.consentToPriceIncreaseForTransaction(identifier: id)
            } else {
                try session.declinePriceIncreaseForTransaction(identifier: id)
                try session.expireSubscription(productIdentifier: "silver.monthly")
            }
        }
        #expect(lines == [last])
    }

    @Test("10: a test of a price increase in the manner of StoreKitTest", arguments: [true, false])
    func priceIncreaseTest(agrees: Bool) async throws {
        try await testPriceIncrease(agrees: agrees) { session in
            try session.buyProduct(productIdentifier: "silver.monthly")
        } check: { session, isUnlocked in
            let isEntitled = try await session.synced { await isUnlocked("silver.monthly") }
            #expect(isEntitled == agrees)
        }
    }

    // MARK: Billing

    @Test("11, 13: a failed renewal gives access in the grace period, and none in billing retry")
    func failedRenewals() async throws {
        let session = try KitShop.session()
        session.billingGracePeriodIsEnabled = true
        session.shouldEnterBillingRetryOnRenewal = true
        let loop: @Sendable (AppJournal) async throws -> Void = { journal in
            try await watchFailedRenewals(journal) { session.now.date }
        }
        let journal = AppJournal()
        try await session.running { store in
            let listener = Task { try await loop(journal) }
            defer { listener.cancel() }
            _ = try await store.purchase(productID: "silver.monthly")
            try session.advance(byDays: 32)
            // The loop reads the status of the current time, so the clock must not advance before the loop has read it.
            try await eventually("the grace period is written") { await journal.lines.count == 1 }
            #expect(await unlockedProducts() == ["silver.monthly"])
            try session.advance(byDays: 16)
            try await eventually("billing retry is written") { await journal.lines.last == "in billing retry" }
            #expect(await unlockedProducts().isEmpty)
        }
        let lines = await journal.lines
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("in grace until") == true)
    }

    @Test("12: a note about the failed payment is shown while the App Store tries again")
    func note() async throws {
        let session = try KitShop.session()
        session.shouldEnterBillingRetryOnRenewal = true
        try session.buyProduct(productIdentifier: "silver.monthly")
        func note() async throws -> SubscriptionNote {
            try await session.synced {
                let product = try #require(try await Product.products(for: ["silver.monthly"]).first)
                let status = try #require(try await product.subscription?.status.first)
                return SubscriptionNote(currentSubscription: product, status: status)
            }
        }
        #expect(try await note().text == nil)
        try session.advance(byDays: 32)
        #expect(try await note().text?.contains("Silver") == true)
        #expect(try await note().link != nil)
    }

    @Test("14: a test of a failed renewal in the manner of StoreKitTest")
    func failedRenewalTest() async throws {
        var days = [32, 16]
        try await testFailedRenewal { session in
            try session.buyProduct(productIdentifier: "silver.monthly")
        } wait: { session in
            try session.advance(byDays: days.removeFirst())
        } isUnlocked: { session in
            try await session.synced { await unlockedProducts().contains("silver.monthly") }
        }
        #expect(days.isEmpty)
    }
}
