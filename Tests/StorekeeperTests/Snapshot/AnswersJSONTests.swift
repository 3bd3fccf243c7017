import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

struct AnswersJSONTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0), id: "7")
    private let coins = TransactionDraft.purchase(of: TestShop.coins, at: .day(0), id: "8")

    private func store(at instant: Instant) async throws -> (store: Store, bench: StoreBench) {
        let bench = StoreBench(instant)
        let store = try await bench.open(StoreBench.configuration)
        try await store.ingest([gold.jws, RenewalInfoDraft(for: gold).jws, coins.jws], isComplete: true)
        return (store, bench)
    }

    @Test("Any encoder writes the JSON that the command line prints, with sorted members")
    func sameBytes() async throws {
        let (store, _) = try await store(at: .day(1))
        let answers = store.snapshot.answers(at: .day(1))
        #expect(try json(answers) == answers.description)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(answers.description.utf8)) as? [String: Any])
        let products = try #require(object["products"] as? [[String: Any]])
        let row = try #require(products.first { $0["id"] as? String == TestShop.gold.id.rawValue })
        #expect(row["answer"] as? String == "entitled")
        #expect(row["reason"] as? String == "active")
        #expect(row["until"] as? String == gold.expiresAt.map { "\($0)" })
        let consumables = try #require(object["consumables"] as? [[String: Any]])
        #expect(consumables.map { $0["balance"] as? Int } == [500])
        #expect(object["verified"] as? Bool == true)
        let explanation = try await store.explain(TestShop.gold.id)
        #expect(try json(explanation).hasPrefix(#"{"answer":"entitled","next":{"answer":"#))
    }

    @Test("An instant before the snapshot was made has no balances, because they are those of a later time")
    func earlierBalances() async throws {
        let (store, _) = try await store(at: .day(3))
        func hasBalances(at instant: Instant) -> Bool {
            store.snapshot.answers(at: instant).description.contains(#""consumables":["#)
        }
        #expect(hasBalances(at: .day(3)) && hasBalances(at: .day(9)))
        // A clock may be slow by a few seconds.
        #expect(hasBalances(at: .day(3).adding(milliseconds: -1_000)))
        #expect(!hasBalances(at: .day(2)))
        let past = try await store.state(asKnownAt: .day(3))
        #expect(!past.snapshot.answers(at: .day(2)).description.contains("consumables"))
    }

    @Test("A row names the offer of its transaction, and a status the price increase and the price of the renewal")
    func offers() throws {
        let trial = with(gold) {
            $0.offerType = .introductory
            $0.offerPaymentMode = .freeTrial
        }
        let info = with(RenewalInfoDraft(for: gold)) {
            $0.priceIncreaseStatus = .pending
            $0.renewalPrice = 12_500
            $0.currency = "EUR"
        }
        func text(_ draft: TransactionDraft, _ info: RenewalInfoDraft) throws -> String {
            let resolution = try TestShop.resolution([draft], [info])
            let freshness = Freshness(syncedAt: .day(1), failingSince: nil, maximumStaleness: nil)
            return StoreSnapshot(customer: "anna", resolution: resolution, freshness: freshness).answers(at: .day(1))
                .description
        }
        let answers = try text(trial, info)
        #expect(answers.contains(#""offer":{"kind":"introductory","paymentMode":"freeTrial"}"#))
        #expect(answers.contains(#""priceIncrease":"pending""#))
        #expect(answers.contains(#""currency":"EUR""#) && answers.contains(#""renewalPrice":"12.5""#))
        let retention = with(gold) {
            $0.offerType = .retention
            $0.offerID = "stay"
            $0.offerPaymentMode = .payAsYouGo
        }
        #expect(
            try text(retention, RenewalInfoDraft(for: gold))
                .contains(#""offer":{"id":"stay","kind":"retention","paymentMode":"payAsYouGo"}"#))
        let plain = try text(gold, RenewalInfoDraft(for: gold))
        #expect(!plain.contains(#""offer":"#) && !plain.contains("priceIncrease") && !plain.contains("renewalPrice"))
    }

    @Test("Answers respect the freshness of the evidence and name the instant since when it is stale")
    func worth() throws {
        var history = PurchaseHistory()
        history.merge([.verified(try gold.transaction())])
        let freshness = Freshness(syncedAt: .day(0), failingSince: .day(2), maximumStaleness: .seconds(3 * 86_400))
        let snapshot = StoreSnapshot(
            customer: "anna", resolution: EntitlementResolver(catalog: TestShop.catalog).resolve(history),
            freshness: freshness)
        func row(of id: Product.ID, at instant: Instant) -> String {
            snapshot.answers(at: instant).description.split(separator: #"{"answer""#).map { #"{"answer""# + $0 }
                .first { $0.contains(#""id":"\#(id)""#) } ?? "none"
        }
        let gold = TestShop.gold.id
        #expect(row(of: gold, at: .day(3)).contains(#""until":"\#(Instant.day(5))""#))
        #expect(row(of: gold, at: .day(6)).hasPrefix(#"{"answer":"unknown""#))
        #expect(row(of: gold, at: .day(6)).contains(#""reason":"backendFailed","since":"\#(Instant.day(5))""#))
        let ads = TestShop.removeAds.id
        #expect(row(of: ads, at: .day(1)).contains(#""until":"\#(Instant.day(2))""#))
        #expect(row(of: ads, at: .day(3)).contains(#""reason":"backendFailed","since":"\#(Instant.day(2))""#))
    }

    @Test(
        "An event survives encoding and decoding",
        arguments: [
            StoreEvent.Subject.product("gold.monthly"), .feature("pro"), .group("membership"),
        ])
    func eventsComeBack(subject: StoreEvent.Subject) throws {
        let event = StoreEvent(
            place: FeedPlace(7), customer: "anna",
            change: StoreEvent.Change(
                at: .day(1), subject: subject, before: StoreEvent.Answer(word: "never", reason: "noPurchase"),
                after: StoreEvent.Answer(
                    word: "entitled", reason: "active", productID: "gold.monthly", transactionID: "7", until: .day(31)))
        )
        #expect(try JSONDecoder().decode(StoreEvent.self, from: Data(try json(event).utf8)) == event)
    }

    @Test("Pending answers, the policy and extreme instants survive encoding and decoding")
    func valuesComeBack() throws {
        func again<Value: Codable>(_ value: Value) throws -> Value {
            try JSONDecoder().decode(Value.self, from: Data(try json(value).utf8))
        }
        let pending = PendingPurchase(
            productID: "badge", reason: .bankApproval, startedAt: .day(1), endsAt: .distantFuture)
        #expect(try again(pending) == pending)
        let policy = EntitlementPolicy(
            renewalLeeway: .seconds(60), environments: [.sandbox: .shadow, .production: .grant],
            refundPolicy: .freeze, maximumStaleness: nil)
        #expect(try again(policy) == policy)
        for instant in [Instant.distantPast, .distantFuture, Instant(clamped: -62_198_755_200_001), .day(0)] {
            #expect(try again([instant]) == [instant])
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Instant].self, from: Data(#"["+29999","soon"]"#.utf8))
        }
    }

    @Test("Balances, entries and receipts are encoded as the command line prints them")
    func ledger() async throws {
        let (store, bench) = try await store(at: .day(1))
        let receipt = try await store.spend(120, of: "coins", key: "lantern-42")
        #expect(
            try json(receipt)
                == #"{"balance":380,"customer":"anna","receipt":"\#(receipt.receipt)","replayed":false}"#)
        #expect(
            try json(store.balance(of: "coins"))
                == #"{"balance":380,"clawedBack":0,"credited":500,"id":"coins","restored":0,"spent":120}"#)
        #expect(store.balance(of: "coins").description == "380 coins")
        let entry = try #require(try await bench.vault.entries(after: .start, of: "anna", limit: 9).last)
        #expect(entry.description == "spend -120 coins, 380 left (lantern-42)")
        #expect(
            try json(entry)
                == #"{"after":380,"at":"\#(entry.at)","balance":"coins","cause":"lantern-42","change":-120,"#
                + #""kind":"spend","sequence":\#(entry.place)}"#)
    }
}
