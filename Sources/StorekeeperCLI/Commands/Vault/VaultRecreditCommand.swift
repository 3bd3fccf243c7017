import ArgumentParser
import Storekeeper

/// `storekeeper vault recredit`.
struct VaultRecreditCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "recredit",
        abstract: "Corrects credits that were made before the catalog had 'grants'.",
        usage: "storekeeper vault recredit [--dry-run] [options]",
        discussion: """
            A pack without 'grants' in the catalog is credited as 1 unit of a balance with the product's name, and \
            a later catalog does not change existing credits. This command corrects them to the current catalogs \
            with two entries: one removes the credit from the old balance, the other adds the granted units to the \
            new balances. Running it again writes nothing. Later refunds change the new balances.

            Purchases whose units were spent under the old name, and refunded purchases, stay unchanged; the \
            former are counted as kept.

            JSON: {"customers":[{"customer":"anna","purchases":3,"kept":0,
            "changes":[{"id":"coins","change":1500}]}],"dryRun":false}

            EXIT STATUS
              0   done
              64  wrong usage, or no catalog is given
              65  the file or database is not a vault
              66  the vault does not exist, or a catalog cannot be read
              69  it is locked, or the database cannot be reached or refuses
              73  it cannot be written

            EXAMPLES
              What would change?
                storekeeper vault recredit --dry-run --catalog Products.json
            """)

    @Flag(name: .customLong("dry-run"), help: "Print the corrections without writing them.")
    var isDryRun = false

    @OptionGroup(title: "Vault options") var vault: VaultPathOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    @OptionGroup(visibility: .hidden) var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let settings = try Settings(
            evidenceOptions, source: .vault, on: console)
        let catalog = try Catalog(of: settings)
        guard !catalog.products.isEmpty else {
            throw .usage("no catalog is given", at: "--catalog", "name the files that define 'grants'")
        }
        let rule = LedgerRule(catalog: catalog, policy: settings.entitlementPolicy)
        let place = try settings.vault(vault.vault, patience: vault.patienceSpan)
        let (now, isDryRun) = (console.now, isDryRun)
        let corrected = try await place.with(for: isDryRun ? .reading : .writing) { vault in
            var corrected: [Recredit] = []
            var last: CustomerID?
            while true {
                let page = try await vault.customers(after: last, limit: 500)
                for customer in page {
                    let recredit = try await vault.recredit(customer, by: rule, at: now, isDryRun: isDryRun)
                    if !recredit.isEmpty { corrected.append(recredit) }
                }
                guard let end = page.last else { return corrected }
                last = end
            }
        }
        console.print(output.format, json: json(corrected), lines: lines(corrected))
        return .success
    }

    private func json(_ corrected: [Recredit]) -> JSONText {
        .object([
            "customers": .array(
                corrected.map { recredit in
                    .object([
                        "customer": .string(recredit.customer.rawValue),
                        "purchases": .whole(recredit.purchases.count), "kept": .whole(recredit.kept.count),
                        "changes": .array(
                            recredit.changes.map {
                                .object(["id": .text($0.balance), "change": .integer($0.change)])
                            }),
                    ])
                }), "dryRun": .bool(isDryRun),
        ])
    }

    private func lines(_ corrected: [Recredit]) -> [String] {
        guard !corrected.isEmpty else { return ["All credits match the catalogs."] }
        return corrected.map { recredit in
            let changes = recredit.changes.map { "\($0.balance) \($0.change < 0 ? "" : "+")\($0.change)" }
            let kept = recredit.kept.isEmpty ? "" : "; \(recredit.kept.count) kept, because their units were spent"
            let what = changes.isEmpty ? "nothing" : changes.joined(separator: ", ")
            return "\(recredit.customer): \(what)\(kept)".onOneLine
        }
    }
}
