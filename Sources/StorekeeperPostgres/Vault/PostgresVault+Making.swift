public import Storekeeper

extension PostgresVault {
    /// The version of the schema that this release reads and writes.
    public static var schemaVersion: Int { Schema.version }

    /// Creates or migrates the tables of a vault.
    ///
    /// The database user of the connection must have the permission to create tables.
    ///
    /// - Parameters:
    ///   - database: A connection string as libpq accepts it.
    ///   - mustBeNew: Whether an existing vault is an error. If this is `false`, an existing vault with an older schema
    ///     is migrated.
    ///   - options: The options of the connection.
    /// - Returns: The version of the previous schema; `nil` if the database contained no vault.
    /// - Throws: ``/Storekeeper/VaultError`` with `exists` for an existing vault if `mustBeNew` is `true`,
    ///   `schemaTooNew` for a vault of a newer release, and the same errors as for opening a vault.
    @discardableResult
    public static func makeSchema(
        in database: String, mustBeNew: Bool = false, options: Options = Options()
    ) async throws(VaultError) -> Int? {
        let settings: ConnectionSettings
        do throws(PostgresFailure) {
            settings = try ConnectionSettings(database, namesStatements: options.namesStatements)
        } catch {
            throw error.vaultError
        }
        let pool = ConnectionPool(settings, size: 1)
        defer { pool.close() }
        return try await SchemaCreator(pool: pool).make(mustBeNew: mustBeNew).map { Int($0) }
    }

    /// Returns the connection string of a database without secrets, for use in messages.
    ///
    /// - Throws: ``/Storekeeper/VaultError`` with `invalidRequest` for a malformed string. The message of the error
    ///   does not quote the string.
    public static func name(of database: String) throws(VaultError) -> String {
        do throws(PostgresFailure) { return try ConnectionSettings(database).name } catch { throw error.vaultError }
    }
}
