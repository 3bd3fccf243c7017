package import Storekeeper

extension LedgerEntry.Cause {
    /// The database columns of an entry's cause, except the columns that identify a transaction.
    package struct Columns {
        /// The id of the product that a transaction is about, or to which access is granted; the previous owner of a
        /// moved chain or token.
        package var product: String?
        /// The id of the feature to which access is granted; the new owner of a moved chain or token.
        package var feature: String?
        /// The target of a transaction (see ``LedgerEntry/Cause``), or the end of granted access in milliseconds since
        /// 1970.
        package var target: Int64?
        /// The idempotency key of a request.
        package var key: String?
        /// The idempotency key of the grant that a request revokes; the text of a moved chain or token.
        package var revokedKey: String?
        /// The reason that the caller of a request has given.
        package var reason: String?
    }

    /// The database columns of the cause, except the columns that identify a transaction.
    package var columns: Columns {
        switch self {
        case .transaction(_, let productID, let target): Columns(product: productID.rawValue, target: target)
        case .request(let key, let reason): Columns(key: key.rawValue, reason: reason)
        case .access(.product(let id), let until, let key, let reason):
            Columns(product: id.rawValue, target: until.millisecondsSince1970, key: key.rawValue, reason: reason)
        case .access(.feature(let id), let until, let key, let reason):
            Columns(feature: id.rawValue, target: until.millisecondsSince1970, key: key.rawValue, reason: reason)
        case .revocation(let key, let reason): Columns(revokedKey: key.rawValue, reason: reason)
        case .transfer(let subject, let from, let to, let reason):
            Columns(
                product: from.rawValue, feature: to.rawValue, revokedKey: subject.columnText, reason: reason)
        }
    }

    /// The key of the transaction; `nil` if the cause is not a transaction.
    package var transaction: TransactionKey? {
        if case .transaction(let key, _, _) = self { key } else { nil }
    }

    /// Creates a cause from the columns of a database row; the columns that are not null determine the kind of the
    /// cause.
    ///
    /// - Returns: `nil` if the columns do not describe a cause.
    package init?(
        bundle: String?, environment: String?, transaction: String?, product: String?, target: Int64?, key: String?,
        reason: String?, feature: String?, revokedKey: String?
    ) {
        if let bundle, let environment, let transaction, let product, let target {
            self = .transaction(
                TransactionKey(
                    bundleID: bundle, environment: AppStore.Environment(rawValue: environment),
                    transactionID: Transaction.ID(transaction)),
                productID: Product.ID(product), target: target)
        } else if let key, let target {
            guard let until = Instant(millisecondsSince1970: target), let reason,
                let subject = product.map({ AccessGrant.Subject.product(Product.ID($0)) })
                    ?? feature.map({ .feature(Feature.ID($0)) })
            else { return nil }
            self = .access(subject, until: until, key: LedgerRequest.Key(key), reason: reason)
        } else if let revokedKey, let product, let feature {
            guard let subject = BindingSubject(columnText: revokedKey) else { return nil }
            self = .transfer(
                subject, from: CustomerID(rawValue: product), to: CustomerID(rawValue: feature), reason: reason ?? "")
        } else if let revokedKey {
            self = .revocation(key: LedgerRequest.Key(revokedKey), reason: reason ?? "")
        } else if let key {
            self = .request(key: LedgerRequest.Key(key), reason: reason)
        } else {
            return nil
        }
    }
}
