public import Storekeeper

extension PostgresVault {
    /// The schema that this release reads and writes.
    public static var schemaVersion: Int { Schema.version }

    /// Makes the tables of a vault in a database, by a user who may make them.
    ///
    /// - Parameters:
    ///   - database: A connection string as libpq takes it.
    ///   - mustBeNew: Whether a vault that is there already is left as it is, and is an error; otherwise one of an older
    ///     release is brought up to date.
    ///   - options: How the database is spoken to.
    /// - Returns: The schema of the vault that was there before; `nil` where there was none.
    /// - Throws: ``/Storekeeper/VaultError`` with `exists` where there must be none, `schemaTooNew` for a vault that a newer
    ///   release has written; as from opening otherwise.
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
        return try await SchemaMaker(pool: pool).make(mustBeNew: mustBeNew).map { Int($0) }
    }

    /// What to call a database in messages: its connection string without password.
    ///
    /// - Throws: ``/Storekeeper/VaultError`` with `invalidRequest` for a string that cannot be read, which quotes nothing of it.
    public static func name(of database: String) throws(VaultError) -> String {
        do throws(PostgresFailure) { return try ConnectionSettings(database).name } catch { throw error.vaultError }
    }
}
