import Foundation
import Storekeeper
import StorekeeperKit
import StorekeeperSimulator
import Testing

/// Tests of products, of their subscriptions and of purchases under StoreKit's names.
struct ProductTests {
    private typealias Product = StoreKit.Product

    /// Returns a product of the shop, bound to a store of the session.
    private func product(_ id: String, _ session: SimulatedSession) async throws -> Product {
        try await session.synced { try #require(try await Product.products(for: [id]).first) }
    }

    @Test("A product has its texts, its price and its offers")
    func description() async throws {
        let gold = try await product("gold.monthly", KitShop.session())
        #expect(gold.type == .autoRenewable)
        #expect(gold.price == Decimal(string: "9.99"))
        #expect(gold.displayPrice == "$9.99")
        #expect(gold.isFamilyShareable)
        let subscription = try #require(gold.subscription)
        #expect(subscription.subscriptionGroupID == "21400001")
        #expect(subscription.groupDisplayName == "Membership")
        #expect(subscription.groupLevel == 1)
        #expect(subscription.subscriptionPeriod == .monthly)
        let trial = try #require(subscription.introductoryOffer)
        #expect(trial.paymentMode == .freeTrial)
        #expect(trial.period == .weekly)
        #expect(trial.id == nil)
        let loyal = try #require(subscription.promotionalOffers.first)
        #expect(loyal.id == "loyal")
        #expect(loyal.type == .promotional)
        #expect(loyal.periodCount == 2)
        #expect(loyal.displayPrice == "$2.00")
        #expect(subscription.winBackOffers.map(\.paymentMode) == [.payUpFront])
        #expect(try await product("remove.ads", KitShop.session()).subscription == nil)
    }

    @Test(
        "A price is written as in the United States, with the decimal places of its currency",
        arguments: [
            ("9.99", "USD", "$9.99"), ("4", "USD", "$4.00"), ("0.5", "EUR", "€0.50"), ("1200", "JPY", "¥1,200"),
            ("1.125", "KWD", "KWD\u{A0}1.125"), ("3", "", "3"),
        ])
    func prices(_ amount: String, _ currency: String, _ text: String) async throws {
        let record = Storekeeper.Product(
            id: "one", type: .consumable, price: Decimal(string: amount),
            currencyCode: currency.isEmpty ? nil : currency)
        let source = CatalogProductSource(Catalog(products: [record], groups: [], features: []))
        let product = try await StoreKit.withStore(KitShop.session().openStore(), products: source) {
            try await Product.products(for: ["one"]).first
        }
        #expect(product?.displayPrice == text)
    }

    @Test("Periods end by the calendar")
    func periods() throws {
        let start = Date(timeIntervalSince1970: 1_769_860_800)  // 2026-01-31T12:00:00Z
        let monthly = Product.SubscriptionPeriod.monthly.dateRange(referenceDate: start)
        #expect(monthly.upperBound == Date(timeIntervalSince1970: 1_772_280_000))  // 2026-02-28T12:00:00Z
        #expect(
            Product.SubscriptionPeriod.everyTwoWeeks.dateRange(referenceDate: start).upperBound
                == start.addingTimeInterval(14 * 86_400))
        #expect(Product.SubscriptionPeriod.yearly.debugDescription == "1 year")
    }

