/// The maximum length of a text that a vault stores permanently, in bytes.
package enum LengthLimit: Int, Sendable {
    /// An id of a customer, a balance or a request, or the name of a caller.
    case id = 256
    /// The reason of a request, such as a grant.
    case reason = 1_024

    /// Throws if a text is longer than the limit.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest`.
    package func check(_ text: String, _ what: String) throws(VaultError) {
        let count = text.utf8.count
        guard count > rawValue else { return }
        throw VaultError(.invalidRequest, "\(what) has \(count) bytes; the limit is \(rawValue)")
    }
}

extension LedgerRequest {
    /// Throws if the request is invalid regardless of the account's content.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest`.
    package func check() throws(VaultError) {
        guard quantity >= 1 else {
            throw VaultError(.invalidRequest, "a quantity must be at least 1, not \(quantity)")
        }
        try key.check()
        guard !balance.rawValue.isEmpty else { throw VaultError(.invalidRequest, "the name of the balance is empty") }
    }

    /// Throws if a text is too long to be stored.
    ///
    /// Only new requests are checked, so that a request that was carried out before is still replayed.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest`.
    package func checkLengths() throws(VaultError) {
        try LengthLimit.id.check(customer.rawValue, "the customer's id")
        try LengthLimit.id.check(key.rawValue, "the key")
        try LengthLimit.id.check(balance.rawValue, "the name of the balance")
        try LengthLimit.id.check(recordedBy ?? "", "the name of the caller")
        try LengthLimit.reason.check(reason ?? "", "the reason")
    }
}

extension LedgerRequest.Key {
    /// Throws if the key is empty.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest`.
    func check() throws(VaultError) {
        guard !rawValue.isEmpty else {
            throw VaultError(.invalidRequest, "the key is empty; give each request a unique key")
        }
    }
}
