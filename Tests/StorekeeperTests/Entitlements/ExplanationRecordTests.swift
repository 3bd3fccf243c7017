import Storekeeper
import StorekeeperTesting
import Testing

/// Tests of the steps of explanations about records: which copy and which record counts, and which transaction a
/// renewal info is about.
@Suite("Explanations of records") struct ExplanationRecordTests {
    private static let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))

    @Test("A renewal without earlier periods starts at its signature")
    func loneRenewal() throws {
        let renewal = TransactionDraft.renewal(of: Self.gold, expires: .month(2)).signed(at: .day(30))
        let lines = try TestShop.steps("gold.monthly", [renewal], at: .day(30))
        #expect(
            lines == [
                """
                30: transaction 1001: renewal of gold.monthly, whose period begins at 2026-02-01T00:00:00.000Z → entitled \
                (active) until 2026-03-01T00:00:00.000Z | Only a renewal is known, and it was signed before its \
                period begins: a renewal follows a period with access, so it counts from its signing date.
                """
            ])
    }

    @Test("A renewal that is known early is named with its start and the answer until then")
    func earlyRenewal() throws {
        let renewal = TransactionDraft.renewal(of: Self.gold, expires: .month(2)).signed(at: .day(30))
        let lines = try TestShop.steps("gold.monthly", [Self.gold, renewal], at: .day(30))
        #expect(lines.last?.hasPrefix("31: transaction 1001: renewal of gold.monthly") == true)
        #expect(
            lines.last?.contains("→ none yet: it begins later, and until then the answer is entitled (active) |")
                == true
        )
        #expect(lines.first?.contains("→ entitled (active) until 2026-02-01T00:00:00.000Z |") == true)
    }

    @Test("An older copy that contradicts the newest about a refund is named, however often each arrived")
    func supersededRefund() throws {
        let refunded = Self.gold.revoked(at: .day(3), percentage: 50_000, signedAt: .day(4))
        let again = Self.gold.reversed(signedAt: .day(9))
        for copies in [[again, refunded, Self.gold, refunded], [Self.gold, refunded, again]] {
            #expect(
                try TestShop.steps("gold.monthly", copies, at: .day(10)).dropFirst() == [
                    """
                    4: an older copy of transaction 1000 says: revoked at 2026-01-04T00:00:00.000Z, 50 % of the price → \
                    none: the copy signed 2026-01-10T00:00:00.000Z says: no longer revoked | Of several copies of a \
                    transaction the newest-signed counts, in any order of arrival.
                    """
                ])
        }
    }

    @Test("Every contradicting copy is named, in any order of arrival and in any merged history")
    func supersededCopies() throws {
        let copies = [
            Self.gold.signed(at: .day(1)), Self.gold.signed(at: .day(2)),
            Self.gold.revoked(at: .day(3), signedAt: .day(4)), Self.gold.signed(at: .day(9)),
            Self.gold.revoked(at: .day(10), signedAt: .day(12)),
            with(Self.gold.signed(at: .day(5))) { $0.expiresAt = .day(40) },
        ]
        let expected = [
            """
            4: an older copy of transaction 1000 says: revoked at 2026-01-04T00:00:00.000Z → none: the copy signed \
            2026-01-13T00:00:00.000Z says: revoked at 2026-01-11T00:00:00.000Z
            """,
            """
            5: an older copy of transaction 1000 says: not yet revoked, period to 2026-02-10T00:00:00.000Z → none: the copy \
            signed 2026-01-13T00:00:00.000Z says: revoked at 2026-01-11T00:00:00.000Z, period to \
            2026-02-01T00:00:00.000Z
            """,
            """
            9: an older copy of transaction 1000 says: not yet revoked → none: the copy signed 2026-01-13T00:00:00.000Z \
            says: revoked at 2026-01-11T00:00:00.000Z
            """,
        ]
        var random = SplitMix64(seed: 7)
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        for _ in 0..<40 {
            let order = copies.shuffled(using: &random)
            let cut = random.number(in: 0...order.count)
            var merged = try TestShop.history(Array(order[..<cut]))
            merged.merge(try TestShop.history(Array(order[cut...])))
            for history in [try TestShop.history(order), merged] {
                let lines = TestShop.lines(resolver.explain("gold.monthly", in: history, at: .day(20)))
                    .filter { $0.contains("older copy") }
                #expect(lines.map { String($0.split(separator: "|")[0].dropLast()) } == expected)
            }
        }
    }

    @Test("Copies with equal content are not named")
    func equalCopies() throws {
        let copies = (0...5).map { Self.gold.signed(at: .day($0)) }
        #expect(try TestShop.steps("gold.monthly", copies, at: .day(20)).count == 1)
    }

    @Test("A renewal info of another download of the app is named as without effect")
    func otherDownload() throws {
        let known = with(Self.gold) { $0.appTransactionID = "70" }
        let info = with(RenewalInfoDraft(for: known, signedAt: .day(5))) { $0.appTransactionID = "71" }
        let lines = try TestShop.steps("gold.monthly", [known], [info], at: .day(6))
        #expect(
            lines.last?.hasPrefix(
                "5: another renewal info of the original transaction 1000 → none: its app transaction id is different")
                == true)
    }

    @Test("The rule is named by which one of two simultaneous purchases of a chain counts")
    func oneInstant() throws {
        let silver = TransactionDraft.purchase(of: TestShop.silver, at: .day(0))
        let gold = TransactionDraft.change(of: silver, to: "gold.monthly", at: .day(0), expires: .day(10))
        let lines = try TestShop.steps("silver.monthly", [silver.upgraded(signedAt: .day(0)), gold], at: .day(1))
        #expect(lines.count == 2)
        #expect(
            lines.first == """
                0: transaction 1000: purchase of silver.monthly (upgraded since), period to 2026-02-01T00:00:00.000Z → \
                lapsed (upgraded) | It was upgraded since, and another purchase of the chain began at the same \
                instant: the one counts that was not upgraded, then not revoked, then with the later end, signing date or id.
                """)
        #expect(lines.last?.hasPrefix("0: transaction 1001: purchase of gold.monthly → lapsed (upgraded)") == true)
    }

    @Test("A second record of a period is not named as a purchase")
    func furtherRecord() throws {
        let restored = with(Self.gold.signed(at: .day(9))) { $0.id = "1002" }
        let refunded = Self.gold.revoked(at: .day(3), signedAt: .day(4))
        let lines = try TestShop.steps("gold.monthly", [refunded, restored], at: .day(10))
        #expect(lines.count == 2)
        #expect(
            lines.first?.hasPrefix("0: transaction 1002: purchase of gold.monthly → entitled (active) until ") == true)
        #expect(
            lines.last == """
                0: transaction 1000: purchase of gold.monthly, revoked at 2026-01-04T00:00:00.000Z → none: it is a record of \
                the same period as transaction 1002 | Of several records of one period the newest-signed counts, as \
                for copies of a transaction.
                """)
    }

    @Test("A record that yields to a record of another product is named, even if it is the only one of its product")
    func recordOfAnotherProduct() throws {
        let gold = with(Self.gold) { $0.webOrderLineItemID = "w1" }
        let silver = with(gold.signed(at: .day(-1))) {
            $0.id = "1001"
            $0.productID = "silver.monthly"
        }
        let lines = try TestShop.steps("silver.monthly", [gold, silver], at: .day(1))
        #expect(lines.count == 1)
        #expect(lines.first?.contains("→ none: it is a record of the same period as transaction 1000 |") == true)
    }

    @Test("A renewal info about the previous failed renewal is named as without effect")
    func infoOfRenewalBefore() throws {
        let recovered = TransactionDraft.renewal(of: Self.gold, expires: .month(2)).signed(at: .day(38))
        let info = RenewalInfoDraft(for: recovered, signedAt: .day(32)).grace(until: .day(47))
        let lines = try TestShop.steps("gold.monthly", [Self.gold, recovered], [info], at: .day(70))
        #expect(
            lines.contains(
                """
                32: renewal info: auto-renewal on, billing is retried, grace period until 2026-02-17T00:00:00.000Z, \
                expiration reason: the payment failed → determines what follows the period that ends at 2026-03-01T00:00:00.000Z: a \
                renewal, once it arrives; its statements about a failed renewal concern the previous renewal | Its \
                statements about a failed renewal count only if it was signed in the last 24 hours of the period, or \
                later: an earlier one is about the previous renewal.
                """))
        #expect(lines.last?.hasPrefix("59: the period of transaction 1001 ends → lapsed (expired) |") == true)
    }

    @Test("A renewal info about another subscription group of the original transaction is named as without effect")
    func infoOfOtherGroup() throws {
        let news = with(TransactionDraft.change(of: Self.gold, to: "news.monthly", at: .day(5), expires: .day(36))) {
            $0.subscriptionGroupID = "news"
        }
        let info = RenewalInfoDraft(for: news, signedAt: .day(6))
        let lines = try TestShop.steps("gold.monthly", [Self.gold, news], [info], at: .day(7))
        #expect(lines.count == 2)
        #expect(
            lines.last?.hasPrefix("6: renewal info: auto-renewal on, next news.monthly → none: it is about another ")
                == true)
    }
}
