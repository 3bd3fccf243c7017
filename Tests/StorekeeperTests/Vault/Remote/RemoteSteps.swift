import FoundationEssentials
import StorekeeperTesting

@testable import Storekeeper

/// Typical steps of a server, from which the tests measure round trips.
enum RemoteSteps {
    static let coins = Product(id: "coins.500", type: .consumable, grants: ["coins": 500])
    static let rule = LedgerRule(catalog: Catalog(products: [coins], groups: [], features: []))
    static let token = "6f9619ff-8b86-d011-b42d-00c04fc964ff"

    /// A new id of a step.
    static var name: StepID {
        var random = SplitMix64(seed: 1)
        return StepID(using: &random)
    }

    private static func pack(_ id: String) -> TransactionDraft {
        .purchase(of: coins, at: .day(0), id: Transaction.ID(rawValue: id))
    }

    static var month: TransactionDraft {
        var month = TransactionDraft.purchase(
            of: "gold.monthly", type: .autoRenewable, at: .day(0), expires: .day(31), group: "membership", id: "900")
        month.appAccountToken = token
        return month
    }

    private static func batch(
        _ facts: [VerifiedFact], for recipient: EvidenceRecipient, at instant: Instant
    ) -> CommitBatch {
        var batch = CommitBatch(for: recipient, at: instant, facts: facts, rule: rule)
        batch.owesDelivery = true
        return batch
    }

    /// Returns a batch that delivers a purchase of coins.
    static func credit(_ id: String, for customer: CustomerID = "anna") throws -> CommitBatch {
        Self.batch([try pack(id).verifiedFact()], for: .customer(customer), at: .day(1))
    }

    /// Returns a batch that delivers the refund of the purchase in ``credit(_:for:)``.
    static func refund(_ id: String, for customer: CustomerID = "anna") throws -> CommitBatch {
        let copy = pack(id).revoked(at: .day(3))
        return Self.batch([try copy.verifiedFact()], for: .customer(customer), at: .day(3))
    }

    /// Returns a batch that starts a subscription, with its renewal info.
    static func subscription(for recipient: EvidenceRecipient) throws -> CommitBatch {
        var batch = Self.batch(
            [try month.verifiedFact(), try RenewalInfoDraft(for: month).verifiedFact()], for: recipient, at: .day(1))
        batch.wakeAt = .day(31)
        batch.notifications = ["subscribed"]
        return batch
    }

    /// Returns a batch that renews the subscription, with its renewal info.
    static func renewal(for recipient: EvidenceRecipient) throws -> CommitBatch {
        let renewal = TransactionDraft.renewal(of: month)
        var batch = Self.batch(
            [try renewal.verifiedFact(), try RenewalInfoDraft(for: renewal).verifiedFact()], for: recipient,
            at: .day(31))
        batch.wakeAt = .day(62)
        batch.notifications = ["renewed"]
        return batch
    }

    /// Returns a batch with a renewal info of the subscription, which arrives before its owner is known.
    static func lateInfo() throws -> CommitBatch {
        Self.batch(
            [try RenewalInfoDraft(for: month, signedAt: .day(2)).verifiedFact()],
            for: .owner(primary: nil), at: .day(2))
    }

    static func spend(_ quantity: Int64, key: LedgerRequest.Key) -> LedgerRequest {
        .spend(quantity, of: "coins", by: "anna", key: key, at: .day(2))
    }

    static let grant = LedgerRequest.grant(5, of: "gems", to: "anna", because: "a gift", key: "gift", at: .day(1))
}
