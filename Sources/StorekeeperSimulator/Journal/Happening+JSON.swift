package import Storekeeper

extension Happening: JSONShaped {
    /// The members of the happening, except its id, time and customer.
    package static let content = JSONShape<Happening>([
        .member("what") { "\($0.kind)" }, .member("app") { $0.app }, .member("productID") { $0.productID },
        .member("transactionID") { $0.transactionID },
        .member("originalTransactionID") { $0.originalTransactionID },
        .member("notification", "TYPE or TYPE/SUBTYPE.") { $0.notification }, .member("status") { $0.status },
        .member("expires") { $0.expiresAt }, .member("price") { $0.price }, .member("currency") { $0.currency },
        .member("note") { $0.note }, .member("revocationReason") { $0.revocationReason },
        .member("revocationPercentage") { $0.revocationPercentage }, .member("offer") { $0.offer },
    ])

    /// The happening as a JSON document.
    package static let shape = JSONShape<Happening>(
        "Happening", with: content.members { $0 },
        [.member("id") { $0.id }, .member("at") { $0.at }, .member("person") { $0.customer?.rawValue }])
}

extension Happening.Offer: JSONShaped {
    package static let shape = JSONShape<Happening.Offer>([
        .member("type") { $0.word }, .member("id") { $0.id },
        .member("paymentMode", as: .words(of: SubscriptionOffer.PaymentMode.self)) { $0.paymentMode?.rawValue },
    ])
}
