import ArgumentParser
import Storekeeper
import StorekeeperSQLite

/// `storekeeper vault init`.
struct VaultInitCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Makes a vault.",
        usage: "storekeeper vault init [--if-missing] [options]",
        discussion: """
            A file that is there already is left as it is, which is an error; with --if-missing a vault that is \
            there is good, and is brought up to date if an older storekeeper wrote it.

            EXIT STATUS
              0   done
              64  wrong usage
              65  with --if-missing: the file is no vault
              73  there is a file already, or it cannot be written

            EXAMPLES
              storekeeper vault init
              storekeeper vault init --vault /var/lib/game/customers.sqlite --if-missing
            """)

    @Flag(name: .customLong("if-missing"), help: "A vault that is there already is good.")
    var ifMissing = false

    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let path = try VaultSettings(options).path
        try await VaultFile.with(path, for: ifMissing ? .making : .makingNew) { _ in }
        let schema = SQLiteVault.schemaVersion
        console.print(
            output.format, json: .object(["vault": .string(path), "schema": .whole(schema)]),
            lines: ["The vault \(path) is ready (schema \(schema)).".onOneLine])
        return .success
    }
}
