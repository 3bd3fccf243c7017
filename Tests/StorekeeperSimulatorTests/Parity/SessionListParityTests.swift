import Foundation
import Storekeeper
import StorekeeperJWS
import Testing

@testable import StorekeeperSimulator

@Suite("SKTestSession: files, the list of transactions, buying", .timeLimit(.minutes(20)))
struct SessionListParityTests {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func folder(with text: String, named name: String, below: String = "") throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID().uuidString)")
        let place = below.isEmpty ? folder : folder.appending(path: below)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: place.appending(path: name))
        return folder
    }

    private static let shop = """
        {"identifier":"A1B2C3D4","products":[
           {"productID":"coins.100","type":"Consumable","displayPrice":"0.99"}],
         "settings":{"_storefront":"DEU","_askToBuyEnabled":true,"_timeRate":13},
         "subscriptionGroups":[{"id":"00AA11BB","name":"Pro","subscriptions":[
           {"productID":"pro","type":"RecurringSubscription","groupNumber":1,
            "recurringSubscriptionPeriod":"P1M","displayPrice":"9.99"}]}],
         "version":{"major":4,"minor":0}}
        """

    @Test("init(configurationFileNamed:) finds the file by its name, with and without the extension")
    func fileByName() throws {
        let folder = try Self.folder(with: Self.shop, named: "Shop.storekit", below: "Tests/Resources")
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["Shop", "Shop.storekit"] {
            let session = try SimulatedSession(configurationFileNamed: name, in: [folder])
            #expect(session.catalog.products.map(\.id) == ["coins.100", "pro"])
        }
        #expect(code { _ = try SimulatedSession(configurationFileNamed: "Other", in: [folder]) } == .fileNotFound)
    }

    @Test("init(configurationFileNamed:) takes the nearest of two files")
    func nearestFile() throws {
        let folder = try Self.folder(with: Self.shop, named: "Shop.storekit", below: "a/b")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder.appending(path: "z"), withIntermediateDirectories: true)
        try Data(#"{"products":[],"subscriptionGroups":[]}"#.utf8)
            .write(to: folder.appending(path: "z/Shop.storekit"))
        #expect(try SimulatedSession(configurationFileNamed: "Shop", in: [folder]).catalog.products.isEmpty)
    }

    @Test("init(contentsOf:) reads the file and honours its settings")
    func fileByLocation() throws {
        let folder = try Self.folder(with: Self.shop, named: "Shop.storekit")
        defer { try? FileManager.default.removeItem(at: folder) }
        let session = try SimulatedSession(contentsOf: folder.appending(path: "Shop.storekit"))
        #expect(session.storefront == "DEU")
        #expect(session.askToBuyEnabled)
        #expect(session.timeRate == .monthlyRenewalEveryFiveMinutes)
    }

    @Test("init(contentsOf:) refuses a file that is not a configuration")
    func badLocations() {
        let cases: [(String, SimulatorError.Code)] = [
            ("file:///nowhere/Shop.storekit", .fileNotFound), ("file:///nowhere/Shop.json", .invalidURL),
            ("https://example.com/Shop.storekit", .invalidURL),
        ]
        for (text, expected) in cases {
            #expect(code { _ = try SimulatedSession(contentsOf: URL(string: text)!) } == expected, "\(text)")
        }
    }

    @Test("Each session has its own store unless it opts into the shared one")
    func isolation() async throws {
        let folder = try Self.folder(with: Self.shop, named: "Shop.storekit")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Shop.storekit")
        let (one, other) = (try SimulatedSession(contentsOf: file), try SimulatedSession(contentsOf: file))
        one.askToBuyEnabled = false
        try await one.buyProduct(identifier: "coins.100")
        #expect(other.allTransactions().isEmpty)
        #expect(other.askToBuyEnabled)
        let shared = try SimulatedSession.shared(contentsOf: file)
        try shared.buyProduct(productIdentifier: "coins.100")
        #expect(try SimulatedSession.shared(contentsOf: file).allTransactions().count == 1)
    }

    @Test("allTransactions() lists the newest first, including pending, failed and refunded ones")
    func allTransactions() async throws {
        let session = try SimulatedSession.sample()
        let bought = try await session.buyProduct(identifier: "coins.100")
        try session.refundTransaction(identifier: bought.id)
        session.askToBuyEnabled = true
        try session.buyProduct(productIdentifier: "remove.ads")
        session.askToBuyEnabled = false
        session.interruptedPurchasesEnabled = true
        try session.buyProduct(productIdentifier: "season.pass")
        session.interruptedPurchasesEnabled = false
        session.failTransactionsEnabled = true
        #expect(await refusal { try session.buyProduct(productIdentifier: "coins.100") } == .unknown)
        let list = session.allTransactions()
        #expect(list.map(\.state) == [.failed, .failed, .deferred, .purchased])
        #expect(list.map(\.state.rawValue) == [2, 2, 4, 1])
        #expect(list.map(\.hasPurchaseIssue) == [false, true, false, false])
        #expect(list.map(\.pendingAskToBuyConfirmation) == [false, false, true, false])
        #expect(list.map(\.cancelDate) == [nil, nil, nil, session.now])
        #expect(list.map(\.identifier.rawValue.last) == ["4", "3", "2", "1"])
        #expect(list.allSatisfy { $0.purchaseDate == session.now })
    }

    @Test("A transaction of a subscription has its period, its chain and whether it renews")
    func subscriptionInList() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.advance(byDays: 30)
        let list = session.allTransactions()
        #expect(list.count == 2)
        #expect(list.map(\.originalTransactionIdentifier) == [first.id, first.id])
        #expect(list.first?.purchaseDate == first.expiresAt)
        #expect(list.first?.expirationDate?.minute == "2026-03-31T12:00")
        #expect(list.allSatisfy { $0.autoRenewingEnabled })
        try session.disableAutoRenewForTransaction(identifier: first.id)
        #expect(session.allTransactions().allSatisfy { !$0.autoRenewingEnabled })
    }

    @Test("The list can be filtered by product, date and state")
    func filters() async throws {
        let session = try SimulatedSession.sample()
        try await session.buyProduct(identifier: "coins.100")
        try session.advance(byDays: 1)
        let noon = session.now
        try await session.buyProduct(identifier: "season.pass")
        session.askToBuyEnabled = true
        try session.buyProduct(productIdentifier: "coins.100")
        func count(_ filter: TransactionFilter) -> Int { session.transactions(matching: filter).count }
        #expect(count(TransactionFilter()) == 3)
        #expect(count(TransactionFilter(product: "coins.100")) == 2)
        #expect(count(TransactionFilter(from: noon)) == 2)
        #expect(count(TransactionFilter(until: noon)) == 1)
        #expect(count(TransactionFilter(state: .deferred)) == 1)
        #expect(count(TransactionFilter(product: "season.pass", state: .deferred)) == 0)
    }

    @Test("clearTransactions() deletes all transactions and restores introductory offers; settings stay")
    func clear() async throws {
        let session = try SimulatedSession.sample()
        session.locale = "ja_JP"
        let trial = try await session.buyProduct(identifier: "pro.monthly")
        #expect(trial.offer?.type == .introductory)
        session.askToBuyEnabled = true
        try session.buyProduct(productIdentifier: "coins.100")
        session.askToBuyEnabled = false
        session.clearTransactions()
        #expect(session.allTransactions().isEmpty)
        #expect(try session.signedTransactions().isEmpty)
        #expect(session.locale == "ja_JP")
        #expect(try await session.answer() == "noPurchase")
        #expect(try await session.buyProduct(identifier: "pro.monthly").offer?.type == .introductory)
    }

    @Test("deleteTransaction(identifier:) deletes one transaction, and its introductory offer is available again")
    func delete() async throws {
        let session = try SimulatedSession.sample()
        let coins = try await session.buyProduct(identifier: "coins.100")
        let trial = try await session.buyProduct(identifier: "pro.monthly")
        for prefix in ["+", "0"] {
            // Another spelling of the same number is not the id.
            let other = Transaction.ID(rawValue: prefix + trial.id.rawValue)
            #expect(code { try session.deleteTransaction(identifier: other) } == .noTransactionFound)
        }
        try session.deleteTransaction(identifier: trial.id)
        #expect(session.allTransactions().map(\.identifier) == [coins.id])
        #expect(try await session.answer() == "noPurchase")
        #expect(code { try session.deleteTransaction(identifier: trial.id) } == .noTransactionFound)
        #expect(try await session.buyProduct(identifier: "pro.monthly").offer?.type == .introductory)
    }

    @Test("buyProduct(productIdentifier:) buys outside the app: without a token, and the app is notified")
    func buyOutside() throws {
        let session = try SimulatedSession.sample()
        let seen = session.store.happeningCount
        let listed = try session.buyProduct(productIdentifier: "coins.100")
        #expect(try session.signed(listed.identifier).appAccountToken == nil)
        #expect(try session.deliveredTransactions(after: seen) == [listed.identifier])
        #expect(code { try session.buyProduct(productIdentifier: "nothing") } == .invalidProductIdentifier)
    }

    @Test("buyProduct(identifier:options:) honours the options and returns the transaction")
    func buyWithOptions() async throws {
        let session = try SimulatedSession.sample()
        let token = UUID()
        let coins = try await session.buyProduct(
            identifier: "coins.100", options: [.appAccountToken(token), .quantity(3)])
        #expect(coins.appAccountToken == token)
        #expect(coins.purchasedQuantity == 3)
        #expect(coins.priceInMilliunits == 2970)
        let trial = try await session.buyProduct(identifier: "pro.monthly")
        let loyal = try await session.buyProduct(
            identifier: "basic.monthly", options: [.promotionalOffer(id: "loyal", compactJWS: nil)])
        #expect(loyal.id == trial.id)
        #expect(try session.renewalInfo().offer?.id == "loyal")
        #expect(try await session.synced().store.balance(of: "coins").amount == 300)
        let refused = await refusal {
            _ = try await session.buyProduct(identifier: "remove.ads", options: [.quantity(2)])
        }
        #expect(refused == .invalidQuantity)
    }

    @Test("buyProduct(identifier:options:) delivers through the stream of updates")
    func buyThroughUpdates() async throws {
        let session = try SimulatedSession.sample()
        let bought = try await session.buyProduct(identifier: "coins.100")
        #expect(try await session.streamed(after: 0) == [bought.id])
    }

    @Test("purchaseDate(_:renewalBehavior:): a purchase in the past renews until now, or ends with its period")
    func purchaseInThePast() async throws {
        let session = try SimulatedSession.sample()
        let past = SampleStore.day("2025-11-15T12:00:00Z")
        let renewing = try await session.buyProduct(
            identifier: "pro.monthly", request: PurchaseRequest(introductoryEligibility: false, purchaseDate: past))
        #expect(renewing.purchasedAt == past)
        #expect(try session.newest().purchasedAt.minute == "2026-01-15T12:00")
        #expect(session.allTransactions().count == 3)
        #expect(try await session.hasPro())

        let other = try session.joined(by: "ben")
        let once = try await other.buyProduct(
            identifier: "pro.monthly",
            request: PurchaseRequest(introductoryEligibility: false, purchaseDate: past, renewsUntilNow: false))
        #expect(once.expiresAt?.minute == "2025-12-15T12:00")
        #expect(other.allTransactions().count == 1)
        #expect(try await other.answer() == "expired")
    }

    @Test("A purchase in the past cannot begin in a paid period of the subscription")
    func purchaseInWhatWasPaid() async throws {
        let session = try SimulatedSession.sample()
        let first = try await session.subscribe()
        try session.advance(byDays: 5)
        let refundedAt = session.now
        try session.refundTransaction(identifier: first.id)
        for (date, isTaken) in [
            (first.purchasedAt.adding(days: -40), false), (refundedAt.adding(milliseconds: -1), false),
            (refundedAt, true),
        ] {
            let request = PurchaseRequest(introductoryEligibility: false, purchaseDate: date)
            guard isTaken else {
                await #expect(throws: SimulatorError.self) {
                    try await session.buyProduct(identifier: "pro.yearly", request: request)
                }
                #expect(session.allTransactions().count == 1)
                continue
            }
            #expect(try await session.buyProduct(identifier: "pro.yearly", request: request).purchasedAt == refundedAt)
        }
    }

    @Test(
        "A purchase in the past whose renewal is not paid has gone through all events since",
        arguments: [("2025-06-15T12:00:00Z", "expired"), ("2025-11-25T12:00:00Z", "billingRetry")])
    func purchaseInThePastThatIsNotPaid(past: String, state: String) async throws {
        let session = try SimulatedSession.sample()
        session.shouldEnterBillingRetryOnRenewal = true
        session.billingGracePeriodIsEnabled = true
        try await session.buyProduct(
            identifier: "pro.monthly",
            request: PurchaseRequest(introductoryEligibility: false, purchaseDate: SampleStore.day(past)))
        #expect(try await session.answer() == state)
    }
}
