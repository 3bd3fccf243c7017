package import Storekeeper

/// A transaction in the list of a transaction manager.
package struct TransactionSummary: Hashable, Sendable, Identifiable {
    /// The state of a transaction.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// The product was bought; for a subscription, the period has not ended.
        case purchased
        /// The period has ended and the payment has failed, but the grace period has not ended.
        case grace
        /// The period has ended and the payment has failed, but the App Store still retries it.
        case retry
        /// The period has ended.
        case expired
        /// The transaction was refunded, wholly or in part.
        case refunded
        /// A family member lost shared access, or an organization revoked a subscription that it had assigned.
        case revoked
        /// The customer has moved to a product with a higher level of service.
        case upgraded
        /// The purchase waits for a guardian's answer.
        case pending
        /// The purchase waits until an issue is resolved.
        case interrupted
        /// The purchase was refused.
        case failed
        /// A guardian declined the purchase, or did not answer in time.
        case declined
    }

    /// The transaction's id.
    package let id: Transaction.ID
    /// The id of the first transaction of the chain; `nil` for an attempt that bought nothing.
    package let originalID: Transaction.ID?
    /// The product.
    package let productID: Product.ID
    /// The customer.
    package let person: CustomerID
    /// The bundle id of the app.
    package let app: String
    /// The instant at which the purchase was requested.
    package let begunAt: Instant
    /// The instant at which the product was bought; `nil` for an attempt that bought nothing.
    package let purchasedAt: Instant?
    /// The end of the transaction's period.
    package let expiresAt: Instant?
    /// The instant at which the transaction was refunded or revoked.
    package let revokedAt: Instant?
    /// The quantity.
    package let quantity: Int
    /// The state.
    package let state: State
    /// Whether the transaction was shared by a family member.
    package let isFamilyShared: Bool
    /// Whether the transaction is an automatic renewal.
    package let isRenewal: Bool
    /// Whether the app has finished the transaction.
    package let isFinished: Bool
    /// Whether a refund was requested, and the request was not answered.
    package let isRefundRequested: Bool
    /// Whether the customer was asked to agree to a higher price, and has not answered.
    package let awaitsPriceConsent: Bool
    /// The order id on the customer's invoice; `nil` if a family member shared the purchase, or if the attempt bought
    /// nothing.
    package let orderID: String?
}

extension SimulatedAppStore {
    /// All transactions that were not deleted, in order of id.
    package var transactions: [TransactionSummary] {
        read { world in
            world.transactions.indices.compactMap { place in
                world.transactions[place].isDeleted ? nil : world.summary(of: place)
            }
        }
    }
}

extension World {
    func summary(of place: RowIndex<TransactionState>) -> TransactionSummary {
        let state = transactions[place]
        let download = downloads[state.download]
        let app = apps[download.app]
        let record = state.latest.map { records[$0] }
        return TransactionSummary(
            id: id(of: place), originalID: record.map { id(of: $0.original) },
            productID: app.product(record?.product ?? state.product).id,
            person: accounts[download.account].name, app: app.bundleID, begunAt: state.begunAt,
            purchasedAt: record?.purchasedAt,
            expiresAt: record?.expiresAt, revokedAt: record?.revocation?.at, quantity: Int(record?.quantity ?? 1),
            state: self.state(of: state, record), isFamilyShared: record?.flags.contains(.isFamilyShared) ?? false,
            isRenewal: record?.flags.contains(.isRenewal) ?? false, isFinished: state.isFinished,
            isRefundRequested: state.refund == .requested, awaitsPriceConsent: awaitsPriceConsent(record),
            orderID: record.map { !$0.flags.contains(.isFamilyShared) } == true ? Self.orderID(of: place) : nil)
    }

    /// Returns the state of a transaction in the list.
    func listedState(of place: RowIndex<TransactionState>) -> TransactionSummary.State {
        let state = transactions[place]
        return self.state(of: state, state.latest.map { records[$0] })
    }

    private func awaitsPriceConsent(_ record: TransactionRecord?) -> Bool {
        guard let record, let place = record.subscription else { return false }
        return subscriptions[place].current == record.transaction && subscriptions[place].priceIncrease == .pending
            && subscriptions[place].sharedFrom == nil
    }

    private func state(of state: TransactionState, _ record: TransactionRecord?) -> TransactionSummary.State {
        switch state.stage {
        case .awaitsApproval: return .pending
        case .interrupted: return .interrupted
        case .failed: return .failed
        case .declined: return .declined
        case .purchased: break
        }
        switch record?.revocation?.kind {
        case .fullRefund, .proratedRefund: return .refunded
        case .family, .assignment: return .revoked
        case nil: break
        }
        if record?.flags.contains(.isUpgraded) == true { return .upgraded }
        if let place = record?.subscription, subscriptions[place].current == record?.transaction {
            if subscriptions[place].service.phase == .grace { return .grace }
            if subscriptions[place].service.phase == .retry { return .retry }
        }
        if let end = record?.expiresAt, end <= now { return .expired }
        return .purchased
    }
}

extension TransactionSummary {
    /// The transaction as a JSON document.
    package var document: JSONText {
        .object([
            "id": .string(id.rawValue), "originalID": .text(originalID?.rawValue), "productID": .text(productID),
            "person": .string(person.rawValue), "app": .string(app), "begun": .time(begunAt),
            "purchased": .time(purchasedAt),
            "expires": .time(expiresAt), "revoked": .time(revokedAt), "quantity": .whole(quantity),
            "state": .string(state.rawValue), "isFamilyShared": .bool(isFamilyShared), "isRenewal": .bool(isRenewal),
            "isFinished": .bool(isFinished), "isRefundRequested": .bool(isRefundRequested),
            "awaitsPriceConsent": .bool(awaitsPriceConsent), "orderID": .text(orderID),
        ])
    }
}
