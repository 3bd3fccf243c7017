extension Upcoming: JSONDescribed, JSONShaped {
    /// The event as `storekeeper explain` prints it: what is due, and the answer from then on.
    package static let shape = JSONShape<Upcoming>(
        "NextAnswer", note: "What is due next, and the answer from then on.",
        [
            .member("at") { $0.at }, .member("event", as: .words(of: Event.self)) { $0.event.rawValue },
            .member("productID") { $0.productID },
            .member("from", "The product that the subscription has until then.") { $0.from },
            .member("price") { $0.price }, .member("currency") { $0.price == nil ? nil : $0.currencyCode },
            .member("offer") { $0.offer }, .member("expirationReason") { $0.expirationReason?.word },
            .member("answer", as: EntitlementAnswer.wordSchema) { $0.answer?.word },
            .member("reason") { $0.answer?.reasonWord },
            .member(
                "otherwise", "The answer if a renewal that is due does not arrive.",
                as: EntitlementAnswer.outline.schema
            ) { $0.otherwise.map { EntitlementAnswer.outline.json($0) } },
            .member("text", "The event in English.") { $0.words },
        ])
}
