import Storekeeper
import StorekeeperPostgres
import StorekeeperSQLite

/// Where a vault is kept: in a file, or in a database of PostgreSQL.
enum VaultPlace: Hashable {
    /// A file, by its path.
    case file(String)
    /// A database, by its connection string, by the name that it has in messages, which tells no password, and how long it
    /// is asked what became of something when its answer was lost.
    case database(String, name: String, patience: Duration)

    /// Takes what an option or the configuration names.
    ///
    /// - Throws: ``CommandError`` with 64 for a connection string that cannot be read, which quotes nothing of it.
    init(
        argument: String, at option: String = "--vault", patience: Duration = .seconds(10)
    ) throws(CommandError) {
        guard Self.isConnectionString(argument) else {
            self = .file(argument)
            return
        }
        let name: String
        do throws(VaultError) { name = try PostgresVault.name(of: argument) } catch {
            let (what, advice) = error.parts
            throw .usage(what, at: option, advice ?? "write it as libpq takes it")
        }
        self = .database(argument, name: name, patience: patience)
    }

    /// Whether a text is a connection string of libpq, and not a file's path.
    static func isConnectionString(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// What to call it in results and messages.
    var name: String {
        switch self {
        case .file(let path): path
        case .database(_, let name, _): name
        }
    }

    /// Whether it is a file that is not there.
    var isMissingFile: Bool { if case .file(let path) = self { !VaultFile.isThere(path) } else { false } }

    /// The schema that a vault there has when this release has made it.
    var schemaVersion: Int {
        switch self {
        case .file: SQLiteVault.schemaVersion
        case .database: PostgresVault.schemaVersion
        }
    }
}

/// What a vault is opened for.
enum VaultPurpose {
    /// Nothing is written, not even a lock is left behind.
    case reading
    /// The vault must be there.
    case writing
    /// A file is made where there is none; in a database the vault must be there.
    case filling
    /// The vault is made where there is none, and brought up to date.
    case making
    /// The vault must not be there.
    case makingNew
}

/// A vault that is open while a command works on it, wherever it is kept.
protocol KeptVault: CopyableVault {
    /// About how many facts there are, taken in or parked.
    func factCount() async throws(VaultError) -> Int
    /// Whether customers were erased, and what their names are found by cannot be read.
    func lacksErasureSecret() async throws(VaultError) -> Bool
    /// Whether bytes of what was erased are still there because somebody reads a state of before.
    var holdsErasedBytes: Bool { get }
}

extension SQLiteVault: KeptVault {}

extension PostgresVault: KeptVault {
    /// What a database keeps of rows that were taken out is its own affair, and goes when it cleans up.
    var holdsErasedBytes: Bool { false }
}

extension VaultPlace {
    /// Opens a vault, hands it over, and closes it whatever comes of that.
    ///
    /// - Parameter tokens: What tokens say of whose purchases are, for what asks whose something is.
    /// - Throws: ``CommandError``: 66 where there is no file, 65 for what is no vault or is damaged, 69 for one
    ///   that others keep locked and for a database that cannot be reached or refuses, 73 where it cannot be written; and
    ///   what the body throws.
    func with<Outcome>(
        for purpose: VaultPurpose, tokens: AccountTokenRule = .asIDs,
        _ body: (any KeptVault) async throws -> Outcome
    ) async throws(CommandError) -> Outcome {
        try await reporting(isReading: purpose == .reading) { try await opened(for: purpose, tokens: tokens, body) }
    }

    /// Says what the vault throws as a command says it.
    func reporting<Outcome>(
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

    /// Opens a vault, throwing what the vault throws, for whoever has more to say about it.
    func opened<Outcome>(
        for purpose: VaultPurpose, tokens: AccountTokenRule = .asIDs,
        _ body: (any KeptVault) async throws -> Outcome
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
