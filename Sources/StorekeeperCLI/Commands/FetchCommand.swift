import ArgumentParser
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// `storekeeper fetch --transaction ID`.
struct FetchCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Downloads everything the App Store signed about a customer into a file or a vault.",
        usage: """
            storekeeper fetch --transaction ID [--customer ID --vault FILE] [options]
            storekeeper fetch --order ID [--customer ID --vault FILE] [options]
            storekeeper fetch --receipt FILE [--customer ID --vault FILE] [options]
            storekeeper fetch --customer ID --vault FILE [options]
            """,
        discussion: """
            Requests the complete history, the statuses of all subscriptions and the app transaction of a \
            transaction's customer from the App Store Server API. Prints them as one compact JWS per line, for all \
            commands that read evidence; with --customer it verifies them and stores them in the vault. Without \
            --transaction it uses a transaction of the customer from the vault.

            --order takes the order id of an invoice that Apple has mailed to the customer, such as MW12ABC3DE; \
            the App Store knows the orders of Production only. \
            --receipt takes the newest transaction of a receipt of the original StoreKit, in any form that \
            'storekeeper receipt' reads. The receipt is not verified: the App Store's answer is.

            The key is an in-app purchase key of App Store Connect. It signs tokens and is never sent. If production \
            refuses it, the sandbox is asked, and the error tells its answer: production refuses the key of an app \
            that was never released.

            EXIT STATUS
              0   done                           66  a file cannot be read
              1   the App Store does not know    69  the App Store cannot be reached,
                  the transaction or order           or its answer is invalid
              64  wrong usage                    73  a file cannot be written
              65  the key is invalid             77  the App Store refuses the key, or
                                                     nothing could be verified

            EXAMPLES
              What does this customer own?
                storekeeper fetch --transaction 2000000123456789 \\
                  --api-key key.p8 --key-id K --issuer-id I \\
                  --bundle-id com.example.game > anna.jws
                storekeeper entitlements anna.jws

              Of a customer who sends Apple's invoice:
                storekeeper fetch --order MW12ABC3DE > anna.jws

              Of a customer with an old receipt:
                storekeeper fetch --receipt receipt.b64 > anna.jws

              Into a vault:
                storekeeper fetch --transaction 2000000123456789 \\
                  --customer anna --vault customers.sqlite

              From a local App Store:
                storekeeper fetch --transaction 2000000000000001 \\
                  --server http://127.0.0.1:8080 --environment Sandbox \\
                  --root root.pem --api-key key.p8 --key-id K --issuer-id I
            """)

    @Option(
        name: .long,
        help: ArgumentHelp("The id of a transaction of the customer, or of their app transaction.", valueName: "id"))
    var transaction: String?

    @Option(name: .long, help: ArgumentHelp("The order id on an invoice of the customer.", valueName: "id"))
    var order: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A receipt that names a transaction of the customer; '-' is standard input.", valueName: "file"),
        completion: .file())
    var receipt: String?

    @Option(name: .long, help: ArgumentHelp("Store the evidence in the vault for this customer.", valueName: "id"))
    var customer: String?

    @Option(
        name: .long, help: ArgumentHelp("Write the evidence to this file instead of printing it.", valueName: "file"))
    var output: String?

    @OptionGroup(title: "Server options") var server: ServerOptions
    @OptionGroup(title: "Server options") var check: RevocationOptions
    @OptionGroup(title: "Vault options") var vault: VaultPathOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    @OptionGroup(visibility: .hidden) var question: QuestionOptions
    @Option(
        name: .long, help: ArgumentHelp("text for people, json for programs; with --customer.", valueName: "text|json"))
    var format: OutputFormat = .text

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        let named = [("--transaction", transaction), ("--order", order), ("--receipt", receipt)]
            .filter { $0.1 != nil }.map(\.0)
        guard !named.isEmpty || customer != nil else {
            throw .usage("no customer is given", at: "storekeeper fetch", "add --transaction ID, or --customer ID")
        }
        guard named.count < 2 else {
            throw .usage(
                "a customer is named in two ways", at: named.joined(separator: " and "), "leave out one of them")
        }
        guard customer == nil || output == nil else {
            throw .usage("evidence is written either to a vault or to a file", at: "--output", "leave out one of them")
        }
        guard customer != nil || check.revocation == .off else {
            throw .usage(
                "printed evidence is not verified", at: "--revocation",
                "leave it out, or name a vault with --customer ID")
        }
        let settings = try Settings(
            evidenceOptions, source: .intake, on: console)
        let transaction =
            try receipt.map { path throws(CommandError) in try Self.transaction(ofReceipt: path) }
            ?? self.transaction
        let name = order.map(Name.order) ?? transaction.map(Name.transaction)
        guard let customer else {
            guard let name else { return .usage }
            return try write(try await items(of: name, settings, on: console).items, on: console)
        }
        return try await ingestPage(for: try CustomerID(argument: customer), name, settings, on: console)
    }

    /// The transaction or the order that identifies the customer in requests to the App Store.
    private enum Name {
        case transaction(String)
        case order(String)
    }

    /// Returns the id of the newest transaction in a receipt.
    ///
    /// The receipt is accepted even if its signature cannot be verified.
    private static func transaction(ofReceipt path: String) throws(CommandError) -> String {
        let bytes = try InputFile.contents(of: path, limit: ReceiptVerifier.maximumSize)
        let checked = ReceiptVerifier(JWSVerifier.Configuration(roots: [], bundleID: nil)).verify(bytes)
        guard checked.receipt != nil else { throw ReceiptCommand.notAReceipt(checked, at: path) }
        guard let id = checked.transactionIDs.first else {
            throw CommandError(
                .no, "the receipt contains no purchase", at: InputFile.name(of: path), "name a --transaction")
        }
        return id.rawValue
    }

    /// Fetches all signed data about a customer, who is identified by `name` or, if `name` is `nil`, by `anchors`.
    ///
    /// - Returns: The items, and a verifier that has the revocation status of their certificates.
    private func items(
        of name: Name?, or anchors: [CustomerAnchor] = [], _ settings: Settings, on console: Console
    ) async throws(CommandError) -> (items: [String], verifier: JWSVerifier) {
        try await AppStoreConnection.with(server, settings, revocation: check.revocation, on: console) {
            client, verifier in
            var wanted: [(id: String, environment: AppStore.Environment?)] = anchors.map { ($0.id, $0.environment) }
            switch name {
            case .transaction(let id): wanted = [(id, nil)]
            case .order(let order): wanted = [try await Self.transaction(ofOrder: order, from: client)]
            case nil: break
            }
            var items: [String] = []
            for (id, environment) in wanted {
                let evidence = try await client.evidence(of: id, in: environment)
                items += evidence.items
                if let refusal = evidence.appTransactionRefusal {
                    console.note("the evidence contains no app transaction: \(refusal.message)")
                }
            }
            await verifier.learnRevocation(of: items)
            return (items, verifier)
        }
    }

    /// Returns the id and the environment of a transaction of an order.
    private static func transaction(
        ofOrder order: String, from client: AppStoreServerClient
    ) async throws -> (id: String, environment: AppStore.Environment?) {
        let transactions = try await client.transactions(ofOrder: order)
        guard !transactions.isEmpty else {
            throw CommandError(
                .no, "the App Store does not know this order of the app", at: order,
                "copy the order id from the invoice; purchases in the sandbox have none")
        }
        guard let transaction = transactions.lazy.compactMap({ VerifiedFact($0)?.transaction }).first else {
            throw CommandError(
                .refused, "no transaction of the order could be verified", at: order,
                "check --root, --bundle-id and --environment")
        }
        return (transaction.id.rawValue, transaction.environment)
    }

    private func write(_ items: [String], on console: Console) throws(CommandError) -> ExitStatus {
        let text = items.map { $0 + "\n" }.joined()
        if let output {
            try OutputFile.write(Array(text.utf8), to: output, replaces: false)
            console.note("\(items.count) signed items were written to \(output)")
        } else {
            console.output.text(text)
        }
        return .success
    }

    private func ingestPage(
        for customer: CustomerID, _ name: Name?, _ settings: Settings, on console: Console
    ) async throws(CommandError) -> ExitStatus {
        let intake = Import(
            settings: settings, catalog: try Catalog(of: settings), customer: customer, console: console)
        let place = try settings.vault(vault.vault, patience: vault.patienceSpan)
        // A missing vault is created only after evidence was fetched, so that a failure does not leave an empty vault
        // behind.
        let named: (loaded: LoadedEvidence, report: ImportReport)?
        if name != nil {
            named = try await evidence(of: name, for: intake, on: console)
        } else {
            guard !place.isMissingFile else {
                throw CommandError(
                    .unreadableFile, "there is no vault with a transaction of '\(customer)'", at: place.name,
                    "check --vault, or name a transaction with --transaction ID")
            }
            named = nil
        }
        let report = try await place.with(for: .filling, tokens: settings.accountTokens) { vault in
            let fetched: (loaded: LoadedEvidence, report: ImportReport)
            if let named {
                fetched = named
            } else {
                let anchors = try await VaultAnchors(vault, bundleID: settings.bundleID ?? "").anchors(of: customer)
                guard !anchors.isEmpty else {
                    throw CommandError(
                        .no, "the vault has no transaction of '\(customer)' to request the history with",
                        at: place.name,
                        "name a transaction with --transaction ID")
                }
                fetched = try await evidence(of: nil, or: anchors, for: intake, on: console)
            }
            var report = fetched.report
            try await intake.commit(fetched.loaded, for: customer, into: vault, isWhole: name == nil, &report)
            return report
        }
        console.print(format, json: report.json, lines: report.lines(console.style))
        console.report(report.creditedBeforeDiagnostics)
        return report.hasConflicts || !report.uncredited.isEmpty ? .no : .success
    }

    /// Fetches and verifies all signed data about a customer, who is identified by `name` or, if `name` is `nil`, by
    /// `anchors`.
    ///
    /// - Returns: The evidence, and a report with its diagnostics.
    private func evidence(
        of name: Name?, or anchors: [CustomerAnchor] = [], for intake: Import, on console: Console
    ) async throws(CommandError) -> (loaded: LoadedEvidence, report: ImportReport) {
        let settings = intake.settings
        let (items, verifier) = try await self.items(of: name, or: anchors, settings, on: console)
        let loaded = try EvidenceLoader(settings: settings, catalog: nil, console: console)
            .load(items, from: "the App Store", by: verifier)
        if let refusal = loaded.refusal {
            // A malformed response is the server's fault, not the user's.
            guard refusal.status == .malformedInput else { throw refusal }
            throw CommandError(
                .unreachableService, "no response of the App Store could be read", at: refusal.place,
                "check --server")
        }
        var report = ImportReport()
        intake.examine(loaded, into: &report)
        return (loaded, report)
    }
}
