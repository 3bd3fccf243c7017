package import FoundationEssentials

/// Known owners of evidence: the input of ``Ownership``.
///
/// The tables of a vault know all of it; a history and a cache of owners know a part. They are read only.
package protocol OwnershipTables {
    /// The error of a look-up; `Never` if nothing can fail.
    associatedtype Failure: Error = VaultError

    /// The vault's rule for tokens: its ``Vault/accountTokens``.
    var accountTokens: AccountTokenRule { get }

    /// Returns whether a customer is known.
    func contains(_ customer: CustomerID) throws(Failure) -> Bool
    /// Returns the owner of a chain or token.
    func holder(of subject: BindingSubject) throws(Failure) -> CustomerID?
    /// Returns the customers with a chain of an environment and original transaction, in any app.
    func holders(environment: AppStore.Environment, originalID: Transaction.ID) throws(Failure) -> [CustomerID]
    /// Returns the chains to which a renewal info may refer, from facts, bindings and the park, in order of app.
    func chains(of purchase: RenewalInfoKey) throws(Failure) -> [ChainID]
    /// Returns the newest token of a chain's facts, by signed date; of equally new tokens, the greater text.
    func token(of chain: ChainID) throws(Failure) -> (token: UUID, signedAt: Instant)?
}

extension OwnershipTables {
    /// The default rule.
    package var accountTokens: AccountTokenRule { .asIDs }
}
