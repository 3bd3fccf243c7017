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
    /// Returns the chains of a purchase, from facts, bindings and parked evidence, ordered by app.
    func chains(of purchase: RenewalInfoKey) throws(Failure) -> [ChainID]
    /// Returns the token with the newest signed date among a chain's facts; if several tokens have this date, the token
    /// with the greatest text.
    func token(of chain: ChainID) throws(Failure) -> (token: UUID, signedAt: Instant)?
    /// Returns whether a copy of a transaction belongs to the owner of its chain.
    func hasCopies(of key: TransactionKey) throws(Failure) -> Bool
    /// Returns whether a chain was moved to a customer from another customer, whose tokens it may still contain.
    func wasMoved(_ chain: ChainID, to customer: CustomerID, from other: CustomerID) throws(Failure) -> Bool
    /// Returns what the parked evidence of a chain says about its owner.
    func parkedOrigin(of chain: ChainID) throws(Failure) -> ParkedOrigin
}

/// What the parked evidence of a chain says about the owner of the chain.
package struct ParkedOrigin: Sendable {
    /// The newest token, by the rule of ``OwnershipTables/token(of:)``.
    package var token: (token: UUID, signedAt: Instant)?
    /// The chain that the chain replaces.
    package var predecessor: ChainID?

    package init() {}
}

extension OwnershipTables {
    /// The default rule: tokens are the ids of customers.
    package var accountTokens: AccountTokenRule { .asIDs }

    /// Returns `false`, because only a vault has records of transfers.
    package func wasMoved(
        _ chain: ChainID, to customer: CustomerID, from other: CustomerID
    ) throws(Failure) -> Bool { false }

    /// Returns an empty value, because only a vault has parked evidence.
    package func parkedOrigin(of chain: ChainID) throws(Failure) -> ParkedOrigin { ParkedOrigin() }
}
