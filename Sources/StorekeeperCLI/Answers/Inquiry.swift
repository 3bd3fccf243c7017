import Storekeeper

/// A question about one customer: what was given, and all that follows from it.
struct Inquiry {
    let settings: Settings
    let resolver: EntitlementResolver
    let history: PurchaseHistory
    let resolution: Resolution
    /// What a person should know about the evidence, sorted.
    let diagnostics: [Diagnostic]
    /// Why the evidence as a whole is no ground for an answer, where it is none.
    let refusal: CommandError?

    /// The instant asked about.
    var at: Instant { settings.at }
    /// Whether there was no evidence at all, which is complete evidence of no purchase; of a vault, whether it has
    /// nothing of the customer.
    let isEmpty: Bool
    /// Whether silence about a product means that it was never bought.
    let isComplete: Bool
    /// The purchases that wait for approval; evidence tells of none.
    let pending: [PendingPurchase]
    /// Whether a vault was asked.
    let isFromVault: Bool
    /// The balances at the instant asked about, by name.
    let balances: [Balance]
    /// The first instant after the one asked about at which anything changes.
    let nextChange: Instant?
    /// Whether every fact was verified.
    var isVerified: Bool { resolution.isVerified }

    /// Reads catalogs and evidence, or what a vault knows, and works out the answers.
    ///
    /// - Throws: ``CommandError`` with 64 without evidence or customer, or with both; 65 for evidence of two apps and
    ///   for a catalog that is none; 66 for a file that cannot be read.
    init(
        _ options: EvidenceOptions, evidence: [String], vault: VaultSourceOptions, on console: Console
    ) async throws(CommandError) {
        if let customer = try vault.customerID(beside: evidence) {
            try await self.init(options, of: customer, in: vault.vault, on: console)
            return
        }
        let settings = try Settings(options, on: console)
        let catalog = try Catalog(of: settings)
        let loaded = try await EvidenceLoader(settings: settings, console: console).load(evidence)
        self.init(settings: settings, catalog: catalog, loaded: loaded, now: console.now)
        let told = Set(loaded.diagnostics)
        for diagnostic in diagnostics where !told.contains(diagnostic) || diagnostic.isAboutOptions {
            console.report(diagnostic)
        }
    }

    private init(settings: Settings, catalog: Catalog, loaded: LoadedEvidence, now: Instant) {
        self.settings = settings
        resolver = EntitlementResolver(catalog: catalog, policy: settings.entitlementPolicy)
        history = loaded.history
        let resolution = resolver.resolve(history)
        self.resolution = resolution
        diagnostics = Diagnostic.sorted(
            loaded.diagnostics
                + EvidenceDiagnostics(history, resolver: resolver).diagnostics(at: settings.at, now: now))
        refusal = loaded.refusal
        isEmpty = loaded.items == 0
        isComplete = true
        pending = []
        isFromVault = false
        balances = resolution.balances.map { timeline in
            let totals = timeline.totals(at: settings.at)
            return Balance(id: timeline.id, credited: totals.credited, clawedBack: totals.clawedBack)
        }
        nextChange = resolution.nextChange(after: settings.at)
    }

    private init(
        _ options: EvidenceOptions, of customer: CustomerID, in path: String?, on console: Console
    ) async throws(CommandError) {
        let settings = try Settings(options, source: .vault, on: console)
        let catalog = try Catalog(of: settings)
        let path = path ?? settings.vault ?? VaultSettings.defaultPath
        let facts = try await VaultFile.with(path, for: .reading, tokens: settings.accountTokens) { vault in
            try await CustomerFacts(of: customer, in: vault, settings: settings)
        }
        if settings.bundleID == nil, facts.bundleIDs.count > 1 { throw .severalApps(facts.bundleIDs) }
        do {
            try self.init(settings: settings, catalog: catalog, facts: facts, now: console.now)
        } catch {
            throw CommandError(error, of: path, isReading: true)
        }
        for diagnostic in diagnostics { console.report(diagnostic) }
    }

    private init(
        settings: Settings, catalog: Catalog, facts: CustomerFacts, now: Instant
    ) throws(VaultError) {
        self.settings = settings
        resolver = EntitlementResolver(catalog: catalog, policy: settings.entitlementPolicy)
        history = facts.history
        let resolved = resolver.resolve(history, pending: facts.pending)
        resolution = facts.isComplete ? resolved : resolved.incomplete
        // Whose the purchases are is settled, whatever tokens they carry.
        let found = EvidenceDiagnostics(history, resolver: resolver).diagnostics(at: settings.at, now: now)
        diagnostics = Diagnostic.sorted(facts.diagnostics + found.filter { $0.code != .severalCustomers })
        refusal = nil
        isEmpty = facts.isEmpty
        isComplete = facts.isComplete
        pending = facts.pending
        isFromVault = true
        var known = try facts.account.balances(at: settings.at)
        for timeline in resolved.balances where known[ByteText(timeline.id)] == nil {
            known[ByteText(timeline.id)] = Balance(id: timeline.id)
        }
        balances = known.sorted { $0.key < $1.key }.map(\.value)
        nextChange = [resolution.nextChange(after: settings.at), facts.account.nextChange(after: settings.at)]
            .compactMap { $0 }.min()
    }

    /// What is said of a product that neither catalog nor evidence knows.
    var silence: EntitlementAnswer { isComplete ? .never : .unknown(.neverSynced) }

    /// Ends a command that has printed its answer: with the refusal, where the evidence was no ground for it.
    func ended(on console: Console) -> ExitStatus {
        guard let refusal else { return .success }
        console.errors.line(refusal.description)
        return refusal.status
    }
}

extension Diagnostic {
    /// Whether it was not told already, item by item, while the evidence was read.
    fileprivate var isAboutOptions: Bool { code == .bundleNotChecked }
}

extension Settings {
    /// The policy of the engine.
    var entitlementPolicy: EntitlementPolicy {
        EntitlementPolicy(
            gracePeriodEntitles: policy.graceEntitles, billingRetryEntitles: policy.billingRetryEntitles,
            renewalLeeway: policy.renewalLeeway,
            environments: Dictionary(environments.map { ($0, .grant) }, uniquingKeysWith: { first, _ in first }),
            refundPolicy: policy.refunds)
    }
}

extension Catalog {
    /// Reads the catalogs that settings name.
    init(of settings: Settings) throws(CommandError) {
        if settings.catalogs.isEmpty { self = .empty } else { try self.init(atPaths: settings.catalogs) }
    }
}
