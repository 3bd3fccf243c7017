import Storekeeper
import StorekeeperTesting
import Testing

@Suite("Purchase histories") struct PurchaseHistoryTests {
    static let first = TransactionDraft.purchase(of: TestShop.gold, at: .day(0))

    /// In each pair of copies that are signed at one instant, the first copy counts, whatever the order of arrival.
    @Test(
        "Of copies signed at one instant the more restrictive counts",
        arguments: [
            (first.revoked(at: .day(9), signedAt: .day(10)), first.signed(at: .day(10))),
            (first.revoked(at: .day(8), signedAt: .day(10)), first.revoked(at: .day(9), signedAt: .day(10))),
            (
                first.revoked(at: .day(9), percentage: nil, signedAt: .day(10)),
                first.revoked(at: .day(9), percentage: 50_000, signedAt: .day(10))
            ),
            (first.upgraded(signedAt: .day(10)), first.signed(at: .day(10))),
            (
                with(first.signed(at: .day(10))) { $0.expiresAt = .day(20) },
                with(first.signed(at: .day(10))) { $0.expiresAt = .day(25) }
            ),
            (with(first.signed(at: .day(10))) { $0.expiresAt = nil }, first.signed(at: .day(10))),
        ])
    func equalDates(winner: TransactionDraft, loser: TransactionDraft) throws {
        for order in [[winner, loser], [loser, winner]] {
            let history = try TestShop.history(order)
            #expect(try history.transactions.map(\.source.payload) == [winner.transaction().source.payload])
        }
    }

    @Test("Transactions of two environments are separate although their ids are equal")
    func environments() throws {
        let policy = EntitlementPolicy(environments: [.production: .grant, .sandbox: .grant])
        let other = TransactionDraft.purchase(of: TestShop.removeAds, at: .day(0)).made(in: .sandbox)
        let resolution = try TestShop.resolution([Self.first, other], policy: policy)
        #expect(resolution.text("gold.monthly", at: .day(1)) == "entitled active 1000")
        #expect(resolution.text("remove.ads", at: .day(1)) == "entitled owned 1000")
    }

    @Test("A newer copy that names another chain moves its transaction")
    func movedChain() throws {
        let moved = with(Self.first.signed(at: .day(9))) { $0.originalID = "900" }
        for order in [[Self.first, moved], [moved, Self.first]] {
            let resolution = try TestShop.resolution(order)
            #expect(resolution.group("membership")?.statuses(at: .day(10)).map(\.transaction.originalID) == ["900"])
        }
    }

    @Test("If evidence fails verification, only its product is kept, as doubtful")
    func doubtful() throws {
        var history = PurchaseHistory()
        let transaction = try Self.first.transaction()
        history.merge([.unverified(transaction, VerificationError(.invalidSignature, ""))])
        let resolution = EntitlementResolver(catalog: TestShop.catalog).resolve(history)
        #expect(resolution.text("gold.monthly", at: .day(1)) == "unknown unverified")
        #expect(history.count == 0 && history.isVerified)
    }

    @Test("Evidence that failed verification does not affect a product with verified evidence")
    func untouched() throws {
        var history = try TestShop.history([Self.first])
        history.merge([.unverified(try Self.first.transaction(), VerificationError(.invalidSignature, ""))])
        let resolution = EntitlementResolver(catalog: TestShop.catalog).resolve(history)
        #expect(resolution.text("gold.monthly", at: .day(1)) == "entitled active 1000")
    }

    @Test("A history that contained unsigned evidence stays marked as unverified")
    func unverified() throws {
        var history = PurchaseHistory()
        #expect(history.merge(.unsigned(try Self.first.transaction())))
        #expect(!history.isVerified && history.count == 1)
        var other = try TestShop.history([])
        other.merge(history)
        #expect(!other.isVerified && other.count == 1)
    }

    @Test("A renewal info of another download of the app is not paired with a transaction")
    func otherDownload() throws {
        let mine = with(Self.first) { $0.appTransactionID = "70" }
        let foreign = with(RenewalInfoDraft(for: mine, signedAt: .month(1)).billingRetry()) {
            $0.appTransactionID = "71"
        }
        let resolution = try TestShop.resolution([mine], [foreign])
        #expect(resolution.text("gold.monthly", at: .month(1)) == "lapsed expired 1000")
    }

    @Test("Shadow environments are resolved separately and give no access")
    func shadow() throws {
        let resolver = EntitlementResolver(
            catalog: TestShop.catalog,
            policy: EntitlementPolicy(environments: [.production: .grant, .sandbox: .shadow]))
        let history = try TestShop.history([Self.first.made(in: .sandbox)])
        #expect(resolver.resolve(history).text("gold.monthly", at: .day(1)) == "never noPurchase")
        #expect(resolver.resolveShadow(of: history).text("gold.monthly", at: .day(1)) == "entitled active 1000")
    }
}
