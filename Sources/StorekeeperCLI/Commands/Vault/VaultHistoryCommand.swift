import ArgumentParser
import Storekeeper

/// `storekeeper vault history --customer ID`.
struct VaultHistoryCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Prints a customer's account like a bank statement: what happened, when, and why.",
        usage: "storekeeper vault history --customer ID [options]",
        discussion: """
            Everything that was written down, in order: evidence that was learned, whose it became, what moved a \
            balance and what the balance was then. Times are those at which the vault learned of it.

            In JSON 'kind' is credit, spend, clawBack, restore, grant, fact, binding or erasure; 'cause' is the \
            transaction, the key of the request, the token, or of an erasure its reason.

            EXIT STATUS
              0   done
              64  wrong usage
              65  the file or database is no vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses

            EXAMPLES
              storekeeper vault history --customer anna
              storekeeper vault history --customer anna --format json
            """)

    @OptionGroup var whose: CustomerOption
    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let customer = try whose.id()
        let place = try VaultSettings(options).place
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
                "whether this customer was erased cannot be told (\(secret.place)): \(secret.what) that names of erased "
                    + "customers are compared by is not there, or may not be read")
        }
        console.print(
            output.format, json: statement.json, lines: statement.lines(console.style, width: console.columns))
        return .success
    }
}
