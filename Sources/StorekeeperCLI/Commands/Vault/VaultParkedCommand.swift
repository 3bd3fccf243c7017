import ArgumentParser
import Storekeeper

/// `storekeeper vault parked`.
struct VaultParkedCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "parked",
        abstract: "Lists parked purchases, which have no owner or belong to another customer.",
        usage: "storekeeper vault parked [options]",
        discussion: """
            Parked purchases do not count for any customer. 'storekeeper vault claim' assigns an unowned purchase \
            to a customer. A purchase of another customer is listed with the customer for whom it was imported \
            first; 'vault claim --transfer' moves it on purpose.

            EXIT STATUS
              0   done
              64  wrong usage
              65  the file or database is not a vault
              66  there is no vault
              69  it is locked, or the database cannot be reached or refuses

            EXAMPLES
              storekeeper vault parked
            """)

    @OptionGroup(title: "Vault options") var options: VaultOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    /// Identifies a purchase; all parked facts of one purchase share a row of the table.
    private struct Purchase: Hashable {
        let originalID: Transaction.ID
        let productID: Product.ID?
    }

    /// The table row of a purchase, with the time of its oldest parked fact.
    private struct Row {
        let originalID: Transaction.ID
        let productID: Product.ID?
        let since: Instant
        let reason: ParkedFact.Reason
        /// The customer for whom a purchase of another customer was imported.
        let claimant: CustomerID?

        var json: JSONText {
            .object([
                "originalTransactionID": .string(originalID.rawValue), "productID": .text(productID),
                "since": .time(since), "broughtBy": .text(claimant?.rawValue),
            ])
        }
    }

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let rows = try await VaultSettings(options, on: console).place.with(for: .reading) { vault in
            var rows: [Row] = []
            var known: Set<Purchase> = []
            var place: FeedPlace? = .start
            while let start = place {
                let page = try await vault.parked(after: start, limit: 1_000)
                // A notification is parked beside the evidence inside it.
                for fact in page.rows where fact.fact.notification == nil {
                    let row = Self.row(fact)
                    if known.insert(Purchase(originalID: row.originalID, productID: row.productID)).inserted {
                        rows.append(row)
                    }
                }
                place = page.next
            }
            return rows
        }
        console.print(
            output.format, json: .object(["parked": .array(rows.map(\.json))]),
            lines: Self.lines(rows, console.style, width: console.columns))
        return .success
    }

    private static func lines(_ rows: [Row], _ style: TerminalStyle, width: Int?) -> [String] {
        guard !rows.isEmpty else { return ["Nothing is parked."] }
        var table = TextTable("PURCHASE", "PRODUCT", "SINCE", "WHY", "BROUGHT BY")
        for row in rows {
            let why = row.reason == .conflict ? ["another customer's", "another's"] : ["no owner"]
            table.add([
                .text(row.originalID.rawValue), .text(row.productID?.rawValue), .time(row.since), .forms(why),
                .text(row.claimant?.rawValue),
            ])
        }
        // The id of the purchase is never shortened, because a claim requires it.
        table.widthReductions = [
            .shorten("SINCE"), .shorten("SINCE"), .shorten("WHY"), .shorten("SINCE"), .drop("SINCE"),
        ]
        return table.lines(style, width: width)
    }

    private static func row(_ parked: ParkedFact) -> Row {
        Row(
            originalID: parked.fact.originalID, productID: parked.fact.productID, since: parked.since,
            reason: parked.reason, claimant: parked.claimant)
    }
}
