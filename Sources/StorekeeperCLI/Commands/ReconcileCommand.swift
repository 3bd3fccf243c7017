import ArgumentParser
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// `storekeeper reconcile`.
struct ReconcileCommand: ConsoleCommand, EvidenceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Compares a vault with the App Store, reports differences, and corrects them.",
        discussion: """
            Requests the complete history and the statuses of all subscriptions of each customer in the vault from \
            the App Store Server API. Evidence that the vault lacks is verified and stored; existing evidence \
            stays. Nothing is written if both agree.

            It respects the App Store's rate limits, and records its progress in the vault: after an interruption \
            the next run continues there. Repeated evidence counts once.

            With --since it reads the App Store's notification history instead, which is faster if only some \
            notifications are missing: the history covers 180 days, in the sandbox 30.

            EXIT STATUS
              0   both agree, or agree now       66  a file cannot be read
              1   differences remain             69  the App Store or the database
              64  wrong usage                        cannot be reached, or its answer
              65  the key or vault is invalid        is invalid: run it again
                                                 77  the App Store refuses the key

            EXAMPLES
              What would change?
                storekeeper reconcile --vault customers.sqlite --dry-run

              After an outage of a day and a half:
                storekeeper reconcile --vault customers.sqlite --since 2026-03-01T12:00:00Z

              One customer, for support:
                storekeeper reconcile --vault customers.sqlite --customer anna
            """)

    @Option(name: .long, help: ArgumentHelp("Only this customer.", valueName: "id"))
    var customer: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Read the notifications since this time instead of histories.", valueName: "time"))
    var since: String?

    @Flag(name: .long, help: "Report differences without correcting them.")
    var dryRun = false

    @Flag(
        name: .long,
        help: "Assign unowned purchases permanently to the customer of their Apple Account.")
    var claim = false

    @Flag(name: .long, help: "Start with the first customer instead of continuing an earlier run.")
    var fromStart = false

    @OptionGroup(title: "Server options") var server: ServerOptions
    @OptionGroup(title: "Server options") var check: RevocationOptions
    @OptionGroup(title: "Vault options") var vault: VaultPathOptions
    @OptionGroup(title: "Evidence options") var trust: TrustOptions
    @OptionGroup(title: "Evidence options") var list: CatalogOptions
    @OptionGroup(visibility: .hidden) var question: QuestionOptions
    @Option(name: .long, help: ArgumentHelp("text for people, json for programs.", valueName: "text|json"))
    var format: OutputFormat = .text

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        guard since == nil || !dryRun && !fromStart else {
            throw .usage("notifications are always imported", at: "--since", "leave out --dry-run and --from-start")
        }
        guard since == nil || !claim else {
            throw .usage("a notification names no Apple Account", at: "--since", "leave out --claim")
        }
        guard customer == nil || !fromStart else {
            throw .usage(
                "a single customer is always compared completely", at: "--from-start", "leave it out, or --customer")
        }
        let settings = try Settings(
            evidenceOptions, source: .intake, on: console)
        let catalog = try Catalog(of: settings)
        let customer = try customer.map { text throws(CommandError) in try CustomerID(argument: text) }
        let beginning = try Instant(option: since, at: "--since")
        let place = try settings.vault(vault.vault)
        let store = StoreConfiguration(catalog: catalog, policy: settings.entitlementPolicy)
        return try await AppStoreConnection.with(server, settings, revocation: check.revocation, on: console) {
            client, verifier in
            try await place.with(for: dryRun ? .reading : .writing, tokens: settings.accountTokens) { vault in
                // Errors of the App Store are converted here, because the surrounding call reports errors as errors of
                // the vault.
                do {
                    if let beginning {
                        let repair = NotificationCatchUp(
                            client: client, verifier: verifier,
                            pool: StorePool(
                                configuration: .init(store: store, readsHistories: false), vault: vault,
                                verifier: verifier, clock: VirtualClock(console.now)))
                        return try await catchUp(repair, since: beginning, customer, in: vault, on: console)
                    }
                    let reconciliation = Reconciliation(
                        Reconciliation.Configuration(store: store, repairs: !dryRun, claims: claim), client: client,
                        vault: vault, verifier: verifier, learn: { await verifier.learnRevocation(of: $0) },
                        clock: VirtualClock(console.now))
                    return try await compare(reconciliation, customer, on: console)
                } catch let error as AppStoreServerError {
                    throw CommandError(asking: error, at: server.place, in: settings.environments)
                } catch let error as NotificationRepairError {
                    throw CommandError(repairing: error, of: place, at: server.place)
                }
            }
        }
    }

    // MARK: Histories

    private func compare(
        _ reconciliation: Reconciliation, _ customer: CustomerID?, on console: Console
    ) async throws -> ExitStatus {
        var differences: [CustomerDifference] = []
        let report: ReconciliationReport
        let isText = format == .text
        func note(_ difference: CustomerDifference) {
            if isText {
                for line in difference.lines(console.style) { console.output.line(line) }
                console.output.flush()
            } else {
                differences.append(difference)
            }
        }
        if let customer {
            let (difference, requests) = try await reconciliation.compare(customer)
            guard requests > 0 || difference.refusal != nil else {
                throw CommandError(
                    .no, "the vault has no transaction of '\(customer)' to request the history with", at: "--customer",
                    "fetch one with 'storekeeper fetch --transaction ID --customer \(customer)'")
            }
            report = ReconciliationReport(of: difference, requests: requests)
            if !difference.isEmpty { note(difference) }
        } else {
            let bar = ProgressBar(
                "Comparing", of: try await reconciliation.customerCount(), unit: "customers", on: console,
                isShown: !(isText && console.isOutputTerminal))
            defer { bar.end() }
            report = try await reconciliation.run(
                isFromStart: fromStart, onProgress: { bar.advance(to: $0) }, onDifference: note)
        }
        console.print(format, json: report.json(differences), lines: [report.summary(isDryRun: dryRun)])
        return report.open == 0 ? .success : .no
    }

    // MARK: Notifications

    private func catchUp(
        _ repair: NotificationCatchUp, since beginning: Instant, _ customer: CustomerID?,
        in vault: any TransactionalVault,
        on console: Console
    ) async throws -> ExitStatus {
        let report = try await repair.run(since: beginning, until: console.now, of: customer, in: vault)
        console.print(format, json: report.json, lines: report.lines)
        return report.refused == 0 ? .success : .no
    }
}
