import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Diagnostics of evidence") struct EvidenceDiagnosticsTests {
    private static let gold = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))
    private static let token = "9f6ef2f0-3b2c-4f7e-9a35-0a4d8f1c2b3a"
    private static let otherToken = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"

    /// Returns the diagnostics as `code subject`.
    private func found(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], at instant: Instant = .day(10),
        now: Instant = .day(400), policy: EntitlementPolicy = EntitlementPolicy()
    ) throws -> [String] {
        try diagnostics(transactions, infos, at: instant, now: now, policy: policy).map {
            "\($0.code.rawValue) \($0.subject ?? "-")"
        }
    }

    private func diagnostics(
        _ transactions: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], at instant: Instant = .day(10),
        now: Instant = .day(400), policy: EntitlementPolicy = EntitlementPolicy()
    ) throws -> [Diagnostic] {
        let resolver = EntitlementResolver(catalog: TestShop.catalog, policy: policy)
        return EvidenceDiagnostics(try TestShop.history(transactions, infos), resolver: resolver)
            .diagnostics(at: instant, now: now)
    }

    @Test("Evidence of several Apple Accounts gives a diagnostic, also without account tokens")
    func severalDownloads() throws {
        func bought(_ id: Transaction.ID, download: String?) -> TransactionDraft {
            with(.purchase(of: TestShop.removeAds, at: .day(0), id: id)) { $0.appTransactionID = download }
        }
        let (one, other) = (bought("1", download: "70"), bought("2", download: "71"))
        #expect(try found([one, other]) == ["severalCustomers 1"])
        #expect(try diagnostics([one, other]).first?.message.contains("purchases 1, 2") == true)
        #expect(try found([one, bought("2", download: "70"), bought("3", download: nil)]) == [])
        #expect(try found([one, other.made(in: .sandbox)]) == [], "sandbox does not count")
        var policy = EntitlementPolicy()
        policy.environments[.sandbox] = .grant
        #expect(
            try found([one, other.made(in: .sandbox)], policy: policy) == [],
            "an account has one id in each environment")
        #expect(try found([one, other.owned(as: .familyShared)]) == [], "each family member has their own id")
        // Only the newest copies count.
        let moved = with(one.signed(at: .day(2))) { $0.appTransactionID = "71" }
        #expect(try found([one, moved, other]) == [])
    }

    @Test("Evidence without problems gives no diagnostics")
    func silence() throws {
        #expect(try found([]) == [])
        #expect(try found([Self.gold], [RenewalInfoDraft(for: Self.gold)]) == [])
    }

    @Test("Each product that no catalog describes is named once, consumables included")
    func unknownProducts() throws {
        let drafts: [TransactionDraft] = [
            .purchase(of: "mystery", at: .day(0), id: "1"), .purchase(of: "mystery", at: .day(1), id: "2"),
            .purchase(of: "gems", type: .consumable, at: .day(1), id: "3"), Self.gold,
        ]
        #expect(try found(drafts) == ["noGrants gems", "unknownProduct gems", "unknownProduct mystery"])
    }

    @Test("A product whose type is in conflict is not said to be credited without grants")
    func conflictingTypeWithoutGrants() throws {
        let odd = TransactionDraft.purchase(of: "remove.ads", type: .consumable, at: .day(0), id: "1")
        #expect(try found([odd]) == ["conflictingType remove.ads"])
    }

    @Test("Unknown words and numbers are listed by the record that holds them")
    func unknownValues() throws {
        let odd = with(Self.gold.owned(as: OwnershipType(rawValue: "LEASED"))) {
            $0.offerType = OfferType(rawValue: 9)
        }
        let info = with(RenewalInfoDraft(for: Self.gold)) { $0.autoRenewStatus = AutoRenewStatus(rawValue: 7) }
        let found = try diagnostics([odd], [info])
        #expect(found.map(\.code) == [.unknownValue, .unknownValue])
        #expect(found.map(\.subject) == ["1000", "1000"])
        #expect(
            found.map(\.message) == [
                "the renewal info of 1000 contains values that this version does not know (autoRenewStatus: 7): an "
                    + "unknown value is kept and gives no access by itself, an unreadable member counts as absent; "
                    + "update storekeeper",
                "transaction 1000 contains values that this version does not know (inAppOwnershipType: LEASED; "
                    + "offerType: 9): an unknown value is kept and gives no access by itself, an unreadable member counts as absent; "
                    + "update storekeeper",
            ])
    }

    @Test("An auto-renewable subscription without an expiry gives a diagnostic")
    func missingExpiry() throws {
        let endless = with(Self.gold) { $0.expiresAt = nil }
        let found = try diagnostics([endless], at: .day(0), now: .day(0))
        #expect(found.map(\.code) == [.noExpiry])
    }

    @Test("A renewal info without a transaction of its chain in its environment gives a diagnostic")
    func unpaired() throws {
        let stranger = RenewalInfoDraft(originalID: "4000", signedAt: .day(1))
        #expect(try found([Self.gold], [stranger]) == ["unpairedRenewalInfo 4000"])
        let sandbox = with(RenewalInfoDraft(for: Self.gold)) { $0.environment = .sandbox }
        let policy = EntitlementPolicy(environments: [.production: .grant, .sandbox: .grant])
        #expect(try found([Self.gold], [sandbox], policy: policy) == ["unpairedRenewalInfo 1000"])
        #expect(try found([Self.gold], [sandbox]) == [])
    }

    @Test("A renewal info of another app's purchase gives no diagnostic, because the purchase was refused already")
    func otherApp() throws {
        let other = with(Self.gold) {
            ($0.id, $0.originalID, $0.bundleID) = ("4000", "4000", "com.example.other")
        }
        let error = VerificationError(.bundleMismatch, "the transaction is of another app")
        var history = try TestShop.history([Self.gold], [RenewalInfoDraft(for: other)])
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        func codes() -> [Diagnostic.Code] {
            EvidenceDiagnostics(history, resolver: resolver).diagnostics(at: .day(10), now: .day(400)).map(\.code)
        }
        #expect(codes() == [.unpairedRenewalInfo])
        try history.merge(VerificationResult.unverified(other.transaction(), error))
        #expect(codes() == [])
    }

    @Test("Different newest tokens of chains mean several customers, and the diagnostic names the lowest chains")
    func severalCustomers() throws {
        let mine = with(Self.gold) { $0.appAccountToken = Self.token }
        let other = with(TransactionDraft.purchase(of: TestShop.removeAds, at: .day(1), id: "900")) {
            $0.appAccountToken = Self.otherToken
        }
        let found = try diagnostics([mine, other])
        #expect(found.map(\.code) == [.severalCustomers])
        #expect(found.first?.subject == "900")
        #expect(found.first?.message.contains("(purchases 900, 1000)") == true)
        #expect(found.first?.message.contains(Self.token) == false, "a token may say who the customer is")
    }

    @Test("An app may change the token of a chain without a diagnostic")
    func newToken() throws {
        let old = with(Self.gold) { $0.appAccountToken = Self.otherToken }
        let renewal = with(TransactionDraft.renewal(of: old, expires: .month(2))) { $0.appAccountToken = Self.token }
        let other = with(TransactionDraft.purchase(of: TestShop.removeAds, at: .day(1), id: "900")) {
            $0.appAccountToken = Self.token
        }
        #expect(try found([old, renewal, other]) == [])
    }

    /// The evidence is a month of gold that ends on day 31, and a renewal info about this month.
    @Test(
        "Evidence is stale if its period has ended since it was signed and it may have renewed",
        arguments: [
            (Instant.month(1), nil, true), (Instant.month(1).adding(milliseconds: -1), nil, false),
            (.day(40), RenewalInfoDraft(for: gold, signedAt: .day(20)), true),
            (.day(40), RenewalInfoDraft(for: gold, signedAt: .day(20)).cancelled(), false),
            (.day(40), RenewalInfoDraft(for: gold, signedAt: .month(1)), false),
            (.day(40), RenewalInfoDraft(for: gold, signedAt: .month(1).adding(milliseconds: -1)), true),
        ] as [(Instant, RenewalInfoDraft?, Bool)])
    func stale(instant: Instant, info: RenewalInfoDraft?, isStale: Bool) throws {
        #expect(try found([Self.gold], info.map { [$0] } ?? [], at: instant) == (isStale ? ["staleEvidence 1000"] : []))
    }

    /// The evidence is a month of gold that ends on day 31, and a renewal info that was signed later and states the
    /// next renewal.
    @Test(
        "Evidence is stale if an info signed after the period gives a next renewal more than a day later",
        arguments: [
            (.month(1), .month(2), true), (.day(40), .month(2), true),
            (.month(1), Instant.month(1).adding(days: 1), false),
            (.month(1), Instant.month(1).adding(milliseconds: 86_400_001), true),
            (Instant.month(1).adding(milliseconds: -1), .month(2), false), (.day(40), .month(1), false),
        ] as [(Instant, Instant, Bool)])
    func missingRenewal(signedAt: Instant, next: Instant, isStale: Bool) throws {
        var info = RenewalInfoDraft(for: Self.gold, signedAt: signedAt).cancelled()
        info.renewsAt = next
        #expect(try found([Self.gold], [info], at: .day(45)) == (isStale ? ["staleEvidence 1000"] : []))
        #expect(try found([Self.gold], [info], at: .day(20)) == [], "its period is running")
    }

    @Test("A chain signed before a renewal that may have failed is stale, whatever an old info states")
    func staleBeforeRenewal() throws {
        let renewal = TransactionDraft.renewal(of: Self.gold, expires: .month(2))
        let old = RenewalInfoDraft(for: Self.gold, signedAt: .day(20)).cancelled()
        #expect(try found([Self.gold, renewal], [old], at: .month(2)) == ["staleEvidence 1000"])
    }

    @Test(
        "Evidence that cannot renew is never stale",
        arguments: [
            gold.revoked(at: .day(5)), gold.upgraded(signedAt: .day(5)),
            .purchase(of: TestShop.removeAds, at: .day(0)), .purchase(of: TestShop.seasonPass, at: .day(0)),
        ])
    func notStale(draft: TransactionDraft) throws {
        #expect(try !found([draft], at: .day(399)).contains { $0.hasPrefix("staleEvidence") })
    }

    @Test(
        "A signature more than a minute after both the clock and the asked instant gives a diagnostic",
        arguments: [(60_000, false), (60_001, true)] as [(Int64, Bool)])
    func future(milliseconds: Int64, isTold: Bool) throws {
        let draft = Self.gold.signed(at: .day(20).adding(milliseconds: milliseconds))
        let expected = isTold ? ["futureSignedDate 1000"] : []
        #expect(try found([draft], at: .day(20), now: .day(3)) == expected)
        #expect(try found([draft], at: .day(3), now: .day(20)) == expected)
        let info = RenewalInfoDraft(for: Self.gold, signedAt: .day(20).adding(milliseconds: milliseconds))
        #expect(try found([Self.gold], [info], at: .day(20), now: .day(3)) == expected)
    }

    @Test("Environments that do not count give no diagnostics")
    func environments() throws {
        let odd = with(Self.gold.owned(as: OwnershipType(rawValue: "LEASED")).made(in: .sandbox)) {
            $0.productID = "mystery"
            $0.appAccountToken = Self.token
        }
        #expect(try found([odd], [RenewalInfoDraft(for: odd)], at: .day(399), now: .day(0)) == [])
    }

    @Test("Diagnostics are sorted by code and subject, without duplicates, in any order of the evidence")
    func order() throws {
        let drafts: [TransactionDraft] = [
            .purchase(of: "zebra", at: .day(0), id: "1"), .purchase(of: "apple", at: .day(0), id: "2"), Self.gold,
            Self.gold.signed(at: .day(1)),
        ]
        let expected = [
            "staleEvidence 1000", "unknownProduct apple", "unknownProduct zebra", "unpairedRenewalInfo 4000",
        ]
        let infos = [RenewalInfoDraft(originalID: "4000")]
        #expect(try found(drafts, infos, at: .day(60)) == expected)
        #expect(try found(drafts.reversed() + drafts, infos + infos, at: .day(60)) == expected)
    }
}
