extension LedgerEntry: RowKind {
    package static let table = TableShape(
        "ledger", number: 0,
        [
            .place, .owner, .int("number"), .int("at"), .int("kind"), .text("balance"), .int("change"), .int("after"),
            .text("bundle").optional, .text("environment").optional, .text("transaction_id").optional,
            .text("product").optional, .text("feature").optional, .int("target").optional, .text("key").optional,
            .text("revoked_key").optional, .text("reason").optional, .text("recorded_by").optional,
        ],
        key: ["sequence"],
        indices: [
            .by("customer"), .by("transaction_id", "environment", "bundle", named: "transaction"),
            .by("customer", "key", named: "key").unique,
            .by("customer", named: "access").least(Kind.grantAccess.code, in: "kind"),
        ],
        erasure: .emptied, isLinked: true)

    package static let ofCustomer = RowIndex<LedgerEntry, CustomerID>("customer")
    package static let byTransaction = RowIndex<LedgerEntry, String, String, String>("transaction")
    package static let byRequest = RowIndex<LedgerEntry, CustomerID, String>("key")
    /// The entries that grant or revoke access or record a transfer.
    package static let aboutAccess = RowIndex<LedgerEntry, CustomerID>("access")

    /// The position of the column that counts the entries of an account.
    package static let numberColumn = 2

    package func write(to row: RowBuffer) {
        row.place(place)
        row.owner(customer)
        row.int(number)
        row.instant(at)
        row.int(kind.code)
        row.text(balance.rawValue)
        row.int(change)
        row.int(after)
        switch cause {
        case .transaction(let key, let productID, let target):
            row.text(key.bundleID)
            row.text(key.environment.rawValue)
            row.text(key.transactionID.rawValue)
            row.text(productID.rawValue)
            row.null()
            row.int(target)
            row.nulls(3)
        case .request(let key, let reason):
            row.nulls(6)
            row.text(key.rawValue)
            row.null()
            row.text(reason)
        case .access(let subject, let until, let key, let reason):
            row.nulls(3)
            switch subject {
            case .product(let id):
                row.text(id.rawValue)
                row.null()
            case .feature(let id):
                row.null()
                row.text(id.rawValue)
            }
            row.instant(until)
            row.text(key.rawValue)
            row.null()
            row.text(reason)
        case .revocation(let key, let reason):
            row.nulls(7)
            row.text(key.rawValue)
            row.text(reason)
        case .transfer(let subject, let from, let to, let reason):
            row.nulls(3)
            row.text(from.rawValue)
            row.text(to.rawValue)
            row.nulls(2)
            row.text(subject.columnText)
            row.text(reason)
        }
        row.text(recordedBy)
    }

    package init(from row: inout RowReader) throws(VaultError) {
        let (place, customer, number, at, code) = (row.place(), row.owner(), row.int(), row.instant(), row.int())
        guard let kind = Kind(code: code) else {
            throw VaultError(.corrupt, "entry \(place.number) of the unknown kind \(code)")
        }
        let (balance, change, after) = (Balance.ID(row.text()), row.int(), row.int())
        let (bundle, environment, transaction) = (row.optionalText(), row.optionalText(), row.optionalText())
        let (product, feature, target) = (row.optionalText(), row.optionalText(), row.optionalInt())
        let (key, revokedKey, reason) = (row.optionalText(), row.optionalText(), row.optionalText())
        let cause = Cause(
            bundle: bundle, environment: environment, transaction: transaction, product: product, target: target,
            key: key, reason: reason, feature: feature, revokedKey: revokedKey)
        guard let cause else { throw VaultError(.corrupt, "entry \(place.number) without a cause") }
        self.init(
            place: place, number: number, customer: customer, at: at, kind: kind, balance: balance, change: change,
            after: after, cause: cause, recordedBy: row.optionalText())
    }
}
