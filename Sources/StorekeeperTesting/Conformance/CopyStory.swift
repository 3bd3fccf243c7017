import FoundationEssentials
import Storekeeper

/// Creates a vault with all kinds of data that a copy must transfer.
enum CopyStory {
    static let token = UUID()

    private static func write(_ batch: CommitBatch, to vault: InMemoryVault) async throws {
        guard case .committed = try await vault.commit(batch) else {
            throw ConformanceFailure("the source of the copy could not be written")
        }
    }

    private static func batch(
        _ drafts: [TransactionDraft], _ infos: [RenewalInfoDraft] = [], for customer: CustomerID, at instant: Instant
    ) throws -> CommitBatch {
        CommitBatch(
            customer: customer, at: instant,
            facts: try drafts.map { try $0.verifiedFact() } + infos.map { try $0.verifiedFact() },
            rule: VaultShop.rule())
    }

    /// Creates a vault with three customers.
    ///
    /// Anna has data of every kind. Ben has a purchase in another app with the same id as one of Anna's purchases. Carl
    /// has only a token. A fourth customer was erased, and some purchases are parked.
    static func vault() async throws -> InMemoryVault {
        let vault = InMemoryVault()
        let (month, info) = VaultShop.gold("3")
        var first = try batch(
            [VaultShop.coins("1", token: token.uuidString.lowercased()), VaultShop.coins("2", quantity: 2), month],
            [info],
            for: "anna", at: .day(1))
        first.facts += [
            try VaultShop.status(1, of: month, at: .day(1)).verifiedFact(), try VaultShop.app("7").verifiedFact(),
        ]
        first.events = [VaultShop.event("gold.monthly", at: .day(1)), VaultShop.event("badge", at: .day(1))]
        first.owesDelivery = true
        first.pending = [PendingPurchase(productID: "badge", reason: .askToBuy, startedAt: .day(1), endsAt: .day(90))]
        (first.evaluatedThrough, first.syncedAt, first.wakeAt) = (.day(1), .day(1), .day(31))
        try await write(first, to: vault)
        try await write(
            try batch([VaultShop.coins("2", quantity: 2).revoked(at: .day(3))], for: "anna", at: .day(4)), to: vault)
        let requests: [LedgerRequest] = [
            .spend(30, of: "coins", by: "anna", key: "order 1", at: .day(5)),
            .grant(7, of: "gems", to: "anna", because: "a gift", key: "gift", at: .day(6)),
        ]
        _ = try await vault.move(requests, policy: .debt)
        let grant = AccessGrant(
            id: "ticket", subject: .feature("pro"), grantedAt: .day(6), until: .day(60), reason: "an outage",
            recordedBy: "maria")
        try await write(CommitBatch(customer: "anna", at: .day(6), wakeAt: .day(31), access: .grant(grant)), to: vault)
        let revocation = AccessChange.revoke("ticket", AccessGrant.Revocation(at: .day(7), reason: "the wrong person"))
        try await write(CommitBatch(customer: "anna", at: .day(7), wakeAt: .day(31), access: revocation), to: vault)
        for (id, state) in [("1", OutboxItem.State.delivered), ("2", nil)] as [(Transaction.ID, OutboxItem.State?)] {
            try await vault.markDelivery(
                of: TransactionKey(bundleID: month.bundleID, environment: .production, transactionID: id), as: state)
        }

        var other = month
        other.bundleID = "com.example.other"
        var second = try batch([VaultShop.coins("8"), other, VaultShop.badge("9")], for: "ben", at: .day(7))
        second.events = [VaultShop.event("badge", at: .day(7))]
        try await write(second, to: vault)
        _ = try await vault.move([.spend(500, of: "coins", by: "ben", key: "all", at: .day(8))], policy: .debt)
        _ = try await vault.claim(.token(UUID()), for: "carl", at: .day(8))

        _ = try await vault.move(
            [.grant(1, of: "coins", to: "gone", because: "x", key: "1", at: .day(8))], policy: .debt)
        _ = try await vault.erase("gone", reason: "asked", at: .day(9))
        let (lost, _) = VaultShop.gold("21")
        let strays = [
            try VaultShop.badge("20").verifiedFact(), try VaultShop.app("20").verifiedFact(),
            try VaultShop.status(2, of: lost, at: .day(8)).verifiedFact(),
        ]
        _ = try await vault.commit(CommitBatch(for: .owner(primary: nil), at: .day(9), facts: strays))
        // Ben presents evidence of Anna's purchases: copies that Anna already has, and a copy that she does not have.
        let hers = VaultShop.coins("1", token: token.uuidString.lowercased())
        for (day, draft) in [(10, VaultShop.coins("2", quantity: 2)), (10, hers), (11, hers.revoked(at: .day(9)))] {
            _ = try await vault.commit(try batch([draft], for: "ben", at: .day(day)))
        }
        try await vault.setCursor(UpdateCursor(rawValue: "17"), of: "app store")
        return vault
    }

    /// Writes further data of every kind to the source, after a first copy was made.
    static func writeDuringCopy(in vault: InMemoryVault) async throws {
        var news = try batch([VaultShop.coins("30"), VaultShop.badge("31")], for: "anna", at: .day(45))
        news.facts += [
            try VaultShop.status(2, of: VaultShop.gold("3").0, at: .day(44)).verifiedFact(),
            try VaultShop.app("7", signedAt: .day(44)).verifiedFact(),
        ]
        news.events = [VaultShop.event("badge", at: .day(45))]
        news.owesDelivery = true
        news.settledPending = ["badge"]
        (news.evaluatedThrough, news.syncedAt) = (.day(45), .day(45))
        try await write(news, to: vault)
        try await vault.markDelivery(
            of: TransactionKey(bundleID: "com.example.game", environment: .production, transactionID: "1"), as: nil)
        try await vault.markDelivery(
            of: TransactionKey(bundleID: "com.example.game", environment: .production, transactionID: "3"),
            as: .delivered)
        _ = try await vault.move([.spend(10, of: "coins", by: "anna", key: "order 2", at: .day(46))], policy: .debt)
        _ = try await vault.move(
            [.grant(5, of: "coins", to: "adam", because: "a gift", key: "gift", at: .day(46))], policy: .debt)
        // Anna presents evidence that was parked, and Ben claims the chain of other parked evidence.
        try await write(
            try batch([VaultShop.coins("2", quantity: 2)], for: "anna", at: .day(46)), to: vault)
        let claimed = ChainID(bundleID: "com.example.game", environment: .production, originalID: "20")
        _ = try await vault.claim(.chain(claimed), for: "ben", at: .day(47))
        var adopted = try batch([VaultShop.badge("20")], for: "ben", at: .day(47))
        adopted.facts.append(try VaultShop.app("20").verifiedFact())
        try await write(adopted, to: vault)
        try await vault.setCursor(UpdateCursor(rawValue: "18"), of: "app store")
        try await vault.setCursor(UpdateCursor(rawValue: "1"), of: "simulator")
    }
}
