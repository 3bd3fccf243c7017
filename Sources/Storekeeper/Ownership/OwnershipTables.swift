package import FoundationEssentials

/// The tables of a vault that determine who owns evidence.
package protocol OwnershipTables {
    /// The vault's rule for tokens: its ``Vault/accountTokens``.
    var accountTokens: AccountTokenRule { get }

    /// Returns the row of a customer; `nil` if the vault has none.
    func customer(_ id: CustomerID) throws(VaultError) -> CustomerRow?
    /// Returns the owner of a chain or token.
    func holder(of subject: BindingSubject) throws(VaultError) -> CustomerID?
    /// Binds an unowned chain or token to a customer.
    mutating func bind(_ subject: BindingSubject, to customer: CustomerID, at instant: Instant) throws(VaultError)
    /// Returns the customers with a chain of an environment and original transaction, in any app.
    func holders(environment: AppStore.Environment, originalID: Transaction.ID) throws(VaultError) -> [CustomerID]
    /// Returns the chains with an original transaction id, from facts, bindings and the park, in order of app and
    /// environment.
    func chains(originalID: Transaction.ID) throws(VaultError) -> [ChainID]
    /// Returns how often customers other than the owner have presented a chain or token.
    func attempts(on subject: BindingSubject) throws(VaultError) -> Int
    /// Returns the newest token of a chain's facts, by signed date; of equally new tokens, the greater text.
    func token(of chain: ChainID) throws(VaultError) -> (token: UUID, signedAt: Instant)?
}

extension OwnershipTables {
    /// The default rule.
    package var accountTokens: AccountTokenRule { .asIDs }
}

/// The row of a customer.
package struct CustomerRow: Hashable, Sendable {
    /// The customer.
    package var id: CustomerID
    /// The number of batches written about the customer.
    package var version: Int64
    /// The instant through which changes of time have been announced, inclusive, in UTC.
    package var evaluatedThrough: Instant?
    /// When the App Store's whole history of the customer was last read, in UTC.
    package var syncedAt: Instant?
    /// The next instant at which an answer changes, in UTC; `nil` if no answer changes.
    package var wakeAt: Instant?

    /// Creates a row.
    package init(
        id: CustomerID, version: Int64 = 0, evaluatedThrough: Instant? = nil, syncedAt: Instant? = nil,
        wakeAt: Instant? = nil
    ) {
        self.id = id
        self.version = version
        self.evaluatedThrough = evaluatedThrough
        self.syncedAt = syncedAt
        self.wakeAt = wakeAt
    }
}
