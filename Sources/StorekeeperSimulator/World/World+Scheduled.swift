package import Storekeeper

/// The next event that the passage of time alone causes.
package struct ScheduledEvent: Hashable, Sendable {
    /// The kinds of events.
    package enum Kind: Sendable {
        case renewal
        /// The subscription renews as another product.
        case planChange
        /// The subscription ends.
        case end
        /// The payment of a renewal fails.
        case failedPayment
        /// A payment is tried again, or early.
        case payment
        case gracePeriodEnd
        case billingRetryEnd
        /// No guardian has answered a request in time.
        case requestEnd
    }

    /// The instant at which the event is due.
    package let at: Instant
    /// The kind of event.
    package let kind: Kind
    /// The product; if the subscription changes to another product, that product.
    package let productID: Product.ID
    /// The customer.
    package let customer: CustomerID
}

extension SimulatedAppStore {
    /// The next event that the passage of time alone causes; `nil` if no such event is scheduled.
    package var scheduledEvent: ScheduledEvent? { read { world in world.scheduledEvent } }
}

extension World {
    /// The next event that time alone causes, as it will happen if nobody does anything before.
    fileprivate var scheduledEvent: ScheduledEvent? {
        guard let event = nextDue else { return nil }
        let customer = accounts[event.account].name
        switch event.subject {
        case .askToBuy(let transaction):
            let state = transactions[transaction]
            let product = apps[downloads[state.download].app].product(state.product)
            return ScheduledEvent(
                at: max(event.at, now), kind: .requestEnd, productID: product.id, customer: customer)
        case .subscription(let place, _):
            let subscription = subscriptions[place]
            let kind = kind(of: event, subscription)
            let product = kind == .planChange ? subscription.followingProduct : subscription.service.product
            return ScheduledEvent(
                at: max(event.at, now), kind: kind, productID: apps[subscription.app].product(product).id,
                customer: customer)
        }
    }

    private func kind(of event: DueEvent, _ subscription: Subscription) -> ScheduledEvent.Kind {
        let service = subscription.service
        switch service.phase {
        case .active:
            let isEarly = event.at < service.expiresAt
            if ending(of: subscription) != nil { return isEarly ? .payment : .end }
            if paymentFails(for: subscription) { return isEarly ? .payment : .failedPayment }
            return subscription.followingProduct == service.product ? .renewal : .planChange
        case .grace:
            return event.at < service.graceEndsAt ?? event.at ? .payment : .gracePeriodEnd
        case .retry:
            return event.at < service.retryEndsAt ?? event.at ? .payment : .billingRetryEnd
        case .expired, .revoked: return .end
        }
    }
}
