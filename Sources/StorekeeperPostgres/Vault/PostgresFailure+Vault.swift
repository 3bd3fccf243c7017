import Storekeeper

extension PostgresFailure {
    /// Whether the transaction was rolled back because of concurrent changes, so that the step should run again.
    var isConcurrencyConflict: Bool {
        switch kind {
        case .conflict, .duplicateKey: true
        // The code 22012 means a division by zero. A statement of `WriteStatements` divides by zero on purpose if a row
        // has changed since it was read.
        case .rejected: sqlState == "22012"
        default: false
        }
    }

    /// Whether the database refuses the content of the rows, such as a text that is too long for an index, or a row
    /// that violates a check or a trigger that the owner of the database has added.
    private var isAboutRows: Bool {
        guard let sqlState else { return false }
        return ["22", "23", "54", "P0"].contains { sqlState.hasPrefix($0) }
    }

    /// The vault's error for this error of the database.
    var vaultError: VaultError {
        switch kind {
        case .badSettings: VaultError(.invalidRequest, message, cause: self)
        case .unreachable:
            VaultError(
                .io, "the database cannot be reached: \(message); check the address and the server", cause: self)
        case .refused:
            VaultError(
                .io,
                "the database refuses the connection: \(message); check the user, the password and the database name",
                cause: self)
        case .insecure:
            VaultError(
                .io,
                "the database cannot be reached with TLS: \(message); check sslmode and sslrootcert in the address, and "
                    + "the certificates of the server", cause: self)
        case .blocked:
            VaultError(.locked, "another transaction has locked the rows of a step; try again", cause: self)
        case .tooSlow: VaultError(.locked, "the database took longer than allowed; try again", cause: self)
        case .readOnly:
            VaultError(.readOnly, "the database is read-only; name a server that accepts writes", cause: self)
        case .exhausted: VaultError(.full, "the database has no space left (\(message))", cause: self)
        case .conflict, .duplicateKey:
            VaultError(.locked, "other writers changed the rows of a step; try again", cause: self)
        case .lost: VaultError(.io, "the connection to the database was lost; nothing was written", cause: self)
        case .inDoubt:
            VaultError(
                .inDoubt, "the connection was lost during a write; repeat the request, which is safe",
                cause: self)
        case .closed: VaultError(.closed, "the vault was closed", cause: self)
        case .rejected where sqlState == "22021":
            VaultError(.invalidRequest, "PostgreSQL cannot store text with a zero byte", cause: self)
        case .rejected where sqlState == "22003": VaultError(.overflow, message, cause: self)
        case .rejected where sqlState == "3F000" || sqlState == "42P01":
            VaultError(.notAVault, "the database contains no vault; create one first", cause: self)
        case .rejected where sqlState == "42703":
            VaultError(
                .schemaTooNew,
                "the tables lack a part that this release writes (\(message)): a newer release has removed it",
                cause: self)
        case .rejected where sqlState == "42501":
            VaultError(.io, "the user lacks permission (\(message)); grant it the role of the service", cause: self)
        case .rejected where isAboutRows:
            VaultError(.invalidRequest, "the database refuses the data: \(message)", cause: self)
        case .rejected: VaultError(.io, "the database refuses a statement (\(description))", cause: self)
        case .unexpectedAnswer: VaultError(.corrupt, message, cause: self)
        }
    }
}

/// Runs a function and converts its database errors to vault errors.
func asVault<Value>(_ work: () async throws(PostgresFailure) -> Value) async throws(VaultError) -> Value {
    do throws(PostgresFailure) { return try await work() } catch { throw error.vaultError }
}
