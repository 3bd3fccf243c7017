extension CustomerOffers: JSONDescribed {
    /// The offers as `storekeeper offers` prints them, without the diagnostics of the evidence.
    package var json: JSONText { .object(members) }

    /// The members of the JSON object.
    package var members: [String: JSONText] {
        [
            "at": .time(at), "verified": .bool(isVerified), "groups": .array(groups.map(\.json)),
            "offers": .array(rows.map(\.json)),
        ]
    }

    /// Returns only the offers that satisfy a condition, with the groups of these offers.
    package func only(_ isWanted: (Row) -> Bool) -> CustomerOffers {
        let rows = rows.filter(isWanted)
        return CustomerOffers(
            at: at, groups: groups.filter { group in rows.contains { $0.groupID == group.id } }, rows: rows,
            isVerified: isVerified)
    }
}

extension CustomerOffers.Group: JSONDescribed {
    /// The group as JSON.
    package var json: JSONText {
        .object([
            "id": .text(id), "name": .text(name),
            "introductory": .object([
                "answer": .string(introductory.word), "reason": .string(introductory.reasonWord), "until": .time(until),
            ]),
            "statuses": .array(
                statuses.map { status in
                    .object([
                        "productID": .string(status.transaction.productID.rawValue),
                        "state": .string(status.state.rawValue),
                        "ownership": .string(status.transaction.ownershipType.word),
                        "links": status.links.isEmpty
                            ? .null
                            : .array(
                                status.links.map {
                                    .object(["kind": .string($0.rawValue), "url": .string($0.url)])
                                }),
                    ])
                }),
        ])
    }
}

extension CustomerOffers.Row: JSONDescribed {
    /// The offer, with the answer about it, as JSON.
    package var json: JSONText {
        .object([
            "productID": .text(productID), "subscriptionGroupID": .text(groupID),
            "kind": .string(offer.kind.rawValue), "id": .text(offer.id),
            "paymentMode": .text(offer.paymentMode?.rawValue), "period": .text(offer.period?.text),
            "periodCount": .whole(offer.periodCount), "price": .money(offer.price),
            "currency": offer.price == nil ? .null : .text(currencyCode), "answer": .string(answer.word),
            "reason": .string(answer.reasonWord), "until": .time(until), "steps": .array(steps.map(\.json)),
        ])
    }
}

extension CustomerOffers: CustomStringConvertible {
    /// The JSON on one line, with the members in order of name.
    public var description: String { json.text() }
}