    @Test("A customer is eligible for an introductory offer once, and not while a subscription of the group runs")
    func introductoryOffer() async throws {
        let session = try KitShop.session()
        func isEligible() async throws -> Bool {
            let gold = try await product("gold.monthly", session)
            let isEligible = await gold.subscription?.isEligibleForIntroOffer
            let ofGroup = try await session.synced {
                await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "21400001")
            }
            #expect(isEligible == ofGroup)
            return ofGroup
        }
        #expect(try await isEligible())
        try session.buyProduct(productIdentifier: "silver.monthly")
        #expect(try await !isEligible())
        try session.expireSubscription(productIdentifier: "silver.monthly")
        #expect(try await isEligible())
        try session.buyProduct(productIdentifier: "gold.monthly")
        try session.expireSubscription(productIdentifier: "gold.monthly")
        #expect(try await !isEligible())
    }

    @Test("A bought subscription has a status with a verified renewal info")
    func status() async throws {
        let session = try KitShop.session()
        let silver = try await product("silver.monthly", session)
        let token = UUID()
        guard case .success(.verified(let transaction)) = try await silver.purchase(options: [.appAccountToken(token)])
        else {
            Issue.record("the purchase has no verified transaction")
            return
        }
        #expect(transaction.appAccountToken == token)
        let status = try #require(try await silver.subscription?.status.first)
        #expect(status.state == .subscribed)
        #expect(status.transaction == .verified(transaction))
        let info = try status.renewalInfo.payloadValue
        #expect(info.willAutoRenew)
        #expect(info.autoRenewPreference == "silver.monthly")
        #expect(info.originalTransactionID == transaction.originalID)
        #expect(info.renewalDate == transaction.expirationDate)
        #expect(info.renewalPrice == Decimal(string: "4.99"))
        #expect(info.priceIncreaseStatus == .noIncreasePending)

        try await session.synced {
            let found = try await Product.SubscriptionInfo.status(transactionID: transaction.id)
            #expect(found?.transaction.unsafePayloadValue.id == transaction.id)
            #expect(try await Product.SubscriptionInfo.status(transactionID: 1) == nil)
            for await (group, statuses) in Product.SubscriptionInfo.Status.all {
                #expect(group == "21400001")
                #expect(statuses.count == 1)
            }
        }

        try session.disableAutoRenewForTransaction(identifier: session.newest("silver.monthly"))
        let cancelled = try await session.synced { try await Product.SubscriptionInfo.status(for: "Membership").first }
        #expect(cancelled?.renewalInfo.unsafePayloadValue.willAutoRenew == false)
        #expect(cancelled?.renewalInfo.unsafePayloadValue.autoRenewPreference == nil)
    }

    @Test("A customer who may come back gets a message, and can buy the win-back offer")
    func winBack() async throws {
        let session = try KitShop.session()
        let request = PurchaseRequest(introductoryEligibility: false)
        try await session.buyProduct(identifier: "gold.monthly", request: request)
        try session.disableAutoRenewForTransaction(identifier: session.newest("gold.monthly"))
        try session.advance(byDays: 40)
        try await session.synced {
            let status = try #require(try await Product.SubscriptionInfo.status(for: "21400001").first)
            #expect(status.state == .expired)
            #expect(status.renewalInfo.unsafePayloadValue.eligibleWinBackOfferIDs == ["back"])
            var messages = Message.messages.makeAsyncIterator()
            #expect(await messages.next()?.reason == .winBackOffer)
            let gold = try #require(try await Product.products(for: ["gold.monthly"]).first)
            let offer = try #require(gold.subscription?.winBackOffers.first)
            guard case .success(let result) = try await gold.purchase(options: [.winBackOffer(offer)]) else {
                Issue.record("the offer was not bought")
                return
            }
            #expect(result.unsafePayloadValue.offerType == .winBack)
            #expect(result.unsafePayloadValue.offer?.id == "back")
            #expect(result.unsafePayloadValue.offer?.paymentMode == .payUpFront)
        }
    }

    @Test("Promotional offers can be bought by a customer who had the group")
    func promotionalOffer() async throws {
        let session = try KitShop.session()
        try session.buyProduct(productIdentifier: "silver.monthly")
        try session.expireSubscription(productIdentifier: "silver.monthly")
        let silver = try await product("silver.monthly", session)
        let garbage = Product.PurchaseOption.promotionalOffer("loyal", compactJWS: "signed")
        await #expect(throws: StoreKit.Product.PurchaseError.invalidOfferSignature) {
            try await silver.purchase(options: Set(garbage))
        }
        let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"K"}"#.utf8))
        let claims = JSONText.object([
            "iss": .string("issuer"), "iat": .integer(1_769_860_800), "aud": .string("promotional-offer"),
            "bid": .string(session.bundleID), "nonce": .string(UUID().uuidString.lowercased()),
            "productId": .string("silver.monthly"), "offerIdentifier": .string("loyal"),
        ])
        let signature = Base64URL.encode([UInt8](repeating: 1, count: 64))
        let options = Product.PurchaseOption.promotionalOffer(
            "loyal", compactJWS: "\(header).\(Base64URL.encode(claims.bytes())).\(signature)")
        guard case .success(let result) = try await silver.purchase(options: Set(options)) else {
            Issue.record("the offer was not bought")
            return
        }
        #expect(result.unsafePayloadValue.offerType == .promotional)
        #expect(result.unsafePayloadValue.offerID == "loyal")
        #expect(result.unsafePayloadValue.offer?.period == .monthly)
    }

    @Test(
        "A refusal of the App Store is StoreKit's error",
        arguments: [
            (SimulatedFailure.invalidQuantity, StoreKit.Product.PurchaseError.invalidQuantity),
            (.productUnavailable, .productUnavailable), (.purchaseNotAllowed, .purchaseNotAllowed),
            (.ineligibleForOffer, .ineligibleForOffer), (.invalidOfferIdentifier, .invalidOfferIdentifier),
            (.invalidOfferPrice, .invalidOfferPrice), (.invalidOfferSignature, .invalidOfferSignature),
            (.missingOfferParameters, .missingOfferParameters),
        ])
    func refusals(_ failure: SimulatedFailure, _ error: StoreKit.Product.PurchaseError) async throws {
        let session = try KitShop.session()
        try session.setSimulatedError(failure, forAPI: .purchase)
        let coins = try await product("coins.100", session)
        await #expect(throws: error) { try await coins.purchase() }
    }

    @Test(
        "Each failure of every function is StoreKit's error of the same name",
        arguments: SimulatedAPI.appStoreSync.failures)
    func failures(_ failure: SimulatedFailure) async throws {
        let session = try KitShop.session()
        let coins = try await product("coins.100", session)
        try session.setSimulatedError(failure, forAPI: .purchase)
        // A cancellation by the user is a result of the purchase, and not an error.
        if failure != .userCancelled {
            let refusal = await #expect(throws: StoreKitError.self) { try await coins.purchase() }
            #expect(refusal?.description.hasPrefix(failure.rawValue) == true)
        }
        try session.setSimulatedError(failure, forAPI: .appStoreSync)
        let error = await #expect(throws: StoreKitError.self) {
            try await StoreKit.withStore(session.openStore()) { try await AppStore.sync() }
        }
        #expect(error?.description.hasPrefix(failure.rawValue) == true)
    }

    @Test("Options that the store does not know have no effect, and others reach it")
    func options() async throws {
        let session = try KitShop.session()
        let coins = try await product("coins.100", session)
        let options: Set<Product.PurchaseOption> = [
            .quantity(3), .onStorefrontChange { _ in false }, .custom(key: "level", value: 7.5),
        ]
        guard case .success(let result) = try await coins.purchase(options: options) else {
            Issue.record("the coins were not bought")
            return
        }
        #expect(result.unsafePayloadValue.purchasedQuantity == 3)
        #expect(try await coins.purchase(options: [.simulatesAskToBuyInSandbox(true)]) == .pending)
    }
}
