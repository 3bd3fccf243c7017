import ArgumentParser
import Storekeeper

/// `storekeeper vault init`.
struct VaultInitCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Makes a vault.",
        usage: "storekeeper vault init [--if-missing] [options]",
        discussion: """
            A file, or a vault in a database, that is there already is left as it is, which is an error; with \
            --if-missing a vault that is there is good, and is brought up to date if an older storekeeper wrote it. In \
            a database the vault is the schema 'storekeeper', made by a user who may create one.

            EXIT STATUS
              0   done
              64  wrong usage
              65  with --if-missing: the file is no vault, or a newer storekeeper wrote
                  the vault
              69  the database cannot be reached, refuses, or can only be read
              73  there is a file or a vault already, or it cannot be written

            EXAMPLES
              storekeeper vault init
              storekeeper vault init --vault /var/lib/game/customers.sqlite --if-missing
              storekeeper vault init --vault postgres://game@db.example.com/game
            """)

    @Flag(name: .customLong("if-missing"), help: "A vault that is there already is good.")
    var ifMissing = false

    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let place = try VaultSettings(options).place
        try await place.with(for: ifMissing ? .making : .makingNew) { _ in }
        let (name, schema) = (place.name, place.schemaVersion)
        console.print(
            output.format, json: .object(["vault": .string(name), "schema": .whole(schema)]),
            lines: ["The vault \(name) is ready (schema \(schema)).".onOneLine])
        return .success
    }
}
