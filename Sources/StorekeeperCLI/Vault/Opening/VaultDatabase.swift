import Storekeeper
import StorekeeperPostgres

/// A vault in a database, open for as long as a command works on it.
enum VaultDatabase {
    /// Opens a vault, hands it over, and closes it whatever comes of that.
    ///
    /// - Parameter address: A connection string as libpq takes it.
    /// - Throws: ``VaultError``, and what the body throws.
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

    /// A copy reads some customers at a time; each connection is made when it is needed.
    private static let connections = 4
}
