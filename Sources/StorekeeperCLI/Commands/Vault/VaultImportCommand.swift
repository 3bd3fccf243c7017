import ArgumentParser
import Storekeeper

/// `storekeeper vault import --customer ID EVIDENCE…`.
struct VaultImportCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Verifies a customer's evidence and writes it into a vault; also reads exports.",
        usage: "storekeeper vault import --customer ID EVIDENCE… [options]",
        discussion: """
            Give all that the App Store says about the customer, in any order: what the vault has already is passed \
            over, so that repeating an import is always safe. Consumables are credited by the --catalog, once. A \
            file that is not there yet is made. A purchase without a token becomes the customer's; one that \
            belongs to another customer is reported, parked and not counted.

            Up to 1,000 items are one commit; of more, some 2,000 facts at a time are, transactions first, and only \
            the last commit notes that the history was read as a whole. 'new', 'known' and 'parked' count signed \
            facts, of which a notification may hold two.

            What 'vault export' wrote is read without --customer, or with it for that customer alone. It brings \
            back everything as it was. An account must follow from its facts; what it says of spends and grants is \
            believed, though: take in only exports of your own.

            Whose a token is, 'accountTokens' in storekeeper.yaml says. asIDs, the default: it is that of the \
            customer whose id is that UUID, whether the vault has heard of them or not; where ID is no UUID, the \
            first import with a token that nobody has makes it ID's. opaque: a token says nothing until a claim or \
            the first import with it. A claim binds either way.

            EXIT STATUS
              0   done
              1   something belongs to another customer, or adds more than its
                  balance can hold
              64  wrong usage
              65  nothing in the evidence could be read, it is about two apps, or the
                  file is no vault
              66  a file cannot be read
              69  the vault is locked, or the database cannot be reached or refuses
              73  it cannot be written
              77  no evidence could be verified

            EXAMPLES
              storekeeper vault import --customer anna anna.jws --root AppleRootCA-G3.cer \\
                --bundle-id com.example.game --catalog Products.json
              curl -s …/inApps/v2/history/… | storekeeper vault import --customer anna -
              storekeeper vault import customers.jsonl --vault other.sqlite
            """)

    @Argument(
        help: ArgumentHelp("Evidence files or exports; '-' is standard input.", valueName: "evidence"),
        completion: .file())
    var evidence: [String]

    @Option(
        name: .long,
        help: ArgumentHelp("The customer, by the app's own id; of a UUID the case does not matter.", valueName: "id"))
    var customer: String?

    @OptionGroup(title: "Vault options") var vault: VaultPathOptions
    @OptionGroup(title: "Policy options") var refunds: RefundOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    // What every command of evidence takes and what is of no use here, so that one line of options fits all.
    @OptionGroup(visibility: .hidden) var question: QuestionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let whose = try customer.map { id throws(CommandError) in try CustomerID(argument: id) }
        let settings = try Settings(
            EvidenceOptions(trust: trust, list: list, question: question), source: .intake, refunds: refunds.policy,
            on: console)
        let intake = Import(
            settings: settings, catalog: try Catalog(of: settings), customer: whose, console: console)
        let sources = try Import.Sources(evidence)
        guard whose != nil || sources.evidence.isEmpty else {
            throw .usage(
                "nobody is named whose evidence it is", at: "--customer", "name the customer with --customer ID")
        }
        var report = ImportReport()
        let loaded = try await intake.load(sources, into: &report)
        if let refusal = loaded?.refusal {
            print(report, on: console)
            console.errors.line(refusal.description)
            return refusal.status
        }
        let place = try VaultPlace(
            argument: vault.vault ?? settings.vault, patience: vault.patienceSpan)
        if place.isMissingFile {
            console.note("there is no vault \(place.name) yet, it is made")
        }
        report = try await place.with(for: .filling, tokens: settings.accountTokens) { [report] vault in
            var report = report
            if let loaded, let whose { try await intake.commit(loaded, for: whose, into: vault, &report) }
            for archive in sources.archives { try await intake.restore(archive, into: vault, &report) }
            return report
        }
        print(report, on: console)
        console.report(report.creditedBeforeDiagnostics)
        for key in report.uncredited {
            console.errors.line(
                "storekeeper: error: transaction \(key.transactionID) adds more than its balance can hold "
                    + "(\(key.bundleID)): it is kept without its credit; look at 'grants' in the catalog".onOneLine)
        }
        return report.hasConflicts || !report.uncredited.isEmpty ? .no : .success
    }

    private func print(_ report: ImportReport, on console: Console) {
        console.print(output.format, json: report.json, lines: report.lines(console.style))
    }
}
