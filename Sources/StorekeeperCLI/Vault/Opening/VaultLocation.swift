import Storekeeper
import StorekeeperPostgres
import StorekeeperSQLite

/// The location of a vault: a file, or a PostgreSQL database.
enum VaultLocation: Hashable {
    /// A file, by its path.
    case file(String)
    /// A database, by its connection string.
    ///
    /// `name` is the name in messages, which contains no password. If the acknowledgement of a write is lost,
    /// `patience` is the time limit for finding out whether the write succeeded.
    case database(String, name: String, patience: Duration)

    /// Parses the location that an option or the configuration names.
    ///
    /// - Throws: ``CommandError`` with status 64 for an empty path, and for an invalid or mistyped connection string.
    ///   The error does not quote the string, because it may contain a password.
    init(
        argument: String, at option: String = "--vault", patience: Duration = .seconds(10)
    ) throws(CommandError) {
        guard !argument.isEmpty else {
            throw .usage("the path is empty", at: option, "name a file, such as storekeeper.sqlite")
        }
        guard Self.isConnectionString(argument) else {
            guard !Self.resemblesConnectionString(argument) else {
                throw .usage(
                    "the vault looks like a connection string, but does not begin with postgres://", at: option,
                    Self.mistypedAdvice)
            }
            self = .file(argument)
            return
        }
        let name: String
        do throws(VaultError) { name = try PostgresVault.name(of: argument) } catch {
            let (what, advice) = error.parts
            throw .usage(what, at: option, advice ?? "write it as described in the documentation of libpq")
        }
        self = .database(argument, name: name, patience: patience)
    }

    /// Returns whether a text is a connection string of libpq instead of a path.
    static func isConnectionString(_ text: String) -> Bool {
        ["postgres://", "postgresql://"].contains { text.utf8.starts(with: $0.utf8) }
    }

    /// Returns whether a text is probably a mistyped connection string, so that messages must not quote it as a path.
    ///
    /// A text that begins with `./`, `../` or a single `/` is always a path.
    static func resemblesConnectionString(_ text: String) -> Bool {
        let isPath =
            ["/", "./", "../"].contains { text.utf8.starts(with: $0.utf8) } && !text.utf8.starts(with: "//".utf8)
        if isPath || isConnectionString(text) { return false }
        // Bytes are compared, because a combining mark in a password would hide the `@` or `=` beside it.
        let scalars = text.lowercased().unicodeScalars.filter { !$0.properties.isWhitespace }
        let letters = String(String.UnicodeScalarView(scalars)).utf8
        return letters.contains("password=".utf8)
            || letters.drop { $0 != UInt8(ascii: ":") }.contains(UInt8(ascii: "@"))
    }

    /// The remedy for a mistyped connection string.
    static let mistypedAdvice = "write postgres://USER@HOST/DATABASE, or ./ before the name of a file"

    /// The name in results and messages.
    var name: String {
        switch self {
        case .file(let path): path
        case .database(_, let name, _): name
        }
    }

    /// Whether the location is a file that does not exist.
    var isMissingFile: Bool { if case .file(let path) = self { !VaultFile.exists(path) } else { false } }

    /// The schema version of a vault that this release creates at this location.
    var schemaVersion: Int {
        switch self {
        case .file: SQLiteVault.schemaVersion
        case .database: PostgresVault.schemaVersion
        }
    }
}

/// The purpose for which a vault is opened.
enum VaultPurpose {
    /// The vault is opened only for reading.
    ///
    /// Nothing is written, and no lock is left behind.
    case reading
    /// The vault is opened for writing.
    ///
    /// It is an error if the vault does not exist.
    case writing
    /// The vault is opened for an import.
    ///
    /// A missing file is created, but a missing vault in a database is an error.
    case filling
    /// The vault is opened for `init --if-missing`.
    ///
    /// A missing vault is created, and a database with the schema of an older release is migrated.
    case making
    /// The vault is created for `init`.
    ///
    /// It is an error if the vault exists.
    case makingNew
}

/// An open vault of a command, in a file or a database.
protocol DurableVault: CopyableVault {
    /// Returns the approximate number of facts, including parked facts.
    func factCount() async throws(VaultError) -> Int
    /// Returns whether the vault has erased customers, but cannot read the secret that hides their names.
    func lacksErasureSecret() async throws(VaultError) -> Bool
    /// Whether erased bytes still exist in the file, because a reader uses an older state of the vault.
    var holdsErasedBytes: Bool { get }
}

extension SQLiteVault: DurableVault {}

extension PostgresVault: DurableVault {
    /// This is always false, because a database removes the bytes of deleted rows on its own when it vacuums.
    var holdsErasedBytes: Bool { false }
}

extension VaultLocation {
    /// Opens a vault, runs a closure, and closes the vault, even after an error.
    ///
    /// - Parameter tokens: The rule that assigns account tokens to customers, for commands that determine the owners of
    ///   purchases.
    /// - Throws: ``CommandError`` with status 66 for a missing file, 65 for a file that is not a vault or is damaged,
    ///   69 for a locked vault and for a database that cannot be reached or refuses the connection, 73 for a vault that
    ///   cannot be written; and errors of the body.
    func with<Outcome>(
        for purpose: VaultPurpose, tokens: AccountTokenRule = .asIDs,
        _ body: (any DurableVault) async throws -> Outcome
    ) async throws(CommandError) -> Outcome {
        try await convertingErrors(isReading: purpose == .reading) {
            try await opened(for: purpose, tokens: tokens, body)
        }
    }

    /// Waits until a database can be reached, at most for the patience of the location.
    ///
    /// Errors are not thrown, because the following opening of the vault reports them.
    ///
    /// - Parameter report: Receives the first error.
    func waitForDatabase(_ report: (VaultError) -> Void) async {
        guard case .database(let address, _, let patience) = self else { return }
        let end = ContinuousClock.now + patience
        var isFirst = true
        while !Task.isCancelled {
            do {
                return try await VaultDatabase.opened(
                    address, for: .reading, tokens: .asIDs, patience: patience
                ) { _ in }
            } catch {
                guard let error = error as? VaultError, PostgresVault.isTransient(error), ContinuousClock.now < end
                else { return }
                if isFirst { report(error) }
                isFirst = false
            }
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Converts errors of the vault to ``CommandError``.
    func convertingErrors<Outcome>(
        isReading: Bool, _ body: () async throws -> Outcome
    ) async throws(CommandError) -> Outcome {
        do {
            return try await body()
        } catch let error as CommandError {
            throw error
        } catch let error as VaultError {
            throw CommandError(error, of: self, isReading: isReading)
        } catch {
            throw CommandError(.bug, "\(error)", at: name, "report it")
        }
    }

    /// Opens a vault without converting its errors, for callers that report them differently.
    func opened<Outcome>(
        for purpose: VaultPurpose, tokens: AccountTokenRule = .asIDs,
        _ body: (any DurableVault) async throws -> Outcome
    ) async throws -> Outcome {
        switch self {
        case .file(let path):
            try await VaultFile.opened(path, for: purpose, tokens: tokens) { try await body($0) }
        case .database(let address, _, let patience):
            try await VaultDatabase.opened(address, for: purpose, tokens: tokens, patience: patience) {
                try await body($0)
            }
        }
    }
}
