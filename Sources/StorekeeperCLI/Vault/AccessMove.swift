import Storekeeper

/// Grants or revokes a customer's access.
struct AccessMove {
    let customer: CustomerID
    let settings: VaultSettings

    /// Executes a request in one atomic write of the vault.
    ///
    /// - Throws: ``CommandError`` with status 64 if a different request has used the idempotency key, with 1 for an
    ///   unknown grant.
    func run(
        on console: Console, _ request: (Store) async throws -> AccessReceipt
    ) async throws(CommandError) -> AccessReceipt {
        let configuration = StoreConfiguration(
            catalog: try settings.catalog(), policy: settings.configuration.entitlementPolicy)
        let result = try await settings.place.with(for: .writing, tokens: settings.configuration.accountTokens) {
            vault -> Result<AccessReceipt, LedgerRefusal> in
            let store = try await Store.open(
                customer: customer, configuration: configuration, vault: vault,
                verifier: RefusingVerifier(environments: settings.configuration.environments),
                clock: VirtualClock(console.now))
            do {
                return .success(try await request(store))
            } catch let refusal as LedgerRefusal {
                return .failure(refusal)
            }
        }
        switch result {
        case .success(let receipt): return receipt
        case .failure(.unknownGrant):
            throw CommandError(
                .no, "no access was granted to this customer with this key", at: "KEY",
                "nothing was changed; 'storekeeper vault history' shows the keys")
        case .failure: throw .reusedKey
        }
    }
}
