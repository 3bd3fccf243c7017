public import Storekeeper

extension PostgresVault {
    /// The schema that this release reads and writes.
    public static var schemaVersion: Int { Schema.version }

    /// Creates or migrates the tables of a vault, as a user with the permission to do so.
    ///
    /// - Parameters:
    ///   - database: A connection string as libpq accepts it.
    ///   - mustBeNew: Whether an existing vault is an error and stays unchanged; otherwise one of an older release is
    ///     migrated.
    ///   - options: The options of the connection.
    /// - Returns: The schema of the previous vault; `nil` if there was none.
    /// - Throws: ``/Storekeeper/VaultError`` with `exists` for an existing vault if `mustBeNew`, `schemaTooNew` for a
    ///   vault of a newer release; the errors of opening otherwise.
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

    /// Returns the name of a database for messages: its connection string without password.
    ///
    /// - Throws: ``/Storekeeper/VaultError`` with `invalidRequest` for a malformed string, which is not quoted.
    public static func name(of database: String) throws(VaultError) -> String {
        do throws(PostgresFailure) { return try ConnectionSettings(database).name } catch { throw error.vaultError }
    }
}
