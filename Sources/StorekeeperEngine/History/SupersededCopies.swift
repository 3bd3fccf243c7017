/// What a superseded copy of a transaction said of access, where the newest copy says otherwise.
struct SupersededCopy: Hashable, Sendable {
    /// The end of the period.
    let expiresAt: Instant?
    /// From when on the transaction was taken back.
    let revokedAt: Instant?
    /// How much was refunded, in milliunits of a percent; `nil`: all.
    let revocationPercentage: Int64?
    /// Whether the customer had upgraded.
    let isUpgraded: Bool

    init(_ transaction: Transaction) {
        expiresAt = transaction.expiresAt
        revokedAt = transaction.revokedAt
        revocationPercentage = transaction.revocationPercentage
        isUpgraded = transaction.isUpgraded
    }
}

/// What superseded copies of transactions said, for those who want to know why an answer is another than it was.
///
/// A copy that says what the newest does leaves nothing behind, which is how nearly all are: the App Store signs a
/// transaction anew each time somebody asks. Of equal ones the signature of the last is kept, so that neither order
/// nor number of arrivals matters.
struct SupersededCopies: Sendable {
    private var signatures = LayeredMap<TransactionKey, [SupersededCopy: Instant]>()

    /// Takes in a copy that is not, or no longer, the newest.
    ///
    /// - Parameter newest: The newest copy of the same transaction.
    mutating func record(_ copy: Transaction, supersededBy newest: Transaction) {
        let (said, holding) = (SupersededCopy(copy), SupersededCopy(newest))
        guard said != holding else { return }
        let key = TransactionKey(newest)
        record(said, signedAt: copy.signedAt, of: key)
        // What was said before, and then otherwise, may be said again.
        _ = signatures.change(key) { $0[holding] = nil }
    }

    /// Lets further changes cost less; see ``LayeredMap/fold()``.
    mutating func fold() { signatures.fold() }

    /// Takes in what another history knows of superseded copies.
    ///
    /// - Parameter newest: The newest copy that is known of a transaction.
    mutating func merge(_ other: SupersededCopies, newest: (TransactionKey) -> Transaction?) {
        for (key, copies) in other.signatures {
            let holding = newest(key).map(SupersededCopy.init)
            for (said, signedAt) in copies where said != holding { record(said, signedAt: signedAt, of: key) }
        }
    }

    /// What superseded copies of a transaction said, the one signed first first.
    func copies(of key: TransactionKey) -> [(said: SupersededCopy, signedAt: Instant)] {
        (signatures[key] ?? [:]).map { (said: $0.key, signedAt: $0.value) }.sorted { left, right in
            left.signedAt == right.signedAt
                ? Self.order(left.said) < Self.order(right.said) : left.signedAt < right.signedAt
        }
    }

    private mutating func record(_ said: SupersededCopy, signedAt: Instant, of key: TransactionKey) {
        let known = signatures[key]?[said] ?? .distantPast
        signatures.change(key, default: [:]) { $0[said] = max(known, signedAt) }
    }

    /// Tells copies apart that were signed at one instant.
    private static func order(_ copy: SupersededCopy) -> (Instant, Int64, Instant, Int) {
        (
            copy.revokedAt ?? .distantFuture, copy.revocationPercentage ?? .max, copy.expiresAt ?? .distantFuture,
            copy.isUpgraded ? 1 : 0
        )
    }
}
