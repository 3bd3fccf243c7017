import ArgumentParser
import Storekeeper

/// `storekeeper vault init`.
struct VaultInitCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Creates a vault.",
        usage: "storekeeper vault init [--if-missing] [options]",
        discussion: """
            An existing file that is not empty, or an existing vault in a database, is an error and stays \
            unchanged. With --if-missing an existing vault is accepted, and the tables of a database are migrated \
            if an older release wrote them. In a database the vault is the schema 'storekeeper'; the user needs the right to create it. Only \
            the owner of the file can read and write it.

            EXIT STATUS
              0   done
              64  wrong usage
              65  with --if-missing: the file is not a vault, or another storekeeper
                  wrote the vault, whose schema this one does not know
              69  the database cannot be reached, refuses, or is read-only
              73  the file or vault exists already, or cannot be written

            EXAMPLES
              storekeeper vault init
              storekeeper vault init --vault /var/lib/game/customers.sqlite --if-missing
              storekeeper vault init --vault postgres://game@db.example.com/game
            """)

    @Flag(name: .customLong("if-missing"), help: "Accept an existing vault.")
    var ifMissing = false

    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let place = try VaultSettings(options, on: console).place
        try await place.with(for: ifMissing ? .making : .makingNew) { _ in }
        let (name, schema) = (place.name, place.schemaVersion)
        console.print(
            output.format, json: .object(["vault": .string(name), "schema": .whole(schema)]),
            lines: ["The vault \(name) is ready (schema \(schema)).".onOneLine])
        return .success
    }
}
