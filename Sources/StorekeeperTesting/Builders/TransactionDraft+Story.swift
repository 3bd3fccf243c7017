public import Storekeeper

extension TransactionDraft {
    /// Returns a first purchase of a product.
    ///
    /// - Parameters:
    ///   - product: The product, which determines the draft's type and group, and the length of the period (by default
    ///     a month).
    ///   - instant: The purchase date.
    ///   - id: The id of the transaction and of its chain.
    public static func purchase(
        of product: Product, at instant: Instant, id: Transaction.ID = "1000"
    ) -> TransactionDraft {
        var draft = TransactionDraft(
            id: id, productID: product.id, type: product.type ?? .nonConsumable, purchasedAt: instant)
        guard product.type == .autoRenewable else { return draft }
        let period = product.subscription?.subscriptionPeriod ?? SubscriptionPeriod("P1M")
        draft.subscriptionGroupID = product.subscription?.subscriptionGroupID
        draft.expiresAt = period.end(from: instant)
        return draft
    }

    /// Returns a first purchase of the product with an id.
    ///
    /// - Parameters:
    ///   - productID: The product.
    ///   - type: The type of the product.
    ///   - instant: The purchase date.
    ///   - expires: The end of the period, for an auto-renewable subscription.
    ///   - group: The subscription group, for an auto-renewable subscription.
    ///   - id: The id of the transaction and of its chain.
    public static func purchase(
        of productID: Product.ID, type: Product.ProductType = .nonConsumable, at instant: Instant,
        expires: Instant? = nil, group: SubscriptionGroup.ID? = nil, id: Transaction.ID = "1000"
    ) -> TransactionDraft {
        var draft = TransactionDraft(id: id, productID: productID, type: type, purchasedAt: instant)
        draft.expiresAt = expires
        draft.subscriptionGroupID = group
        return draft
    }

    /// Returns the renewal that follows a period without a gap.
    ///
    /// - Parameters:
    ///   - previous: The transaction of the previous period.
    ///   - expires: The end of the new period; `nil` means that the new period has the same length in milliseconds as
    ///     the previous period.
    ///   - id: The id; `nil` means the id of the previous transaction plus 1, or with `.1` appended if it is not a
    ///     number.
    public static func renewal(
        of previous: TransactionDraft, expires: Instant? = nil, id: Transaction.ID? = nil
    ) -> TransactionDraft {
        let start = previous.expiresAt ?? previous.purchasedAt
        var draft = previous.following(at: start, id: id)
        draft.expiresAt = expires ?? start.adding(milliseconds: start.milliseconds(since: previous.purchasedAt))
        draft.reason = .renewal
        return draft
    }

    /// Returns a later purchase in the same chain: an upgrade, a crossgrade or a resubscription.
    ///
    /// - Parameters:
    ///   - previous: The last transaction of the chain.
    ///   - productID: The new product; `nil` means the same product.
    ///   - instant: The purchase date.
    ///   - expires: The end of the new period.
    ///   - id: The id; `nil` means the id of the previous transaction plus 1, or with `.1` appended if it is not a
    ///     number.
    public static func change(
        of previous: TransactionDraft, to productID: Product.ID? = nil, at instant: Instant, expires: Instant?,
        id: Transaction.ID? = nil
    ) -> TransactionDraft {
        var draft = previous.following(at: instant, id: id)
        draft.productID = productID ?? previous.productID
        draft.expiresAt = expires
        draft.reason = .purchase
        return draft
    }

    /// Returns a newer copy, in which the transaction is revoked.
    ///
    /// - Parameters:
    ///   - instant: The revocation date.
    ///   - type: The revocation type.
    ///   - percentage: The refunded share, in thousandths of a percent; `nil` means that everything is refunded.
    ///   - signedAt: The signing date of the copy; `nil` means the revocation date, but at least one millisecond after
    ///     the signing date of this draft.
    public func revoked(
        at instant: Instant, type: RevocationType? = .fullRefund, percentage: Int64? = nil, signedAt: Instant? = nil
    ) -> TransactionDraft {
        var copy = signed(at: signedAt ?? max(instant, self.signedAt.adding(milliseconds: 1)))
        copy.revokedAt = instant
        copy.revocationType = type
        copy.revocationReason = .other
        copy.revocationPercentage = percentage
        return copy
    }

    /// Returns a transaction that adds seats to a period.
    ///
    /// The App Store signs the older transaction again, with ``additionalReason`` as well.
    ///
    /// - Parameters:
    ///   - period: A transaction of the period.
    ///   - instant: The purchase date.
    ///   - seats: The number of added seats.
    ///   - id: The id; `nil` means the id of `period` plus 1, or with `.1` appended if it is not a number.
    public static func seatAddition(
        to period: TransactionDraft, at instant: Instant, seats: Int64 = 1, id: Transaction.ID? = nil
    ) -> TransactionDraft {
        var draft = change(of: period, at: instant, expires: period.expiresAt, id: id)
        draft.quantity = seats
        draft.additionalReason = .seatAddition
        return draft
    }

    /// Returns a newer copy, in which the transaction is revoked because the customer moved to a bundle.
    ///
    /// - Parameter instant: The revocation date, which is also the signing date unless the draft was signed later.
    public func movedToBundle(at instant: Instant) -> TransactionDraft {
        var copy = revoked(at: instant, type: nil)
        copy.revocationReason = .upgradedToBundle
        return copy
    }

    /// Returns a newer copy, in which the transaction is no longer revoked.
    public func reversed(signedAt: Instant) -> TransactionDraft {
        var copy = signed(at: signedAt)
        copy.revokedAt = nil
        copy.revocationType = nil
        copy.revocationReason = nil
        copy.revocationPercentage = nil
        return copy
    }

    /// Returns a newer copy, in which the transaction is upgraded.
    public func upgraded(signedAt: Instant) -> TransactionDraft {
        var copy = signed(at: signedAt)
        copy.isUpgraded = true
        return copy
    }

    /// Returns the draft with another signing date.
    public func signed(at instant: Instant) -> TransactionDraft {
        var copy = self
        copy.signedAt = instant
        return copy
    }

    /// Returns the draft with another ownership type.
    public func owned(as ownership: OwnershipType?) -> TransactionDraft {
        var copy = self
        copy.ownership = ownership
        return copy
    }

    /// Returns the draft in another environment.
    public func made(in environment: AppStore.Environment) -> TransactionDraft {
        var copy = self
        copy.environment = environment
        return copy
    }

    private func following(at instant: Instant, id: Transaction.ID?) -> TransactionDraft {
        var draft = reversed(signedAt: instant)
        draft.id = id ?? Transaction.ID(rawValue: Self.text(after: self.id.rawValue))
        draft.purchasedAt = instant
        draft.isUpgraded = nil
        return draft
    }

    private static func text(after text: String) -> String {
        if let number = UInt64(text), number < .max { return String(number + 1) }
        return text + ".1"
    }
}
