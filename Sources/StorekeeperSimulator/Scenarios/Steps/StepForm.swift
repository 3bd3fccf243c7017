import Storekeeper

/// The form with which the page of the transaction manager offers a kind of step.
package struct StepForm: Sendable {
    /// The part of the page that shows the form.
    package enum Place: Sendable { case clock, customer, purchase, store }

    /// The part of the page.
    package let place: Place
    /// The label of the button, if it differs from the keyword.
    package let title: String?
    /// The position among the forms of the same place; forms of one rank are in the order of the steps.
    package let rank: Int
    /// The position among the buttons next to a purchase; `nil` if no such button exists.
    package let rankNearPurchase: Int?
    /// Whether the step deletes data, so that the user must confirm it.
    package let isDangerous: Bool
    /// Returns whether the step is possible for a customer in their present state.
    package let isPossible: @Sendable (AccountSummary) -> Bool
    /// Returns whether the step is possible for a purchase in its present state; the second argument states whether the
    /// subscription will renew, and is `nil` if the purchase has no active subscription.
    package let isPossibleForPurchase: @Sendable (TransactionInspection, Bool?) -> Bool

    private init(
        _ place: Place, title: String? = nil, rank: Int = 0, near: Int? = nil, isDangerous: Bool = false,
        isPossible: @escaping @Sendable (AccountSummary) -> Bool = { _ in true },
        forPurchase isPossibleForPurchase: @escaping @Sendable (TransactionInspection, Bool?) -> Bool = { item, _ in
            item.isBought
        }
    ) {
        self.place = place
        self.title = title
        self.rank = rank
        rankNearPurchase = near
        self.isDangerous = isDangerous
        self.isPossible = isPossible
        self.isPossibleForPurchase = isPossibleForPurchase
    }

    static let clock = StepForm(.clock)

    static func store(title: String? = nil, rank: Int = 0) -> StepForm { StepForm(.store, title: title, rank: rank) }

    /// A form about a product that the customer buys or owns.
    static func product(
        title: String? = nil, if isPossible: @escaping @Sendable (AccountSummary) -> Bool = { _ in true }
    ) -> StepForm { StepForm(.customer, title: title, isPossible: isPossible) }

    /// A form about a product of the customer, with a button next to a purchase of an active subscription.
    static func product(near rank: Int) -> StepForm {
        StepForm(
            .customer, near: rank,
            forPurchase: { item, willRenew in willRenew != nil && !item.transaction.isFamilyShared })
    }

    /// A form about the customer.
    static func customer(
        rank: Int = 1, isDangerous: Bool = false,
        if isPossible: @escaping @Sendable (AccountSummary) -> Bool = { _ in true }
    ) -> StepForm { StepForm(.customer, rank: rank, isDangerous: isDangerous, isPossible: isPossible) }

    /// A form about a purchase; without a condition, about one that was bought.
    static func purchase(
        title: String? = nil, rank: Int = 5, near: Int? = nil, isDangerous: Bool = false,
        if isPossible: @escaping @Sendable (TransactionInspection, Bool?) -> Bool = { item, _ in item.isBought }
    ) -> StepForm {
        StepForm(
            .purchase, title: title, rank: rank, near: near, isDangerous: isDangerous, forPurchase: isPossible)
    }
}

extension TransactionInspection {
    var isBought: Bool { transaction.purchasedAt != nil }

    /// Whether the customer's own money can be refunded; the rest of a price can be refunded after a part of it.
    var isRefundable: Bool {
        isBought && !transaction.isFamilyShared
            && (transaction.revokedAt == nil || revocationPercentage.map { $0 < 100_000 } ?? false)
    }
}
