import ArgumentParser
import Storekeeper

/// `storekeeper vault import --customer ID EVIDENCE…`.
struct VaultImportCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Verifies a customer's evidence and stores it in a vault; also reads exports.",
        usage: "storekeeper vault import --customer ID EVIDENCE… [options]",
        discussion: """
            Give all evidence of the customer, in any order. Evidence that the vault already has is skipped, so \
            repeating an import is always safe. Consumables are credited once, according to the --catalog. A \
            missing file is created. A purchase without a token is assigned to the customer; a purchase of another \
            customer is reported, parked and not counted.

            Up to 1,000 items are one commit. More items are committed in batches of about 3,000 facts, \
            transactions first, and only the last commit records that the history is complete. 'new', 'known' and \
            'parked' count signed facts; a notification may contain two.

            Evidence in which no item counts records nothing. An answer of the App Store Server API whose list is \
            empty is complete evidence that nothing was bought.

            Exports of 'vault export' are read without --customer, or with it for only that customer. They restore \
            the customers exactly. An account must follow from its facts, but its spends and grants are trusted: \
            import only your own exports.

            'accountTokens' in storekeeper.yaml defines the owners of tokens. asIDs, the default: a token belongs \
            to the customer whose id is that UUID, even if the vault does not know them; if ID is not a UUID, the \
            first import with an unowned token assigns it to ID. opaque: a token is unowned until a claim or the \
            first import with it. A claim is valid in both cases.

            EXIT STATUS
              0   done
              1   a purchase belongs to another customer, or would overflow its
                  balance
              64  wrong usage
              65  the evidence has no items, nothing in it could be read, it is about
                  two apps, or the file is not a vault
              66  a file cannot be read
              69  the vault is locked, or the database cannot be reached or refuses
              73  it cannot be written
              77  every item was refused, also if only for its environment

            EXAMPLES
              storekeeper vault import --customer anna anna.jws --root AppleRootCA-G3.cer \\
                --bundle-id com.example.game --catalog Products.json
              curl -fsS -o history.json https://example.com/history.json \\
                && storekeeper vault import --customer anna history.json
              storekeeper vault import customers.jsonl --vault other.sqlite
            """)

    @Argument(
        help: ArgumentHelp("Evidence files or exports; '-' is standard input.", valueName: "evidence"),
        completion: .file())
    var evidence: [String]

    @Option(
        name: .long,
        help: ArgumentHelp("The customer's id in the app; a UUID is case-insensitive.", valueName: "id"))
    var customer: String?

    @OptionGroup(title: "Vault options") var vault: VaultPathOptions
    @OptionGroup(title: "Policy options") var refunds: RefundOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    // This command accepts and ignores these options, so that all evidence commands accept the same options.
    @OptionGroup(visibility: .hidden) var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let customerOption = try customer.map { id throws(CommandError) in try CustomerID(argument: id) }
        let settings = try Settings(
            evidenceOptions, source: .intake, refunds: refunds.policy,
            on: console)
        let intake = Import(
            settings: settings, catalog: try Catalog(of: settings), customer: customerOption, console: console)
        let sources = try Import.Sources(evidence)
        guard customerOption != nil || sources.evidence.isEmpty else {
            throw .usage(
                "no customer is given for the evidence", at: "--customer", "name the customer with --customer ID")
        }
        var report = ImportReport()
        let loaded = try await intake.load(sources, into: &report)
        if let refusal = loaded?.refusalToRecord(isAnswered: !sources.emptyAnswers.isEmpty) {
            print(report, on: console)
            console.errors.line(refusal.description)
            return refusal.status
        }
        let place = try settings.vault(vault.vault, patience: vault.patienceSpan)
        if place.isMissingFile {
            console.note("there is no vault \(place.name) yet; it is created")
        }
        report = try await place.with(for: .filling, tokens: settings.accountTokens) { [report] vault in
            var report = report
            if let loaded, let customerOption {
                // A file without items, such as an interrupted download, may have lacked a purchase.
                let isWhole = loaded.emptyFiles.subtracting(sources.emptyAnswers).isEmpty
                try await intake.commit(loaded, for: customerOption, into: vault, isWhole: isWhole, &report)
            }
            for archive in sources.archives { try await intake.restore(archive, into: vault, &report) }
            return report
        }
        print(report, on: console)
        console.report(report.creditedBeforeDiagnostics)
        for key in report.uncredited {
            console.errors.line(
                "storekeeper: error: transaction \(key.transactionID) would overflow its balance "
                    + "(\(key.bundleID)): it is stored without a credit; check 'grants' in the catalog".onOneLine)
        }
        return report.hasConflicts || !report.uncredited.isEmpty ? .no : .success
    }

    private func print(_ report: ImportReport, on console: Console) {
        console.print(output.format, json: report.json, lines: report.lines(console.style))
    }
}
