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
    let at: Instant
    /// Whether there was no evidence at all, which is complete evidence of no purchase; of a vault, whether it has
    /// nothing of the customer.
    let isEmpty: Bool
    /// Why silence about a product does not mean that it was never bought; `nil` where it does.
    let doubt: EntitlementAnswer.UnknownReason?
    /// How many items of evidence count, and what became of the others; `nil` of a vault.
    let tally: EvidenceTally?
    /// The purchases that wait for approval; evidence tells of none.
    let pending: [PendingPurchase]
    /// Whether a vault was asked.
    let isFromVault: Bool
    /// The balances at the instant asked about, by name.
    let balances: [Balance]
    /// The first instant after the one asked about at which anything changes.
    let nextChange: Instant?
    /// Whether every item was verified.
    let isVerified: Bool

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
        console.report(diagnostics.filter { !told.contains($0) || $0.isAboutOptions })
    }

    private init(settings: Settings, catalog: Catalog, loaded: LoadedEvidence, now: Instant) {
        self.settings = settings
        resolver = EntitlementResolver(catalog: catalog, policy: settings.entitlementPolicy)
        history = loaded.history
        let resolved = resolver.resolve(history)
        doubt = loaded.isSilenceProof ? nil : .unverified
        let resolution = doubt.map { resolved.incomplete(because: $0) } ?? resolved
        self.resolution = resolution
        let at = settings.at ?? resolution.now(byClock: now)
        self.at = at
        diagnostics = Diagnostic.sorted(
            loaded.diagnostics + catalog.unlistedProducts(besides: resolved)
                + EvidenceDiagnostics(history, resolver: resolver).diagnostics(at: at, now: now))
        refusal = loaded.refusal
        isEmpty = loaded.items == 0
        tally = loaded.tally
        isVerified = loaded.isVerified
        pending = []
        isFromVault = false
        balances = resolution.balances.map { timeline in
            let totals = timeline.totals(at: at)
            return Balance(id: timeline.id, credited: totals.credited, clawedBack: totals.clawedBack)
        }
        nextChange = resolution.nextChange(after: at)
    }

    private init(
        _ options: EvidenceOptions, of customer: CustomerID, in path: String?, on console: Console
    ) async throws(CommandError) {
        let settings = try Settings(options, source: .vault, on: console)
        let catalog = try Catalog(of: settings)
        let place = try VaultPlace(argument: path ?? settings.vault)
        let facts = try await place.with(for: .reading, tokens: settings.accountTokens) { vault in
            try await CustomerFacts(of: customer, in: vault, settings: settings)
        }
        if settings.bundleID == nil, facts.bundleIDs.count > 1 {
            // A vault holds only what was verified.
            throw .severalApps(facts.bundleIDs, EvidenceVerdict(isVerified: true, diagnostics: facts.diagnostics))
        }
        do {
            try self.init(settings: settings, catalog: catalog, facts: facts, now: console.now)
        } catch {
            throw CommandError(error, of: place, isReading: true)
        }
        console.report(diagnostics)
    }

    private init(
        settings: Settings, catalog: Catalog, facts: CustomerFacts, now: Instant
    ) throws(VaultError) {
        self.settings = settings
        resolver = EntitlementResolver(catalog: catalog, policy: settings.entitlementPolicy)
        history = facts.history
        let resolved = resolver.resolve(history, pending: facts.pending)
        doubt = facts.isComplete ? nil : .neverSynced
        resolution = doubt.map { resolved.incomplete(because: $0) } ?? resolved
        let at = settings.at ?? resolved.now(byClock: now)
        self.at = at
        diagnostics = Diagnostic.ofVault(history, resolver: resolver, resolution: resolved, at: at, now: now)
        refusal = nil
        isEmpty = facts.isEmpty
        tally = nil
        isVerified = resolved.isVerified
        pending = facts.pending
        isFromVault = true
        var known = try facts.account.balances(at: at)
        for timeline in resolved.balances where known[timeline.id] == nil {
            known[timeline.id] = Balance(id: timeline.id)
        }
        balances = known.sorted { $0.key < $1.key }.map(\.value)
        nextChange = [resolution.nextChange(after: at), facts.account.nextChange(after: at)]
            .compactMap { $0 }.min()
    }

    /// What is said of a product that neither catalog nor evidence knows.
    var silence: EntitlementAnswer { doubt.map { .unknown($0) } ?? .never }

    /// Whether everything was verified, and what was not, in words without a full stop.
    var proof: String { tally?.text ?? "all that the vault holds was verified" }

    /// What to say of a customer of whom a vault has nothing; `nil` of others, and of evidence.
    var absence: String? {
        guard isFromVault, isEmpty else { return nil }
        if let knownAt = settings.asKnownAt { return "The vault knew nothing of this customer by \(knownAt)." }
        return "The vault has nothing of this customer. Check the id, or take in what the App Store says with "
            + "'storekeeper vault import --customer ID'."
    }

    /// The same in its colour, at the beginning of a text: when, and what is behind it.
    func proofLines(_ style: TerminalStyle, width: Int?) -> [String] {
        "At \(at), \(proof).".wrapped(to: width).map { isVerified ? style.dim($0) : style.yellow($0) }
    }

    /// Ends a command that has printed its answer: with the refusal, where the evidence was no ground for it.
    func ended(on console: Console) -> ExitStatus {
        guard let refusal else { return .success }
        console.output.flush()
        console.errors.line(refusal.description)
        return refusal.status
    }
}

extension Diagnostic {
    /// Whether it was not told already, item by item, while the evidence was read.
    var isAboutOptions: Bool { code == .bundleNotChecked }

    /// A file without an item of evidence.
    static func emptyEvidence(_ file: String?) -> Diagnostic {
        Diagnostic(
            .warning, .emptyEvidence, subject: file,
            message: "a file without an item counts as complete evidence of no purchase: check that it was written "
                + "whole")
    }
}

extension Settings {
    /// The policy of the engine.
    var entitlementPolicy: EntitlementPolicy {
        EntitlementPolicy(
            gracePeriodEntitles: policy.graceEntitles, billingRetryEntitles: policy.billingRetryEntitles,
            renewalLeeway: .milliseconds(policy.renewalLeeway),
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
