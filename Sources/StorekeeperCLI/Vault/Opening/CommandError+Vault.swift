import Storekeeper

extension CommandError {
    /// What a command says of a vault's failure.
    ///
    /// - Parameters:
    ///   - error: What the vault says.
    ///   - place: Where the vault is kept.
    ///   - isReading: Whether it was only to be read, which decides what a failure of the system is called.
    init(_ error: VaultError, of place: VaultPlace, isReading: Bool) {
        switch place {
        case .file(let path): self.init(error, ofFile: path, isReading: isReading)
        case .database(_, let name, _): self.init(error, ofDatabase: name)
        }
    }

    private init(_ error: VaultError, ofFile path: String, isReading: Bool) {
        func make(_ status: ExitStatus, _ what: String, _ advice: String) -> CommandError {
            CommandError(status, what, at: path, advice)
        }
        // A vault's own words name the file, which stands beside them here, and end with what to do.
        let parts = error.message.split(separator: "; ", maxSplits: 1).map(String.init)
        let what = (parts.first ?? error.code.rawValue).replacing(path, with: "the vault")
        let advice = parts.count > 1 ? parts[1] : "check the disk"
        self =
            switch error.code {
            case .notFound: make(.unreadableFile, "there is no vault", "make one with 'storekeeper vault init'")
            case .exists: make(.unwritableFile, "there is a file already", "choose another place, or move it away")
            case .notAVault:
                make(
                    .malformedInput, "the file is no vault", "check the path, or make one with 'storekeeper vault init'"
                )
            case .schemaTooNew: make(.malformedInput, "a newer storekeeper wrote the vault", "update storekeeper")
            case .schemaTooOld:
                make(
                    .malformedInput, "an older storekeeper wrote the vault, and it cannot be read as it is",
                    "bring it up to date with 'storekeeper vault init --if-missing'")
            case .corrupt: make(.malformedInput, what, "see 'storekeeper vault verify', and restore a backup")
            case .locked: make(.unreachableService, "another process keeps the vault locked", "try again; it is safe")
            case .inDoubt: make(.unreachableService, what, "try again; it is safe")
            case .full: make(.unwritableFile, "there is no room left to write", "make room and try again")
            case .readOnly:
                make(.unwritableFile, "the vault may only be read", "allow writing to the file and its folder")
            case .io: make(isReading ? .unreadableFile : .unwritableFile, what, advice)
            case .overflow, .invalidRequest, .unknownBalance: make(.usage, error.message, "nothing was changed")
            case .unknownCustomer: make(.no, "the vault has nothing of this customer", "check the id")
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
                    .malformedInput, "the database holds no vault",
                    "check the address, or make one with 'storekeeper vault init'")
            case .exists:
                make(
                    .unwritableFile, "the database holds a vault already",
                    "name another database, or use this vault as it is")
            case .schemaTooNew: make(.malformedInput, "a newer storekeeper wrote the vault", "update storekeeper")
            case .schemaTooOld:
                make(
                    .malformedInput, "an older storekeeper wrote the vault, and it cannot be used as it is",
                    "bring it up to date with 'storekeeper vault init --if-missing'")
            case .corrupt: make(.malformedInput, what, "see 'storekeeper vault verify', and restore a backup")
            case .full: make(.unwritableFile, what, "make room and try again")
            case .inDoubt:
                make(
                    .unreachableService, "the connection was lost while something was written",
                    "ask again with the same key; that is safe")
            case .locked, .io, .readOnly, .closed: make(.unreachableService, what, advice ?? "look at the server")
            case .overflow, .invalidRequest, .unknownBalance: make(.usage, error.message, "nothing was changed")
            case .unknownCustomer: make(.no, "the vault has nothing of this customer", "check the id")
            default: make(.bug, error.description, "report it")
            }
    }

    /// What a command says of a customer of whom the vault has nothing.
    static func nobody(_ customer: CustomerID, _ outcome: String) -> CommandError {
        CommandError(
            .no, "the vault has nothing of this customer, \(outcome)", at: customer.rawValue,
            "check the id; 'storekeeper vault export' tells of all")
    }

    /// What a command says where the copy of a vault cannot be written.
    init(_ error: VaultError, ofCopy path: String) {
        self =
            error.code == .exists
            ? CommandError(
                .unwritableFile, "there is a file already", at: path, "choose another place, or move it away")
            : CommandError(
                .unwritableFile, "the copy cannot be written", at: path,
                "check the disk and the permissions of the folder")
    }
}

extension VaultError {
    /// What is wrong, and what to do, which stands at the end of a message.
    var parts: (what: String, advice: String?) {
        let parts = message.split(separator: "; ")
        guard parts.count > 1, let last = parts.last else { return (message, nil) }
        return (parts.dropLast().joined(separator: "; "), String(last))
    }
}
