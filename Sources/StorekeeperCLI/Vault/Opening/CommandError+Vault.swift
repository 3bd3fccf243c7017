import Storekeeper

extension CommandError {
    /// Creates the command's error for an error of a vault.
    ///
    /// - Parameters:
    ///   - error: The vault's error.
    ///   - place: The location of the vault.
    ///   - isReading: Whether the vault was opened only for reading, which determines the exit status for a system
    ///     error.
    init(_ error: VaultError, of place: VaultLocation, isReading: Bool) {
        switch place {
        case .file(let path): self.init(error, ofFile: path, isReading: isReading)
        case .database(_, let name, _): self.init(error, ofDatabase: name)
        }
    }

    private init(_ error: VaultError, ofFile path: String, isReading: Bool) {
        func make(_ status: ExitStatus, _ what: String, _ advice: String) -> CommandError {
            CommandError(status, what, at: path, advice)
        }
        // The vault's message contains the path of the file, which a command prints separately, and ends with the
        // remedy.
        let parts = error.message.split(separator: "; ", maxSplits: 1).map(String.init)
        let what = (parts.first ?? error.code.rawValue).replacing(path, with: "the vault")
        let advice = parts.count > 1 ? parts[1] : "check the disk"
        self =
            switch error.code {
            case .notFound: make(.unreadableFile, "there is no vault", "create one with 'storekeeper vault init'")
            case .exists: make(.unwritableFile, "the file already exists", "choose another path, or move the file away")
            case .notAVault:
                make(
                    .malformedInput, "the file is not a vault",
                    "check the path, or create one with 'storekeeper vault init'"
                )
            case .schemaTooNew: make(.malformedInput, "a newer storekeeper wrote the vault", "update storekeeper")
            case .schemaTooOld:
                make(.malformedInput, "an older storekeeper wrote the vault", advice)
            case .corrupt: make(.malformedInput, what, "run 'storekeeper vault verify', and restore a backup")
            case .locked:
                make(.unreachableService, "another process has locked the vault", "try again; repeating is safe")
            case .inDoubt: make(.unreachableService, what, "try again; repeating is safe")
            case .full: make(.unwritableFile, "the disk is full", "make room and try again")
            case .readOnly:
                make(.unwritableFile, "the vault is read-only", "allow writing to the file and its folder")
            case .io: make(isReading ? .unreadableFile : .unwritableFile, what, advice)
            case .overflow, .invalidRequest, .unknownBalance, .consumable, .unknownProduct, .unknownFeature:
                make(.usage, error.message, "nothing was changed")
            case .unknownCustomer: make(.no, "the vault has no data about this customer", "check the id")
            default: make(.bug, error.description, "report it")
            }
    }

    private init(_ error: VaultError, ofDatabase name: String) {
        func make(_ status: ExitStatus, _ what: String, _ advice: String) -> CommandError {
            CommandError(status, what, at: name, advice)
        }
        let (what, advice) = error.parts
        self =
            switch error.code {
            case .notFound, .notAVault:
                make(
                    .malformedInput, "the database contains no vault",
                    "check the address, or create one with 'storekeeper vault init'")
            case .exists:
                make(
                    .unwritableFile, "the database already contains a vault",
                    "name another database, or use this vault as it is")
            case .schemaTooNew: make(.malformedInput, "a newer storekeeper wrote the vault", "update storekeeper")
            case .schemaTooOld:
                make(.malformedInput, "an older storekeeper wrote the vault", advice ?? "update the vault")
            case .corrupt: make(.malformedInput, what, "run 'storekeeper vault verify', and restore a backup")
            case .full: make(.unwritableFile, what, "make room and try again")
            case .inDoubt:
                make(
                    .unreachableService, "the connection was lost during a write",
                    "repeat it with the same key; repeating is safe")
            case .locked, .io, .readOnly, .closed: make(.unreachableService, what, advice ?? "check the server")
            case .overflow, .invalidRequest, .unknownBalance, .consumable, .unknownProduct, .unknownFeature:
                make(.usage, error.message, "nothing was changed")
            case .unknownCustomer: make(.no, "the vault has no data about this customer", "check the id")
            default: make(.bug, error.description, "report it")
            }
    }

    /// Returns the error for a customer about whom the vault has no data.
    static func unknownCustomer(_ customer: CustomerID, _ outcome: String) -> CommandError {
        CommandError(
            .no, "the vault has no data about this customer, \(outcome)", at: customer.rawValue,
            "check the id; 'storekeeper vault export' lists all customers")
    }

    /// Creates the error for a copy of a vault that cannot be written.
    init(_ error: VaultError, ofCopy path: String) {
        self =
            error.code == .exists
            ? CommandError(
                .unwritableFile, "the file already exists", at: path, "choose another path, or move the file away")
            : CommandError(
                .unwritableFile, "the copy cannot be written", at: path,
                "check the disk and the permissions of the folder")
    }
}

extension VaultError {
    /// The description of the error and the remedy; the remedy follows the last semicolon of the message.
    var parts: (what: String, advice: String?) {
        let parts = message.split(separator: "; ")
        guard parts.count > 1, let last = parts.last else { return (message, nil) }
        return (parts.dropLast().joined(separator: "; "), String(last))
    }
}
