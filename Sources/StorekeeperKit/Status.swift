import Storekeeper

extension Product.SubscriptionInfo {
    /// The status of one subscription of a group.
    ///
    /// - SeeAlso: Apple, "StoreKit: Product.SubscriptionInfo.Status".
    public struct Status: Hashable, Sendable {
        /// The state.
        public let state: RenewalState
        /// The current transaction.
        public let transaction: VerificationResult<Transaction>
        /// The renewal info that applies to the current transaction.
        ///
        /// If the store has no renewal info, the value is unverified, and its properties are from the transaction.
        public let renewalInfo: VerificationResult<RenewalInfo>

        init(_ status: Storekeeper.SubscriptionStatus, _ binding: StoreBinding) {
            state = RenewalState(status.state)
            transaction = .verified(Transaction(record: status.transaction, binding: binding))
            let info = RenewalInfo(record: status.renewalInfo, transaction: status.transaction)
            renewalInfo =
                status.renewalInfo == nil ? .unverified(info, .missingRequiredProperties) : .verified(info)
        }
    }

    /// The state of a subscription.
    public struct RenewalState: RawRepresentable, Hashable, Sendable {
        /// The App Store's number for the state.
        public let rawValue: Int
        /// Creates a value from any number, including a number without a constant.
        public init(rawValue: Int) { self.rawValue = rawValue }
        init(_ state: Storekeeper.RenewalState) { rawValue = state.number }

        /// A period is running.
        public static let subscribed = RenewalState(rawValue: 1)
        /// No period is running, and the App Store no longer tries to bill.
        public static let expired = RenewalState(rawValue: 2)
        /// No period is running, and the App Store retries the charge.
        public static let inBillingRetryPeriod = RenewalState(rawValue: 3)
        /// No period is running, the App Store retries the charge, and the customer has access in the meantime.
        public static let inGracePeriod = RenewalState(rawValue: 4)
        /// The current period was revoked.
        public static let revoked = RenewalState(rawValue: 5)

        /// The state in English.
        public var localizedDescription: String {
            switch self {
            case .subscribed: "Subscribed"
            case .expired: "Expired"
            case .inBillingRetryPeriod: "In Billing Retry Period"
            case .inGracePeriod: "In Grace Period"
            case .revoked: "Revoked"
            default: "Unknown"
            }
        }
    }
}

// MARK: - Statuses of the customer

extension Product.SubscriptionInfo {
    /// The current statuses of the group, with the highest level of service first.
    ///
    /// - Throws: ``StoreKitError`` if no store is bound.
    public var status: [Status] {
        get async throws { Self.statuses(of: subscriptionGroupID, binding) }
    }

    /// Returns the current statuses of a group, with the highest level of service first.
    ///
    /// - Throws: ``StoreKitError`` if no store is bound.
    public static func status(for groupID: String) async throws -> [Status] {
        statuses(of: groupID, try StoreKit.required())
    }

    /// Returns the current status of the subscription that a transaction belongs to.
    ///
    /// - Parameter transactionID: The id of any transaction of the subscription.
    /// - Returns: The status; `nil` if the customer has no subscription with this transaction.
    /// - Throws: ``StoreKitError`` if no store is bound.
    public static func status(transactionID: UInt64) async throws -> Status? {
        let binding = try StoreKit.required()
        let id = Storekeeper.Transaction.ID(String(transactionID))
        let all = await StoreBinding.reading { try await binding.store.allTransactions } ?? []
        guard let transaction = all.first(where: { $0.id == id }) else { return nil }
        return binding.status(of: transaction.originalID).map { Status($0, binding) }
    }

    private static func statuses(of group: String, _ binding: StoreBinding) -> [Status] {
        binding.store.subscriptionStatuses(group: group).map { Status($0, binding) }
    }
}

extension Product.SubscriptionInfo.Status {
    /// A sequence of statuses.
    public typealias Statuses = StoreSequence<Product.SubscriptionInfo.Status>

    /// The current statuses of all groups, by group.
    public static var all: StoreSequence<(groupID: String, statuses: [Product.SubscriptionInfo.Status])> {
        let binding = StoreKit.binding
        return StoreSequence {
            guard let binding else { return [] }
            return binding.statuses.filter { !$0.statuses.isEmpty }.map { group in
                (group.group.rawValue, group.statuses.map { Product.SubscriptionInfo.Status($0, binding) })
            }
        }
    }

    /// An endless sequence of the statuses that change because the store receives a transaction, a renewal info or a
    /// notification.
    ///
    /// A status without a renewal info is not sent; the status is sent when the store receives the renewal info.
    public static var updates: Statuses {
        .updates(of: StoreKit.binding) { update, binding, cursor in
            guard let status = binding.status(changedBy: update, &cursor.sent) else { return [] }
            return [Product.SubscriptionInfo.Status(status, binding)]
        }
    }
}

extension StoreBinding {
    /// Returns the status that an update is about; `nil` if the status was already sent, or has no renewal info.
    ///
    /// - Parameter sent: The content of the last status that was sent, by subscription.
    func status(changedBy update: StoreUpdate, _ sent: inout [String: String]) -> Storekeeper.SubscriptionStatus? {
        guard let original = update.originalTransactionID, let status = status(of: original),
            let info = status.renewalInfo
        else { return nil }
        // A transaction and its renewal info arrive as two updates. After the first update, the status already contains
        // both.
        let content = [
            status.state.rawValue, status.transaction.id.rawValue, "\(status.transaction.signedAt)", "\(info.signedAt)",
        ].joined(separator: " ")
        guard sent.updateValue(content, forKey: original.rawValue) != content else { return nil }
        return status
    }
}
