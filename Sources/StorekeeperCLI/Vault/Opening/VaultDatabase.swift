import Storekeeper
import StorekeeperPostgres

/// Opens vaults in PostgreSQL databases.
enum VaultDatabase {
    /// Opens a vault, runs a closure, and closes the vault, even after an error.
    ///
    /// - Parameter address: A connection string of libpq.
    /// - Throws: ``VaultError``, and errors of the body.
    static func opened<Outcome>(
        _ address: String, for purpose: VaultPurpose, tokens: AccountTokenRule, patience: Duration,
        _ body: (PostgresVault) async throws -> Outcome
    ) async throws -> Outcome {
        let options = PostgresVault.Options(
            accountTokens: tokens, connections: connections, writers: 1, patience: patience, makesSchema: false)
        switch purpose {
        case .reading, .writing, .filling: break
        case .making: try await PostgresVault.makeSchema(in: address, options: options)
        case .makingNew: try await PostgresVault.makeSchema(in: address, mustBeNew: true, options: options)
        }
        let vault = try await PostgresVault(address, options: options)
        defer { vault.close() }
        return try await body(vault)
    }

    /// The maximum number of connections, which are opened on demand.
    ///
    /// A copy of a vault reads several customers at a time, each on its own connection.
    private static let connections = 4
}
