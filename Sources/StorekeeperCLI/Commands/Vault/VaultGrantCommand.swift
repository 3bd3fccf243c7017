import ArgumentParser
import Storekeeper

/// `storekeeper vault grant --customer ID BALANCE QUANTITY --key KEY --reason TEXT`.
struct VaultGrantCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Adds to a balance without a purchase: a gift, a compensation.",
        usage: """
            storekeeper vault grant --customer ID BALANCE QUANTITY
              --key KEY --reason TEXT [options]
            """,
        discussion: """
            The account shows the reason. The key works as in 'vault spend': repeating the same request with the \
            same key adds nothing.

            EXIT STATUS
              0   granted, now or before
              64  wrong usage, or the key was used for another request
              65  the file or database is not a vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses
              73  it cannot be written

            EXAMPLES
              storekeeper vault grant --customer anna coins 100 \\
                --key ticket-4711 --reason "lost match"
            """)

    @OptionGroup var request: BalanceRequestOptions

    @Option(name: .long, help: ArgumentHelp("The reason, which the account shows.", valueName: "text"))
    var reason: String

    @OptionGroup var customerOption: CustomerOption
    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Vault options") var list: CatalogOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let customer = try customerOption.id()
        guard !reason.isEmpty else {
            throw .usage("the reason is empty", at: "--reason", "give a reason; the account shows it")
        }
        return try await BalanceMove(
            request: .grant(
                request.quantity, of: Balance.ID(request.balance), to: customer, because: reason,
                key: LedgerRequest.Key(request.key),
                at: console.now),
            settings: try VaultSettings(options, list: list, on: console), format: output.format
        ).run(on: console)
    }
}
