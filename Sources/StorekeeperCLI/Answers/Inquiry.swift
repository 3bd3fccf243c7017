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
    /// Whether there was no evidence at all, which is complete evidence of no purchase.
    let isEmpty: Bool
    /// Whether every fact was verified.
    var isVerified: Bool { resolution.isVerified }

    /// Reads catalogs and evidence and works out the answers.
    ///
    /// - Throws: ``CommandError`` with 64 without evidence, 65 for evidence of two apps and for a catalog that is
    ///   none, 66 for a file that cannot be read.
    init(_ options: EvidenceOptions, evidence: [String], on console: Console) async throws(CommandError) {
        guard !evidence.isEmpty else {
            throw .usage("no evidence is given", at: "EVIDENCE", "name files, or - for standard input")
        }
        let settings = try Settings(options, on: console)
        let catalog = settings.catalogs.isEmpty ? .empty : try Catalog(atPaths: settings.catalogs)
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
        resolution = resolver.resolve(history)
        diagnostics = Diagnostic.sorted(
            loaded.diagnostics
                + EvidenceDiagnostics(history, resolver: resolver).diagnostics(at: settings.at, now: now))
        refusal = loaded.refusal
        isEmpty = loaded.items == 0
    }

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
            environments: Dictionary(environments.map { ($0, .grant) }, uniquingKeysWith: { first, _ in first }))
    }
}
