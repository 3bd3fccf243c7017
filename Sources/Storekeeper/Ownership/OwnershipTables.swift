package import FoundationEssentials

/// The known owners of evidence: the input of ``Ownership``.
///
/// The tables of a vault contain all owners; a history in memory and a cache contain only some of them. ``Ownership``
/// only reads its input.
package protocol OwnershipTables {
    /// The error of a look-up; `Never` if a look-up cannot fail.
    associatedtype Failure: Error = VaultError

    /// The vault's rule for tokens: its ``Vault/accountTokens``.
    var accountTokens: AccountTokenRule { get }

    /// Returns whether the tables contain a customer.
    func contains(_ customer: CustomerID) throws(Failure) -> Bool
    /// Returns the customer to whom a chain or token is bound; `nil` if it is not bound.
    func holder(of subject: BindingSubject) throws(Failure) -> CustomerID?
    /// Returns the owners of the chains with a given environment and original transaction, in any app.
    func holders(environment: AppStore.Environment, originalID: Transaction.ID) throws(Failure) -> [CustomerID]
    /// Returns the chains to which a renewal info may refer, from facts, bindings and parked evidence, ordered by app.
    func chains(of purchase: RenewalInfoKey) throws(Failure) -> [ChainID]
    /// Returns the token with the newest signed date among a chain's facts; if several tokens have this date, the token
    /// with the greatest text.
    func token(of chain: ChainID) throws(Failure) -> (token: UUID, signedAt: Instant)?
    /// Returns the newest token, by the same rule, among the parked transactions of a chain.
    func parkedToken(of chain: ChainID) throws(Failure) -> (token: UUID, signedAt: Instant)?
}

extension OwnershipTables {
    /// The default rule: tokens are the ids of customers.
    package var accountTokens: AccountTokenRule { .asIDs }

    /// Returns `nil`, because only a vault has parked evidence.
    package func parkedToken(of chain: ChainID) throws(Failure) -> (token: UUID, signedAt: Instant)? { nil }
}
