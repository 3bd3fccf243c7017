package import Storekeeper

extension LedgerEntry.Cause {
    /// Creates a cause from the columns of a row: a transaction if all its columns are present, otherwise a request.
    ///
    /// - Returns: `nil` if the columns are those of neither.
    package init?(
        bundle: String?, environment: String?, transaction: String?, product: String?, target: Int64?, key: String?,
        reason: String?
    ) {
        if let bundle, let environment, let transaction, let product, let target {
            self = .transaction(
                TransactionKey(
                    bundleID: bundle, environment: AppStore.Environment(rawValue: environment),
                    transactionID: Transaction.ID(transaction)),
                productID: Product.ID(product), target: target)
        } else if let key {
            self = .request(key: LedgerRequest.Key(key), reason: reason)
        } else {
            return nil
        }
    }
}
