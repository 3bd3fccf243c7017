import Storekeeper
import StorekeeperSQLite

/// A vault on disk, open for as long as a command works on it.
enum VaultFile {
    /// What the vault is opened for.
    enum Purpose {
        /// Nothing is written, not even a lock is left behind.
        case reading
        /// The vault must be there.
        case writing
        /// The vault is made where there is none.
        case making
        /// The vault must not be there.
        case makingNew
    }

    /// Opens a vault, hands it over, and closes it whatever comes of that.
    ///
    /// - Parameter tokens: What tokens say of whose purchases are, for what asks whose something is.
    /// - Throws: ``CommandError``: 66 where there is no vault, 65 for a file that is none or is damaged, 69 for one
    ///   that others keep locked, 73 where it cannot be written; and what the body throws.
    static func with<Outcome>(
        _ path: String, for purpose: Purpose, tokens: AccountTokenRule = .asIDs,
        _ body: (SQLiteVault) async throws -> Outcome
    ) async throws(CommandError) -> Outcome {
        do {
            return try await opened(path, for: purpose, tokens: tokens, body)
        } catch let error as CommandError {
            throw error
        } catch let error as VaultError {
            throw CommandError(error, of: path, isReading: purpose == .reading)
        } catch {
            throw CommandError(.bug, "\(error)", at: path, "report it")
        }
    }

    /// The same, throwing what the vault throws, for whoever has more to say about it.
    static func opened<Outcome>(
        _ path: String, for purpose: Purpose, tokens: AccountTokenRule = .asIDs,
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

    /// Whether there is a file at a path, vault or not.
    static func isThere(_ path: String) -> Bool {
        do { try SystemFile.checkReadable(path) } catch { return !error.isMissingFile }
        return true
    }

    private static func options(for purpose: Purpose) -> SQLiteVault.Options {
        var options = SQLiteVault.Options()
        switch purpose {
        case .reading: options.isReadOnly = true
        case .writing: options.creation = .never
        case .making: options.creation = .ifMissing
        case .makingNew: options.creation = .new
        }
        return options
    }
}
