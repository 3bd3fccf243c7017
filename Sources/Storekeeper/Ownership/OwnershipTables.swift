package import FoundationEssentials

/// The rows of a vault that say whose evidence is.
package protocol OwnershipTables {
    /// What tokens say of whose purchases are: the vault's ``Vault/accountTokens``.
    var accountTokens: AccountTokenRule { get }

    /// What is noted of a customer; `nil` for one of whom nothing was written.
    func customer(_ id: CustomerID) throws(VaultError) -> CustomerRow?
    /// Whose a chain or token is.
    func holder(of subject: BindingSubject) throws(VaultError) -> CustomerID?
    /// Gives a chain or token that is nobody's to a customer.
    mutating func bind(_ subject: BindingSubject, to customer: CustomerID, at instant: Instant) throws(VaultError)
    /// The customers with a chain of an environment and original transaction, in whatever app.
    func holders(environment: AppStore.Environment, originalID: Transaction.ID) throws(VaultError) -> [CustomerID]
    /// The chains with an original transaction id, of facts, bindings and parked evidence, in order of app and environment.
    func chains(originalID: Transaction.ID) throws(VaultError) -> [ChainID]
    /// How often anybody presented a chain or token that is another's.
    func attempts(on subject: BindingSubject) throws(VaultError) -> Int
    /// The newest token that the facts of a chain carry, by the date of their signature; of equals the greater text.
    func token(of chain: ChainID) throws(VaultError) -> (token: UUID, signedAt: Instant)?
}

extension OwnershipTables {
    /// Tokens are customers' ids.
    package var accountTokens: AccountTokenRule { .asIDs }
}

/// What a vault notes of a customer.
package struct CustomerRow: Hashable, Sendable {
    /// Who it is.
    package var id: CustomerID
    /// Counts the batches written about the customer.
    package var version: Int64
    /// Up to when the changes that time brings have been announced, inclusive, in UTC.
    package var evaluatedThrough: Instant?
    /// When the App Store's whole history of the customer was last read, in UTC.
    package var syncedAt: Instant?
    /// When an answer changes next; `nil` where none does, in UTC.
    package var wakeAt: Instant?

    /// Makes a row.
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
