/// An app transaction in a history; two facts are equal if they are the same signed version.
package struct AppTransactionFact: Hashable, Sendable {
    /// The app transaction.
    package let appTransaction: AppTransaction

    /// Creates a fact.
    init(_ appTransaction: AppTransaction) { self.appTransaction = appTransaction }

    /// Returns whether two facts have the same content.
    package static func == (left: AppTransactionFact, right: AppTransactionFact) -> Bool {
        left.appTransaction.signedAt == right.appTransaction.signedAt
            && left.appTransaction.source.payload == right.appTransaction.source.payload
    }

    /// Hashes the time of signing, which distinguishes nearly all versions.
    package func hash(into hasher: inout Hasher) { hasher.combine(appTransaction.signedAt) }
}

/// The app transactions of one customer, the newest copy of each.
struct AppTransactions: Sendable, Equatable {
    /// A customer's download of an app: the app, the environment and the app transaction id, if the copy has one.
    private struct Key: Hashable {
        let bundleID: ByteIdentifier<AppTransaction>
        let environment: AppStore.Environment
        let id: ByteIdentifier<AppTransaction>?

        init(_ appTransaction: AppTransaction) {
            bundleID = ByteIdentifier(appTransaction.bundleID)
            environment = appTransaction.environment
            id = appTransaction.appTransactionID.map { ByteIdentifier($0) }
        }

        /// Returns whether copies with these keys may be about one download; a copy without an id may be about any
        /// download of its app.
        func mayBeOneDownload(_ other: Key) -> Bool {
            bundleID == other.bundleID && environment == other.environment
                && (id == nil || other.id == nil || id == other.id)
        }
    }

    private var newest: [Key: AppTransactionFact] = [:]

    /// Whether the customer has no app transaction.
    var isEmpty: Bool { newest.isEmpty }

    /// Adds a copy.
    ///
    /// - Returns: Whether the copy is newer than every known copy of the same download.
    mutating func insert(_ fact: AppTransactionFact) -> Bool {
        let key = Key(fact.appTransaction)
        if let known = newest[key], !CopyOrder.supersedes(fact.appTransaction, known.appTransaction) { return false }
        newest[key] = fact
        return true
    }

    /// Adds the app transactions of another history.
    mutating func merge(_ other: AppTransactions) {
        for fact in other.newest.values { _ = insert(fact) }
    }

    /// The app transactions that count, in a fixed order.
    ///
    /// A copy does not count if a newer copy may be about the same download.
    var counting: [AppTransactionFact] {
        newest.filter { key, fact in
            !newest.contains {
                $0.key.mayBeOneDownload(key) && CopyOrder.supersedes($0.value.appTransaction, fact.appTransaction)
            }
        }
        .values.sorted { CopyOrder.supersedes($1.appTransaction, $0.appTransaction) }
    }
}

extension CopyOrder {
    /// Returns whether a copy of an app transaction supersedes another.
    ///
    /// The copy signed later supersedes the other. If both were signed at the same time, the copy that is revoked, or
    /// was revoked earlier, supersedes the other.
    static func supersedes(_ new: AppTransaction, _ old: AppTransaction) -> Bool {
        if new.signedAt != old.signedAt { return new.signedAt > old.signedAt }
        let (newDate, oldDate) = (new.revokedAt ?? .distantFuture, old.revokedAt ?? .distantFuture)
        if newDate != oldDate { return newDate < oldDate }
        return old.source.payload.lexicographicallyPrecedes(new.source.payload)
    }
}
