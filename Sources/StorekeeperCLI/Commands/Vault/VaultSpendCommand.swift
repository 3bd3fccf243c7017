import ArgumentParser
import Storekeeper

/// `storekeeper vault spend --customer ID BALANCE QUANTITY --key KEY`.
struct VaultSpendCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "spend",
        abstract: "Spends units of a balance if it suffices, once for each key.",
        usage: """
            storekeeper vault spend --customer ID BALANCE QUANTITY --key KEY
              [options]
            """,
        discussion: """
            The key is the app's unique name for this spend, such as the number of the order. The same request \
            with the same key prints the same receipt and spends nothing more, so a spend whose answer was lost \
            can be repeated at once. The receipt is printed only after the spend is on disk.

            JSON: {"balance":60,"customer":"anna","receipt":"spend-12","replayed":false}; if it is refused
            {"balance":20,"refused":"insufficient"} or {"refused":"frozen"}.

            EXIT STATUS
              0   spent, now or before
              1   the balance is too low or frozen; nothing was changed
              64  wrong usage, or the key was used for another request
              65  the file or database is not a vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses
              73  it cannot be written

            EXAMPLES
              storekeeper vault spend --customer anna coins 50 --key order-17
            """)

    @OptionGroup var request: BalanceRequestOptions
    @OptionGroup var customerOption: CustomerOption
    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Vault options") var list: CatalogOptions
    @OptionGroup(title: "Policy options") var refunds: RefundOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let customer = try customerOption.id()
        return try await BalanceMove(
            request: .spend(
                request.quantity, of: Balance.ID(request.balance), by: customer, key: LedgerRequest.Key(request.key),
                at: console.now),
            settings: try VaultSettings(options, refunds: refunds, list: list, on: console), format: output.format
        ).run(on: console)
    }
}
