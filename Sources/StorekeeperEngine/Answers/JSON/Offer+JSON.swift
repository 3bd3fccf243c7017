extension Transaction.Offer: JSONDescribed {
    /// The offer as the answers print it.
    package var json: JSONText {
        .object([
            "kind": .string(type.word), "paymentMode": .text(paymentMode?.word), "id": .text(id),
        ])
    }
}
