/// Signed evidence that a store has learned: a transaction, a renewal info, an app transaction, or a notification with
/// the App Store's state of a subscription.
public struct StoreUpdate: Sendable {
    /// The position of the fact in the vault's feed.
    ///
    /// A subscriber stores this place to continue reading after it.
    public let place: FeedPlace
    /// The owner of the fact; `nil` while its chain has no owner.
    public let customer: CustomerID?
    /// The instant at which the store learned the fact, in UTC.
    public let learnedAt: Instant
    /// The fact, which is verified, because a vault contains only verified facts.
    package let content: VerifiedFact.Content

    init(_ stored: StoredFact) {
        place = stored.place
        customer = stored.customer
        learnedAt = stored.learnedAt
        content = stored.fact.content
    }

    /// The transaction; `nil` for other evidence.
    public var transaction: Transaction? {
        if case .transaction(let transaction) = content { transaction } else { nil }
    }

    /// The renewal info; `nil` for other evidence.
    public var renewalInfo: RenewalInfo? {
        if case .renewalInfo(let info) = content { info } else { nil }
    }

    /// The app transaction; `nil` for other evidence.
    public var appTransaction: AppTransaction? {
        if case .appTransaction(let appTransaction, _) = content { appTransaction } else { nil }
    }

    /// The notification; `nil` for other evidence.
    public var notification: ServerNotification? {
        if case .notification(let notification, _) = content { notification } else { nil }
    }

    /// The original transaction of the purchase that the evidence is about; `nil` for an app transaction.
    package var originalTransactionID: Transaction.ID? {
        switch content {
        case .transaction(let transaction): transaction.originalID
        case .renewalInfo(let info): info.originalTransactionID
        case .notification(_, let status): status.originalID
        case .appTransaction: nil
        }
    }
}

/// The evidence that follows a place in the vault's feed, in the order in which it was written.
///
/// The sequence corresponds to StoreKit's `Transaction.updates` and `Status.updates` together, and can be resumed. A
/// subscriber stores the ``StoreUpdate/place`` of the last update it has processed, and begins after this place the
/// next time. A newer copy of a transaction is a separate update.
public typealias StoreUpdates = VaultFeed<StoreUpdate>

extension VaultFeed<StoreUpdate> {
    /// Subscribes to a vault's facts.
    ///
    /// - Parameters:
    ///   - vault: The vault that contains the facts.
    ///   - customer: The customer whose facts are read; `nil` for all customers.
    ///   - place: The place after which to begin; ``FeedPlace/start`` begins with the first fact.
    ///   - signal: The signal that is sent when the vault changes.
    ///   - pageSize: The maximum number of facts read at a time; each fact includes its signed text.
    init(
        _ vault: any TransactionalVault, of customer: CustomerID?, after place: FeedPlace, signal: ChangeSignal,
        pageSize: Int = 64
    ) {
        self.init(
            signal: signal, start: place, pageSize: pageSize, currentEpoch: { vault.feedEpoch },
            place: { $0.place }
        ) {
            try await vault.facts(after: $0, of: customer, limit: $1).map(StoreUpdate.init)
        }
    }
}
