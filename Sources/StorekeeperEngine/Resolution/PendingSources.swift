/// Purchases that wait for approval, as sources of the timelines of their products.
struct PendingSources: Sendable {
    private var purchases: [Product.ID: [PendingPurchase]] = [:]

    init(_ pending: [PendingPurchase] = []) {
        for purchase in pending where purchase.startedAt < purchase.endsAt {
            purchases[purchase.productID, default: []].append(purchase)
        }
        // Sorting ensures that the timelines do not depend on the order in which the purchases are passed.
        for id in Array(purchases.keys) { purchases[id]?.sort(by: Self.precedes) }
    }

    /// The products with pending purchases.
    var productIDs: some Collection<Product.ID> { purchases.keys }

    /// Returns the answers of a product's pending purchases, one timeline for each purchase.
    ///
    /// If several purchases wait at the same instant, the first timeline in the result determines the answer.
    func timelines(of id: Product.ID) -> [Timeline<EntitlementAnswer>] {
        (purchases[id] ?? []).map { purchase in
            var answers = Timeline<EntitlementAnswer>(.never)
            answers.append(.pending(purchase.reason), from: purchase.startedAt)
            if purchase.endsAt < .distantFuture { answers.append(.never, from: purchase.endsAt) }
            return answers
        }
    }

    /// Returns whether a purchase is sorted before another; purchases that were started later come first.
    private static func precedes(_ left: PendingPurchase, _ right: PendingPurchase) -> Bool {
        if left.startedAt != right.startedAt { return left.startedAt > right.startedAt }
        if left.endsAt != right.endsAt { return left.endsAt > right.endsAt }
        return left.reason.rawValue < right.reason.rawValue
    }
}
