import ArgumentParser
import Storekeeper

/// `storekeeper vault history --customer ID`.
struct VaultHistoryCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Prints a customer's account like a bank statement, with times and causes.",
        usage: "storekeeper vault history --customer ID [options]",
        discussion: """
            Prints every record in order: learned evidence, assigned owners, and changes of balances with the \
            balance afterwards. Times are those at which the vault learned of the event.

            In JSON 'kind' is credit, spend, clawBack, restore, grant, grantAccess, revokeAccess, fact, binding or \
            erasure; 'cause' is the transaction, the key of the request, the token, or the reason of an erasure.

            EXIT STATUS
              0   done
              64  wrong usage
              65  the file or database is not a vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses

            EXAMPLES
              storekeeper vault history --customer anna
              storekeeper vault history --customer anna --format json
            """)

    @OptionGroup var customerOption: CustomerOption
    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let customer = try customerOption.id()
        let place = try VaultSettings(options, on: console).place
        let (statement, isBlind) = try await place.with(for: .reading) { vault in
            (try await AccountStatement(of: customer, in: vault), try await vault.lacksErasureSecret())
        }
        if isBlind {
            let secret =
                switch place {
                case .file(let path): (place: "\(path)-secret", what: "the file")
                case .database(_, let name, _): (place: name, what: "the secret")
                }
            console.note(
                "it is unknown whether this customer was erased (\(secret.place)): \(secret.what) for names of erased "
                    + "customers is missing, or cannot be read")
        }
        console.print(
            output.format, json: statement.json, lines: statement.lines(console.style, width: console.columns))
        return .success
    }
}
