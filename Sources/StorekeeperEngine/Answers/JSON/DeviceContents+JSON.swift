extension DeviceContents: JSONDescribed {
    /// The contents as `storekeeper explain --storekit` prints them, without the diagnostics of the evidence.
    package var json: JSONText { .object(members) }

    /// The members of the JSON object.
    package var members: [String: JSONText] {
        [
            "at": .time(at), "currentEntitlements": .array(currentEntitlements.map(Self.row)),
            "all": .array(all.map(Self.row)), "latest": .array(latest.map(Self.row)),
            "status": .array(
                statuses.map { group, statuses in
                    .object([
                        "group": .text(group.id), "statuses": statuses.map { DatedStatus($0, at: at) }.json,
                    ])
                }),
            "absent": .array(
                absent.map { absent in
                    .object([
                        "productID": .text(absent.productID), "transactionID": .text(absent.transaction?.id),
                        "reason": .string(absent.reason.rawValue), "text": .string(absent.sentence),
                        "absentFrom": .array(
                            (["currentEntitlements"] + (absent.isAbsentFromAll ? ["all", "latest"] : [])).map(
                                JSONText.string)),
                    ])
                }),
        ]
    }

    private static func row(_ transaction: Transaction) -> JSONText {
        .object(["transactionID": .text(transaction.id), "productID": .text(transaction.productID)])
    }
}
