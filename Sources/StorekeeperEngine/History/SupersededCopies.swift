/// The values of a superseded copy of a transaction that affect access.
struct SupersededCopy: Hashable, Sendable {
    /// The end of the period.
    let expiresAt: Instant?
    /// The time of the revocation.
    let revokedAt: Instant?
    /// The refunded share, in thousandths of a percent; `nil` means the whole amount.
    let revocationPercentage: Int64?
    /// Whether the customer had upgraded.
    let isUpgraded: Bool
    /// Whether the copy is from a receipt, whose times are exact only to the second.
    let isFromReceipt: Bool

    init(_ transaction: Transaction) {
        expiresAt = transaction.expiresAt
        revokedAt = transaction.revokedAt
        revocationPercentage = transaction.revocationPercentage
        isUpgraded = transaction.isUpgraded
        isFromReceipt = transaction.isFromReceipt
    }

    /// Returns whether two copies have the same values.
    ///
    /// If only one of the copies is from a receipt, times are compared by whole seconds and the refunded share is not
    /// compared.
    func agrees(with other: SupersededCopy) -> Bool {
        guard isFromReceipt != other.isFromReceipt else { return self == other }
        func isSame(_ left: Instant?, _ right: Instant?) -> Bool {
            left.map { $0.millisecondsSince1970 / 1000 } == right.map { $0.millisecondsSince1970 / 1000 }
        }
        return isSame(expiresAt, other.expiresAt) && isSame(revokedAt, other.revokedAt)
            && isUpgraded == other.isUpgraded
    }
}

/// The superseded copies of transactions, which explain why an answer has changed.
///
/// A copy that has the same values as the newest copy is not stored. Nearly all copies have the same values, because
/// the App Store signs a transaction again for each request. For several copies with equal values, only the last
/// signing time is stored, so that the order and number of arrivals do not matter.
struct SupersededCopies: Sendable {
    private var signatures: [TransactionKey: [SupersededCopy: Instant]] = [:]

    /// Records a copy that a newer copy supersedes.
    ///
    /// - Parameter newest: The newest copy of the same transaction.
    mutating func record(_ copy: Transaction, supersededBy newest: Transaction) {
        let (said, holding) = (SupersededCopy(copy), SupersededCopy(newest))
        guard !said.agrees(with: holding) else { return }
        let key = TransactionKey(newest)
        record(said, signedAt: copy.signedAt, of: key)
        // The newest copy may have the same values as an older copy that was recorded while another copy was the
        // newest. Such an older copy is removed.
        signatures[key] = signatures[key]?.filter { !$0.key.agrees(with: holding) }
    }

    /// Adds the superseded copies of another history.
    ///
    /// - Parameter newest: The closure that returns the newest known copy of a transaction.
    mutating func merge(_ other: SupersededCopies, newest: (TransactionKey) -> Transaction?) {
        for (key, copies) in other.signatures {
            let holding = newest(key).map(SupersededCopy.init)
            for (said, signedAt) in copies where !(holding.map(said.agrees) ?? false) {
                record(said, signedAt: signedAt, of: key)
            }
        }
    }

    /// Returns the superseded copies of a transaction, in order of signing.
    func copies(of key: TransactionKey) -> [(said: SupersededCopy, signedAt: Instant)] {
        (signatures[key] ?? [:]).map { (said: $0.key, signedAt: $0.value) }.sorted { left, right in
            left.signedAt == right.signedAt
                ? Self.order(left.said) < Self.order(right.said) : left.signedAt < right.signedAt
        }
    }

    private mutating func record(_ said: SupersededCopy, signedAt: Instant, of key: TransactionKey) {
        signatures[key, default: [:]].merge([said: signedAt], uniquingKeysWith: max)
    }

    /// Returns the key by which copies that were signed at the same instant are ordered.
    private static func order(_ copy: SupersededCopy) -> (Instant, Int64, Instant, Int, Int) {
        (
            copy.revokedAt ?? .distantFuture, copy.revocationPercentage ?? .max, copy.expiresAt ?? .distantFuture,
            copy.isUpgraded ? 1 : 0, copy.isFromReceipt ? 0 : 1
        )
    }
}
