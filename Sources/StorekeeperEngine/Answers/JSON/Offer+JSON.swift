extension Transaction.Offer: JSONDescribed, JSONShaped {
    /// The offer as the answers print it.
    package static let shape = JSONShape<Transaction.Offer>(
        "TransactionOffer", note: "The offer of the deciding transaction, or of a renewal that is due.",
        [
            .member("kind", "introductory, promotional, code, winBack, retention, or a number.") { $0.type.word },
            .member("paymentMode", "freeTrial, payAsYouGo, payUpFront, oneTime, or another.") {
                $0.paymentMode?.word
            },
            .member("id") { $0.id },
        ])
}
