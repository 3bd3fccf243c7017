import Storekeeper
import Testing

@testable import StorekeeperTesting

/// Tests that signed evidence counts even if one of its members is invalid, so that a refund is never lost.
@Suite("Invalid members") struct InvalidMemberTests {
    /// The kinds of values that a member may have.
    enum Kind: Sendable { case text, uuid, number, natural, quantity, percentage, time, truth, object, texts }

    struct Case: Sendable, CustomTestStringConvertible {
        let member: String
        let kind: Kind
        let value: PayloadValue

        var testDescription: String { "\(member) \(String(decoding: value.json, as: UTF8.self))" }
    }

    /// A value of each type, and numbers at the edge of every range.
    private static let values: [PayloadValue] = [
        .string("odd"), .string("1"), .integer(0), .integer(1), .integer(-1), .integer(100_001),
        .integer(1_000_000_001), .integer(.max), .number("4.99"), .number("1e300"), .number("9223372036854775808"),
        .boolean(true), .array([]), .array([.integer(1)]), .object([:]), .object(["odd": .boolean(true)]),
    ]

    private static func isPossible(_ value: PayloadValue, _ kind: Kind) -> Bool {
        switch (kind, value) {
        case (.text, .string), (.number, .integer), (.truth, .boolean), (.object, .object): true
        case (.natural, .integer(let number)): number >= 0
        case (.quantity, .integer(let number)): 1...1_000_000_000 ~= number
        case (.percentage, .integer(let number)): 0...100_000 ~= number
        case (.time, .integer(let number)): number.magnitude <= Instant.limit.magnitude
        case (.time, .number(let text)): text == "4.99"
        case (.texts, .array(let elements)): elements.isEmpty
        default: false
        }
    }

    private static func invalid(_ members: [(String, Kind)]) -> [Case] {
        members.flatMap { member, kind in
            values.filter { !isPossible($0, kind) }.map { Case(member: member, kind: kind, value: $0) }
        }
    }

    static let ofTransactions = invalid([
        ("webOrderLineItemId", .text), ("subscriptionGroupIdentifier", .text), ("originalPurchaseDate", .time),
        ("expiresDate", .time), ("quantity", .quantity), ("appAccountToken", .uuid), ("inAppOwnershipType", .text),
        ("revocationDate", .time), ("revocationReason", .number), ("revocationType", .text),
        ("revocationPercentage", .percentage), ("isUpgraded", .truth), ("offerType", .number),
        ("offerIdentifier", .text), ("offerDiscountType", .text), ("offerPeriod", .text), ("storefront", .text),
        ("storefrontId", .text), ("transactionReason", .text), ("price", .natural), ("currency", .text),
        ("appTransactionId", .text), ("billingPlanType", .text), ("commitmentInfo", .object),
        ("deviceVerification", .text), ("deviceVerificationNonce", .uuid),
    ])

    static let ofRenewalInfos = invalid([
        ("productId", .text), ("autoRenewProductId", .text), ("autoRenewStatus", .number),
        ("expirationIntent", .number), ("isInBillingRetryPeriod", .truth), ("priceIncreaseStatus", .number),
        ("offerType", .number), ("offerIdentifier", .text), ("offerDiscountType", .text), ("offerPeriod", .text),
        ("recentSubscriptionStartDate", .time), ("renewalDate", .time), ("renewalPrice", .natural),
        ("currency", .text), ("eligibleWinBackOfferIds", .texts), ("appAccountToken", .uuid),
        ("appTransactionId", .text), ("renewalBillingPlanType", .text), ("commitmentInfo", .object),
        ("deviceVerification", .text), ("deviceVerificationNonce", .uuid),
    ])

    static let ofAppTransactions = invalid([
        ("appAppleId", .number), ("applicationVersion", .text), ("versionExternalIdentifier", .number),
        ("originalApplicationVersion", .text), ("originalPurchaseDate", .time), ("preorderDate", .time),
        ("requestDate", .time), ("appTransactionId", .text), ("originalPlatform", .text),
        ("deviceVerification", .text), ("deviceVerificationNonce", .uuid),
    ])

