import ArgumentParser
import Storekeeper
import StorekeeperSimulator

/// `storekeeper vault balance --customer ID [BALANCE]`.
struct VaultBalanceCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "balance",
        abstract: "Prints a customer's balances.",
        usage: "storekeeper vault balance --customer ID [BALANCE] [options]",
        discussion: """
            Without BALANCE prints all balances that ever changed; with it one number, which is 0 if it never \
            changed. A name that is neither in a catalog nor in the account is refused with a suggestion.

            EXIT STATUS
              0   done
              64  wrong usage
              65  the file or database is not a vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses

            EXAMPLES
              storekeeper vault balance --customer anna
              coins=$(storekeeper vault balance --customer anna coins)
            """)

    @Argument(help: ArgumentHelp("The name of a balance.", valueName: "balance"))
    var balance: String?

    @OptionGroup var customerOption: CustomerOption
    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Vault options") var list: CatalogOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let customer = try customerOption.id()
        let settings = try VaultSettings(options, list: list, on: console)
        let known = try await settings.place.with(for: .reading) { vault in
            try await vault.balances(of: customer)
        }
        if let balance {
            let found = known.first { $0.id == Balance.ID(balance) }
            if found == nil { try BalanceNames(try settings.catalog(), and: known).check(Balance.ID(balance)) }
            if found == nil {
                let near =
                    NearestWord.near(balance, among: known.map(\.id.rawValue)).map { ": did you mean '\($0)'?" } ?? ""
                console.note("this customer never had units of '\(balance)'\(near)")
            }
            let one = found ?? Balance(id: Balance.ID(balance))
            console.print(output.format, json: Self.json(one), lines: [String(one.amount)])
        } else {
            console.print(
                output.format, json: .array(known.map(Self.json)),
                lines: Self.lines(known, console.style, width: console.columns))
        }
        return .success
    }

    private static func lines(_ balances: [Balance], _ style: TerminalStyle, width: Int?) -> [String] {
        guard !balances.isEmpty else { return ["This customer has no balances."] }
        var table = TextTable("BALANCE", "UNITS")
        for balance in balances { table.add(balance.id.rawValue, String(balance.amount)) }
        return table.lines(style, width: width)
    }

    private static func json(_ balance: Balance) -> JSONText {
        .object(["id": .text(balance.id), "balance": .integer(balance.amount)])
    }
}
