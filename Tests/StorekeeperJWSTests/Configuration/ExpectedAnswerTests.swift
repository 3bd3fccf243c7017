import Storekeeper
import StorekeeperTesting
import Testing

/// Tests that compare the expected outputs in `Configuration/evidence` with the engine's answers, member by
/// member.
struct ExpectedAnswerTests {
    /// An expected output, and the engine's answers.
    private struct Comparison {
        let expected: JSONObject
        let resolution: Resolution
        let instant: Instant

        init(_ story: ExampleStory) throws {
            expected = try #require(JSONReader().read(story.expectedBytes()).root.object)
            resolution = try StoryEvidence(story).resolution(of: story)
            instant = try #require(story.values(of: "--at").first.flatMap { Instant($0) })
        }

        func rows(_ name: String) throws -> [JSONObject] {
            try #require(expected[name]?.array).map { try #require($0.object) }
        }
    }

    static let stories: [ExampleStory] = (try? ExampleStory.all()) ?? []

    @Test("There are thirteen stories")
    func count() { #expect(Self.stories.count == 13) }

    @Test("Expected output is formatted as the command prints it", arguments: stories)
    func layout(story: ExampleStory) throws {
        let bytes = try story.expectedBytes()
        let text = JSONText.value(try JSONReader().read(bytes).root).bytes(.pretty) + [UInt8(ascii: "\n")]
        #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: text, as: UTF8.self))
    }

    @Test("The head of the answer is the expected one", arguments: stories)
    func head(story: ExampleStory) throws {
        let comparison = try Comparison(story)
        #expect(comparison.expected["at"]?.string == comparison.instant.description)
        #expect(comparison.expected["verified"]?.bool == comparison.resolution.isVerified)
        let next = comparison.resolution.nextChange(after: comparison.instant)
        #expect(comparison.expected["nextChange"]?.string == next?.description)
    }

    @Test("Every product has the expected answer, by id", arguments: stories)
    func products(story: ExampleStory) throws {
        let comparison = try Comparison(story)
        let rows = try comparison.rows("products")
        #expect(rows.map { $0["id"]?.string } == comparison.resolution.products.map { Optional($0.id.rawValue) })
        for (row, product) in zip(rows, comparison.resolution.products) {
            let run = product.timeline.run(at: comparison.instant)
            let answer = product.timeline.value(at: comparison.instant)
            let transaction = answer.basis?.transaction
            let texts: [String: String?] = [
                "id": product.id.rawValue, "type": product.type?.word, "answer": answer.word,
                "reason": answer.reasonWord,
                "since": answer == .never ? nil : run.from?.description, "until": run.to?.description,
                "transactionID": transaction?.id.rawValue,
                "originalTransactionID": transaction?.originalID.rawValue,
                "environment": transaction?.environment.rawValue,
                "ownership": transaction.map(Self.ownership),
                "subscriptionGroupID": comparison.resolution.group(containing: product.id)?.id.rawValue,
            ]
            Self.compare(row, texts, besides: ["groupLevel"], product.id.rawValue)
            let level = comparison.resolution.catalog.product(product.id)?.subscription?.groupLevel
            #expect(row["groupLevel"]?.int64 == level.map(Int64.init), "\(product.id)")
        }
    }

    @Test("Every group has the expected statuses", arguments: stories)
    func groups(story: ExampleStory) throws {
        let comparison = try Comparison(story)
        let rows = try comparison.rows("groups")
        #expect(rows.map { $0["id"]?.string } == comparison.resolution.groups.map { Optional($0.group.id.rawValue) })
        for (row, group) in zip(rows, comparison.resolution.groups) {
            let statuses = group.statuses(at: comparison.instant)
            let expected = try #require(row["statuses"]?.array).map { try #require($0.object) }
            #expect(expected.count == statuses.count)
            for (row, status) in zip(expected, statuses) {
                let info = status.renewalInfo
                let flags = ["entitled", "groupLevel", "willAutoRenew", "inBillingRetry"]
                var texts = Self.head(of: status)
                texts["expires"] = status.transaction.expiresAt?.description
                texts["autoRenewProductID"] = info?.autoRenewProductID?.rawValue
                texts["gracePeriodExpires"] = status.gracePeriodExpiresAt?.description
                texts["expirationReason"] = status.expirationReason.map(Self.word)
                texts["renewalPrice"] = info?.renewalPrice.map { "\($0)" }
                texts["currency"] = info?.renewalPrice == nil ? nil : info?.currencyCode
                Self.compare(row, texts, besides: flags, group.group.id.rawValue)
                #expect(row["entitled"]?.bool == status.isEntitled)
                #expect(row["groupLevel"]?.int64 == status.groupLevel.map(Int64.init))
                #expect(row["willAutoRenew"]?.bool == info?.willAutoRenew)
                #expect(row["inBillingRetry"]?.bool == status.isInBillingRetry(at: comparison.instant))
            }
            let highest = group.highest(at: comparison.instant)
            #expect((row["highest"] == nil) == (highest == nil))
            if let highest, let row = row["highest"]?.object {
                Self.compare(row, Self.head(of: highest), besides: ["entitled", "groupLevel"], group.group.id.rawValue)
                #expect(row["entitled"]?.bool == highest.isEntitled)
                #expect(row["groupLevel"]?.int64 == highest.groupLevel.map(Int64.init))
            }
        }
    }

    @Test("Every feature has the expected answer, in the order of the catalog", arguments: stories)
    func features(story: ExampleStory) throws {
        let comparison = try Comparison(story)
        let rows = try comparison.rows("features")
        #expect(rows.count == comparison.resolution.features.count)
        for (row, feature) in zip(rows, comparison.resolution.features) {
            let value = feature.timeline.value(at: comparison.instant)
            let texts: [String: String?] = [
                "id": feature.id.rawValue, "answer": value.answer.word, "reason": value.answer.reasonWord,
                "by": value.productID?.rawValue, "until": feature.timeline.run(at: comparison.instant).to?.description,
            ]
            Self.compare(row, texts, besides: [], feature.id.rawValue)
        }
    }

    @Test("Every balance has the expected amount, by name", arguments: stories)
    func balances(story: ExampleStory) throws {
        let comparison = try Comparison(story)
        let rows = try comparison.rows("consumables")
        #expect(rows.map { $0["id"]?.string } == comparison.resolution.balances.map { Optional($0.id.rawValue) })
        for (row, balance) in zip(rows, comparison.resolution.balances) {
            let totals = balance.totals(at: comparison.instant)
            let numbers = ["credited", "spent", "clawedBack", "restored", "balance"].map { row[$0]?.int64 }
            #expect(numbers == [totals.credited, 0, totals.clawedBack, 0, totals.balance])
        }
    }

    /// Expects that a row has these text members, and no other members than these and `others`.
    private static func compare(
        _ row: JSONObject, _ texts: [String: String?], besides others: [String], _ what: String
    ) {
        for (name, text) in texts { #expect(row[name]?.string == text, "\(what): \(name)") }
        let known = Set(texts.keys).union(others)
        #expect(row.map(\.name).filter { !known.contains($0) } == [], "\(what)")
    }

    private static func head(of status: SubscriptionStatus) -> [String: String?] {
        [
            "originalTransactionID": status.transaction.originalID.rawValue,
            "productID": status.transaction.productID.rawValue, "state": status.state.rawValue,
            "ownership": ownership(of: status.transaction),
        ]
    }

    private static func ownership(of transaction: Transaction) -> String {
        switch transaction.ownershipType {
        case .purchased: "purchased"
        case .familyShared: "familyShared"
        case .assigned: "assigned"
        default: transaction.ownershipType.rawValue
        }
    }

    private static func word(_ reason: ExpirationReason) -> String {
        switch reason {
        case .autoRenewDisabled: "autoRenewDisabled"
        case .billingError: "billingError"
        case .didNotConsentToPriceIncrease: "didNotConsentToPriceIncrease"
        case .productUnavailable: "productUnavailable"
        default: "unknown"
        }
    }
}
