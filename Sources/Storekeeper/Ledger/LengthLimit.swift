/// How long a text may be that a vault keeps for good, in bytes.
package enum LengthLimit: Int, Sendable {
    /// An id: of a customer, a balance, a request; and the name of who has made a request.
    case id = 256
    /// A reason.
    case reason = 1_024

    /// Refuses a text that is longer.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest`.
    package func check(_ text: String, _ what: String) throws(VaultError) {
        let count = text.utf8.count
        guard count > rawValue else { return }
        throw VaultError(.invalidRequest, "\(what) has \(count) bytes; it may have \(rawValue)")
    }
}

extension LedgerRequest {
    /// Refuses what cannot be carried out, whatever is in the account.
    ///
    /// - Throws: ``VaultError`` with `invalidRequest`.
    package func check() throws(VaultError) {
        guard quantity >= 1 else {
            throw VaultError(.invalidRequest, "a quantity of \(quantity) moves nothing; it must be at least 1")
        }
        guard !key.rawValue.isEmpty else {
            throw VaultError(.invalidRequest, "the key is empty; give every request a name of its own")
        }
        guard !balance.rawValue.isEmpty else { throw VaultError(.invalidRequest, "no balance is named") }
    }

    /// Refuses texts that are too long to be kept; what was kept before is still answered.
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
