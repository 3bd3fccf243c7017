import ArgumentParser
import Storekeeper

/// `storekeeper offers EVIDENCE…`.
struct OffersCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "offers",
        abstract: "Answers which of the catalog's offers a customer may have, and why.",
        discussion: """
            Lists the introductory, promotional, win-back and code offers of the catalog with an answer (eligible, \
            ineligible, unknown), its reason, and until when it holds. JSON also has the deciding facts of each \
            offer, as in 'explain'.

            Introductory offers are for customers without service in the subscription group who never had one. \
            Promotional offers are for those who subscribe or did; the app decides among them. A code is for the \
            customers whom it names, once, and not for a lower service level than the current one. The App Store \
            decides about win-back offers: its renewal info names them after a subscription has expired.

            Where missing evidence could change an answer, it is unknown. For each group the text also names the \
            pages of Apple on which the customer can manage the subscription or correct the payment.

            EXIT STATUS
              0   done
              64  wrong usage
              65  nothing in the evidence could be read, or it is about two apps
              66  a file cannot be read
              69  the vault is locked, or the database cannot be reached or refuses
              77  no evidence could be verified

            EXAMPLES
              Which offers can the app show to this customer?
                storekeeper offers customer.jws --catalog Store.storekit

              Why is the introductory offer refused?
                storekeeper offers --customer anna --vault customers.sqlite \\
                  --product gold.monthly --format json
            """)

    @Argument(help: ArgumentHelp("Evidence files; '-' is standard input.", valueName: "evidence"), completion: .file())
    var evidence: [String] = []

    @Option(
        name: .customLong("product"),
        help: ArgumentHelp("Only the offers of this product (repeatable).", valueName: "id"))
    var products: [String] = []

    @OptionGroup(title: "Vault options") var vault: VaultSourceOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    @OptionGroup(title: "Evidence options") var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let query = try await AnswersQuery(evidenceOptions, evidence: evidence, vault: vault, on: console)
        let catalog = query.resolver.catalog
        for product in products where catalog.product(Product.ID(product)) == nil {
            throw .usage(
                "the catalog has no product '\(product)'", at: "--product",
                NearestWord.near(product, among: catalog.products.map(\.id.rawValue)).map { "did you mean '\($0)'?" }
                    ?? "add it to the catalog, or check the spelling")
        }
        var offers = query.resolver.offers(in: query.history, at: query.at, doubt: query.doubt)
        if !products.isEmpty {
            let wanted = Set(products.map { Product.ID($0) })
            offers = offers.only { wanted.contains($0.productID) }
        }
        var members = DiagnosedOffers.shape.members(of: DiagnosedOffers(offers, query.diagnostics))
        members["verified"] = .bool(query.isVerified)
        console.print(
            output.format, json: .object(members),
            lines: query.proofLines(console.style, width: console.columns)
                + OffersReport.lines(offers, console.style, width: console.columns, absence: query.absence))
        return query.ended(on: console)
    }
}

/// The offers of a customer, as `offers` prints them for people.
enum OffersReport {
    /// Returns the offers as text.
    ///
    /// - Parameters:
    ///   - width: The maximum number of columns of a line; `nil` means no limit.
    ///   - absence: The note that the vault has no data about the customer; `nil` if no note is printed.
    static func lines(
        _ offers: CustomerOffers, _ style: TerminalStyle, width: Int?, absence: String?
    ) -> [String] {
        var lines = absence.map { Paragraph.lines($0, width: width ?? 80) } ?? []
        var table = TextTable("PRODUCT", "OFFER", "ANSWER", "UNTIL")
        table.widthReductions = [.shorten("UNTIL"), .shorten("UNTIL"), .shorten("UNTIL"), .drop("UNTIL")]
        for row in offers.rows {
            let offer = row.offer.id.map { "\(row.offer.kind.rawValue) \"\($0)\"" } ?? row.offer.kind.rawValue
            table.add([
                .text(row.productID.rawValue), .text(offer), .text("\(row.answer.word) (\(row.answer.reasonWord))"),
                .time(row.until),
            ])
        }
        lines += table.isEmpty ? ["The catalog has no offers."] : table.lines(style, width: width)
        for group in offers.groups {
            lines += ["", style.bold("GROUP \((group.name ?? group.id.rawValue).onOneLine)")]
            lines.append(
                "  introductory offers: \(group.introductory.word) (\(group.introductory.reasonWord))"
                    + (group.until.map { " until \($0)" } ?? ""))
            for status in group.statuses {
                lines.append("  \(status.transaction.productID.rawValue.onOneLine) is \(status.state.rawValue)")
                lines += status.links.map { "    \($0.rawValue)  \($0.url)" }
            }
        }
        return lines
    }
}