    private static let coins = with(TransactionDraft.purchase(of: TestShop.coins, at: .day(0))) { $0.quantity = 2 }

    /// Returns a payload with one member replaced, whatever its value is in the given payload.
    private static func payload(_ payload: [UInt8], _ odd: Case) throws -> [UInt8] {
        var members: [String: PayloadValue] = [:]
        for member in try #require(JSONReader().read(payload).root.object) {
            members[member.name] = .number(String(decoding: member.value.sourceText, as: UTF8.self))
        }
        members[odd.member] = odd.value
        return PayloadValue.object(members).json
    }

    private static func appTransaction(_ odd: Case) throws -> AppTransaction {
        let bytes = try payload(AppTransactionDraft().payload, odd)
        return try AppTransaction(payload: JSONReader().read(bytes).root, source: .unsigned(bytes))
    }

    private static func transaction(_ draft: TransactionDraft, _ odd: Case) throws -> Transaction {
        let bytes = try payload(draft.payload, odd)
        return try Transaction(payload: JSONReader().read(bytes).root, source: .unsigned(bytes))
    }

    @Test("A refund counts if any optional member is invalid, and the member is named", arguments: ofTransactions)
    func refund(_ odd: Case) throws {
        let refund = Self.coins.revoked(at: .day(5))
        let transaction = try Self.transaction(refund, odd)
        let isDated = odd.member != "revocationDate"
        #expect(transaction.revokedAt == (isDated ? .day(5) : refund.signedAt))
        #expect(transaction.unknownValues.count == 1)
        #expect(transaction.unknownValues.first?.hasPrefix(odd.member) == true)

        var history = try TestShop.history([Self.coins])
        history.merge([.verified(transaction)])
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        let balance = try #require(resolver.resolve(history).balance("coins"))
        #expect(balance.totals(at: .day(9)).balance == 0, "the whole purchase was refunded")
        let diagnostics = EvidenceDiagnostics(history, resolver: resolver).diagnostics(at: .day(9), now: .day(9))
        #expect(diagnostics.map(\.code) == [.unknownValue])
        #expect(diagnostics.first?.subject == "1000")
    }

    @Test("A vault claws back a refund that has an invalid member", arguments: ofTransactions)
    func clawBack(_ odd: Case) async throws {
        let vault = InMemoryVault()
        let rule = LedgerRule(catalog: TestShop.catalog)
        let bytes = try Self.payload(Self.coins.revoked(at: .day(5)).payload, odd)
        let evidence = DraftVerifier().verify(FakeJWS.text(of: bytes))
        let refund = try #require(VerifiedFact(evidence))
        for fact in [try Self.coins.verifiedFact(), refund] {
            _ = try await vault.commit(CommitBatch(customer: "anna", at: .day(9), facts: [fact], rule: rule))
        }
        #expect(try await vault.balances(of: "anna") == [Balance(id: "coins", credited: 1_000, clawedBack: 1_000)])
    }

    @Test("A subscription with an unreadable revocation date is revoked from the signature of its copy on")
    func unreadableDate() throws {
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let refund = with(gold.signed(at: .day(5))) { $0.otherMembers["revocationDate"] = .string("2026-01-03") }
        for order in [[gold, refund], [refund, gold]] {
            let resolution = try TestShop.resolution(order)
            #expect(resolution.text(gold.productID, at: Instant.day(5).adding(milliseconds: -1)).hasPrefix("entitled"))
            #expect(resolution.text(gold.productID, at: .day(5)) == "lapsed refunded 1000")
        }
        let absent = with(gold.signed(at: .day(5))) { $0.otherMembers["revocationDate"] = .number("null") }
        #expect(try TestShop.resolution([absent]).text(gold.productID, at: .day(5)) == "entitled active 1000")
    }

    @Test("A running grace period counts if another member of its renewal info is invalid", arguments: ofRenewalInfos)
    func grace(_ odd: Case) throws {
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let draft = RenewalInfoDraft(for: gold, signedAt: .month(1)).grace(until: .day(47))
        let bytes = try Self.payload(draft.payload, odd)
        let info = try RenewalInfo(payload: JSONReader().read(bytes).root, source: .unsigned(bytes))
        #expect(info.unknownValues.count == 1)
        #expect(info.unknownValues.first?.hasPrefix(odd.member) == true)
        var history = try TestShop.history([gold])
        history.merge(.verified(info))
        let resolution = EntitlementResolver(catalog: TestShop.catalog).resolve(history)
        #expect(resolution.text(gold.productID, at: .day(40)) == "entitled gracePeriod 1000")
    }

    @Test(
        "An app transaction counts if any optional member is invalid, and the member is named",
        arguments: ofAppTransactions)
    func download(_ odd: Case) throws {
        let app = try Self.appTransaction(odd)
        #expect(app.appTransactionID == (odd.member == "appTransactionId" ? nil : "700000000000000001"))
        #expect(app.unknownValues.count == 1)
        #expect(app.unknownValues.first?.hasPrefix(odd.member) == true)
    }

    @Test(
        "If the end of a grace period is unreadable, the subscription is in billing retry",
        arguments: [.string("soon"), .boolean(true), .number("1e300")] as [PayloadValue])
    func unreadableGrace(end: PayloadValue) throws {
        let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
        let info = with(RenewalInfoDraft(for: gold, signedAt: .month(1)).billingRetry()) {
            $0.otherMembers["gracePeriodExpiresDate"] = end
        }
        #expect(
            try TestShop.resolution([gold], [info]).text(gold.productID, at: .day(40)) == "lapsed billingRetry 1000")
    }

    @Test(
        "An invalid member of a commitment is named with its path",
        arguments: [
            ("billingPeriodNumber", PayloadValue.string("2"), "is not a whole number of 64 bits"),
            ("totalBillingPeriods", .number("1.5"), "is not a whole number of 64 bits"),
            ("commitmentExpiresDate", .boolean(true), "is not a time in milliseconds since 1970"),
            ("commitmentPrice", .array([]), "is not a whole number of 64 bits"),
        ])
    func commitment(member: String, value: PayloadValue, problem: String) throws {
        let draft = with(Self.coins) { $0.otherMembers["commitmentInfo"] = .object([member: value]) }
        let transaction = try draft.transaction()
        #expect(transaction.unknownValues == ["commitmentInfo.\(member) \(problem)"])
        #expect(transaction.commitmentInfo != nil)
    }

    @Test(
        "A transaction without a valid value for a required member is refused",
        arguments: [
            "transactionId", "originalTransactionId", "productId", "bundleId", "purchaseDate", "type", "environment",
            "signedDate",
        ])
    func required(member: String) throws {
        let values: [PayloadValue] = [.boolean(true), .array([]), .object([:]), .number("1e300"), .string("")]
        for value in values {
            let error = #expect(throws: PayloadError.self) {
                try Self.transaction(Self.coins, Case(member: member, kind: .text, value: value))
            }
            #expect(error?.member == member)
        }
    }

    @Test(
        "A renewal info without a valid value for a required member is refused",
        arguments: ["originalTransactionId", "environment", "signedDate"])
    func requiredOfRenewalInfo(member: String) throws {
        let draft = RenewalInfoDraft(for: TransactionDraft.purchase(of: TestShop.gold, at: .day(0)))
        for value in [.boolean(true), .array([]), .number("1e300"), .string("")] as [PayloadValue] {
            let bytes = try Self.payload(draft.payload, Case(member: member, kind: .text, value: value))
            let error = #expect(throws: PayloadError.self) {
                try RenewalInfo(payload: JSONReader().read(bytes).root, source: .unsigned(bytes))
            }
            #expect(error?.member == member)
        }
    }

    @Test(
        "An app transaction without a valid value for a required member is refused",
        arguments: ["bundleId", "receiptType", "receiptCreationDate"])
    func requiredOfAppTransaction(member: String) throws {
        for value in [.boolean(true), .array([]), .number("1e300"), .string("")] as [PayloadValue] {
            let error = #expect(throws: PayloadError.self) {
                try Self.appTransaction(Case(member: member, kind: .text, value: value))
            }
            #expect(error?.member == member)
        }
    }
}
