import Storekeeper
import StorekeeperSQLite

/// Opens vaults in files.
enum VaultFile {
    /// Opens a vault, runs a closure, and closes the vault, even after an error.
    ///
    /// - Throws: ``VaultError``, and errors of the body.
    static func opened<Outcome>(
        _ path: String, for purpose: VaultPurpose, tokens: AccountTokenRule = .asIDs,
        _ body: (SQLiteVault) async throws -> Outcome
    ) async throws -> Outcome {
        var options = options(for: purpose)
        options.accountTokens = tokens
        let vault = try SQLiteVault(path: path, options: options)
        let result: Result<Outcome, any Error>
        do { result = .success(try await body(vault)) } catch { result = .failure(error) }
        try vault.close()
        return try result.get()
    }

    /// Returns whether a file exists at a path, even if it is not a vault.
    static func exists(_ path: String) -> Bool {
        do { try SystemFile.checkReadable(path) } catch { return !error.isMissingFile }
        return true
    }

    private static func options(for purpose: VaultPurpose) -> SQLiteVault.Options {
        var options = SQLiteVault.Options()
        switch purpose {
        case .reading: options.isReadOnly = true
        case .writing: options.creation = .never
        case .filling, .making: options.creation = .ifMissing
        case .makingNew: options.creation = .new
        }
        return options
    }
}
