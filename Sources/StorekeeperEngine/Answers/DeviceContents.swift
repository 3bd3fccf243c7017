/// What StoreKit 2 would contain on the customer's device at an instant: `Transaction.currentEntitlements`, `all` and
/// `latest(for:)`, and `Product.SubscriptionInfo.status`.
///
/// A device follows Apple's rules and not the policy of a server. For example, a grace period always gives access, and
/// a non-renewing purchase is always a current entitlement. A server does not know which consumables an app has
/// finished, so every consumable that was not refunded counts as finished.
///
/// - SeeAlso: Apple, "StoreKit: Transaction", "currentEntitlements", "all" and "latest(for:)".
public struct DeviceContents: Sendable {
    /// The reason why a transaction is not a current entitlement.
    public enum Absence: String, Sendable, CaseIterable {
        /// A newer transaction, or another record of the same purchase, counts instead.
        case superseded
        /// The transaction was refunded or revoked.
        case revoked
        /// The period has ended, and the App Store tries to bill without a grace period.
        case billingRetry
        /// The period has ended.
        case expired
        /// Consumables are never current entitlements.
        case consumable
        /// The device uses another environment.
        case environment
    }

    /// A transaction that is not a current entitlement.
    public struct AbsentTransaction: Sendable {
        /// The product.
        public let productID: Product.ID
        /// The transaction; `nil` if only the product is known, because the evidence was refused for its environment.
        public let transaction: Transaction?
        /// The reason.
        public let reason: Absence
        /// The reason as a sentence.
        public let sentence: String
        /// Whether `all` and `latest(for:)` do not contain the transaction either.
        public let isAbsentFromAll: Bool
    }

    /// The instant, in UTC.
    public let at: Instant
    /// The transactions in `Transaction.currentEntitlements`, sorted by product and then by id.
    public let currentEntitlements: [Transaction]
    /// The transactions in `Transaction.all`, the newest purchase first.
    public let all: [Transaction]
    /// The transaction that `Transaction.latest(for:)` returns, for each product that has one, sorted by product.
    public let latest: [Transaction]
    /// The statuses in `Product.SubscriptionInfo.status`, by group, the highest service first.
    public let statuses: [(group: SubscriptionGroup, statuses: [SubscriptionStatus])]
    /// The transactions that are not current entitlements, the newest purchase first.
    public let absent: [AbsentTransaction]
}

extension EntitlementResolver {
    /// Returns what StoreKit 2 would contain on a device of the customer.
    ///
    /// - Parameters:
    ///   - history: The customer's verified evidence; a transaction that begins after the instant is left out.
    ///   - instant: The instant, in UTC.
    public func deviceContents(of history: PurchaseHistory, at instant: Instant) -> DeviceContents {
        let apple = EntitlementPolicy(environments: policy.environments)
        let resolution = EntitlementResolver(catalog: catalog, policy: apple).resolve(history)
        let known = history.transactions.filter { $0.purchasedAt <= instant }.sorted(by: DeviceContents.isNewer)
        let counted = known.filter { apple.counts($0.environment) }
        let all = counted.filter { $0.productType != .consumable || $0.isRevoked(at: instant) }
        let current = resolution.currentEntitlements(at: instant)
        let currentKeys = Set(current.map { TransactionKey($0) })
        let statuses = resolution.groups.compactMap {
            group -> (group: SubscriptionGroup, statuses: [SubscriptionStatus])? in
            let statuses = group.statuses(at: instant)
            return statuses.isEmpty ? nil : (group.group, statuses)
        }
        var latest: [Product.ID: Transaction] = [:]
        for transaction in all where latest[transaction.productID] == nil {
            latest[transaction.productID] = transaction
        }
        let judge = DeviceJudge(at: instant, all: counted, statuses: statuses.flatMap(\.1))
        let absent = known.filter { !currentKeys.contains(TransactionKey($0)) }.map { transaction in
            apple.counts(transaction.environment)
                ? judge.absence(of: transaction)
                : DeviceJudge.refused(
                    transaction.productID, transaction,
                    "a transaction of \(transaction.environment.rawValue), which is not an accepted environment")
        }
        let refused = history.refusedProductIDs.sorted().map { id in
            DeviceJudge.refused(id, nil, "evidence of an environment that is not accepted")
        }
        return DeviceContents(
            at: instant, currentEntitlements: current, all: all,
            latest: latest.values.sorted { $0.productID < $1.productID },
            statuses: statuses, absent: absent + refused)
    }
}

extension DeviceContents {
    fileprivate static func isNewer(_ left: Transaction, _ right: Transaction) -> Bool {
        if left.purchasedAt != right.purchasedAt { return left.purchasedAt > right.purchasedAt }
        return right.id.precedesAsNumber(left.id)
    }
}

/// Finds the reason why a transaction is not a current entitlement.
private struct DeviceJudge {
    let at: Instant
    /// The transactions of accepted environments, the newest purchase first.
    let all: [Transaction]
    let statuses: [SubscriptionStatus]

    func absence(of transaction: Transaction) -> DeviceContents.AbsentTransaction {
        let (reason, sentence) = verdict(on: transaction)
        return DeviceContents.AbsentTransaction(
            productID: transaction.productID, transaction: transaction, reason: reason, sentence: sentence,
            isAbsentFromAll: reason == .consumable)
    }

    static func refused(
        _ id: Product.ID, _ transaction: Transaction?, _ sentence: String
    ) -> DeviceContents.AbsentTransaction {
        DeviceContents.AbsentTransaction(
            productID: id, transaction: transaction, reason: .environment, sentence: sentence, isAbsentFromAll: true)
    }

    private func verdict(on transaction: Transaction) -> (DeviceContents.Absence, String) {
        if let revokedAt = transaction.revokedAt, revokedAt <= at {
            return (.revoked, "refunded or revoked at \(revokedAt)")
        }
        if transaction.productType == .consumable {
            return (
                .consumable,
                "a consumable is never a current entitlement, and once it is finished 'all' does not contain it either"
            )
        }
        if transaction.productType == .autoRenewable { return subscription(transaction) }
        let newer = all.first { other in
            other.productID == transaction.productID && other.id != transaction.id && !other.isRevoked(at: at)
        }
        return (
            .superseded,
            newer.map { "transaction \($0.id) of the same product counts instead" }
                ?? "the type of the product is not known, or its evidence contradicts the catalog"
        )
    }

    private func subscription(_ transaction: Transaction) -> (DeviceContents.Absence, String) {
        let status = statuses.first { status in
            status.transaction.originalID == transaction.originalID
                && status.transaction.environment == transaction.environment
                && status.transaction.appBundleID == transaction.appBundleID
        }
        if let current = status?.transaction, current.id != transaction.id {
            return (.superseded, "transaction \(current.id) of \(current.productID) is the newest of the subscription")
        }
        switch status?.state {
        case .inBillingRetryPeriod?:
            return (.billingRetry, "the period has ended, and the payment is tried again without a grace period")
        case .subscribed?, .inGracePeriod?:
            return (.superseded, "another current entitlement of the product counts instead")
        case .expired?, .revoked?, nil:
            return (.expired, "the period ended at \(transaction.subscriptionPeriodEnd)")
        }
    }
}

extension Transaction {
    /// Returns whether the transaction is refunded or revoked at an instant.
    fileprivate func isRevoked(at instant: Instant) -> Bool { revokedAt.map { $0 <= instant } ?? false }
}
