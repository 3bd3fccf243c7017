import ArgumentParser
import Storekeeper
import StorekeeperSQLite

/// `storekeeper vault backup FILE`.
struct VaultBackupCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies a snapshot of a vault, while others may write.",
        usage: "storekeeper vault backup FILE [options]",
        discussion: """
            For a vault in a file; back up a database with PostgreSQL's own tools. The copy is a complete vault. \
            An existing file is not overwritten. To export customers as text, see 'storekeeper vault export'. The \
            head is the hash of the newest link of the copy's chain. Store it elsewhere: 'storekeeper vault verify \
            --contains' uses it to detect whether a vault was truncated or replaced since.

            EXIT STATUS
              0   done
              64  wrong usage
              65  the file or database is not a vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses
              73  the copy exists already, or cannot be written

            EXAMPLES
              storekeeper vault backup customers-2026-03-01.sqlite
            """)

    @Argument(help: ArgumentHelp("Where to write the copy.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let copy = file
        let place = try VaultSettings(options, on: console).place
        guard case .file(let path) = place else {
            throw .usage(
                "a database cannot be backed up to a file", at: place.name,
                "use PostgreSQL's own tools, such as pg_dump or pg_basebackup, or copy the vault to a file with "
                    + "'storekeeper vault copy'")
        }
        let receipt = try await place.convertingErrors(isReading: true) {
            try await VaultFile.opened(path, for: .reading) { vault in
                do {
                    return try await vault.backup(to: copy)
                } catch let error as VaultError where [.exists, .full, .readOnly, .io, .notFound].contains(error.code) {
                    throw CommandError(error, ofCopy: copy)
                }
            }
        }
        console.print(
            output.format,
            json: .object(["file": .string(copy), "head": .string(receipt.head), "pages": .whole(receipt.pages)]),
            lines: ["Copied to \(copy): \(receipt.pages) pages.".onOneLine, "Head: \(receipt.head)"])
        return .success
    }
}
