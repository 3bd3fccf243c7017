extension Upcoming: JSONDescribed {
    /// The event as `storekeeper explain` prints it: what is due, and the answer from then on.
    package var json: JSONText {
        .object([
            "at": .time(at), "event": .string(event.rawValue), "productID": .text(productID), "from": .text(from),
            "price": .money(price), "currency": price == nil ? .null : .text(currencyCode),
            "offer": offer?.json ?? .null, "expirationReason": .text(expirationReason?.word),
            "answer": .text(answer?.word), "reason": .text(answer?.reasonWord),
            "otherwise": otherwise.map { .object(["answer": .string($0.word), "reason": .string($0.reasonWord)]) }
                ?? .null,
            "text": .string(words),
        ])
    }
}
