import Storekeeper

/// A question about one customer, with its input and all answers that follow from the input.
struct AnswersQuery {
    let settings: Settings
    let resolver: EntitlementResolver
    let history: PurchaseHistory
    let resolution: Resolution
    /// The diagnostics about the evidence, sorted.
    let diagnostics: [Diagnostic]
    /// The error if the evidence permits no answer, for example because every item is malformed; otherwise `nil`.
    let refusal: CommandError?

    /// The instant for which the answers are computed.
    let at: Instant
    /// Whether the evidence files contain no item, or the vault has no data about the customer.
    ///
    /// Evidence files without items count as complete evidence that nothing was bought.
    let isEmpty: Bool
    /// The purchases that were imported for the customer and put aside, because they belong to another customer.
    let setAside: [SetAside]
    /// The reason why a product without evidence may nevertheless have been bought; `nil` if a product without evidence
    /// was never bought.
    let doubt: EntitlementAnswer.UnknownReason?
    /// The number of items of evidence that count, and the number that failed; `nil` if the source is a vault.
    let evidenceCounts: EvidenceCounts?
    /// The purchases that wait for approval; always empty if the source is evidence files.
    let pending: [PendingPurchase]
    /// Whether the source is a vault and not evidence files.
    let isFromVault: Bool
    /// The balances at the instant ``at``, sorted by name.
    let balances: [Balance]
    /// The first instant after ``at`` at which an answer or a balance changes.
    let nextChange: Instant?
    /// Whether every item of evidence was verified.
    let isVerified: Bool

    /// Reads the catalogs and either evidence files or a vault, and derives the answers.
    ///
    /// - Throws: ``CommandError`` with status 64 if neither evidence nor a customer is given, or if both are given; 65
    ///   for evidence of two apps and for an invalid catalog; 66 for an unreadable file.
    init(
        _ options: EvidenceOptions, evidence: [String], vault: VaultSourceOptions, on console: Console
    ) async throws(CommandError) {
        if let customer = try vault.customerID(beside: evidence) {
            try await self.init(options, of: customer, in: vault.vault, on: console)
            return
        }
        let settings = try Settings(options, on: console)
        let catalog = try Catalog(of: settings)
        let loaded = try await EvidenceLoader(settings: settings, catalog: catalog, console: console).load(evidence)
        self.init(settings: settings, catalog: catalog, loaded: loaded, now: console.now)
        let told = Set(loaded.diagnostics)
        console.report(diagnostics.filter { !told.contains($0) || $0.isAboutOptions })
        reportLeeway(of: options, on: console)
    }

    /// Reports that the option `--renewal-leeway` has no effect if no renewal info announces a renewal.
    private func reportLeeway(of options: EvidenceOptions, on console: Console) {
        guard options.question.renewalLeeway != nil, !history.hasRenewalInfos else { return }
        console.note(
            "--renewal-leeway has no effect: it needs a renewal info that announces the renewal, and there is none")
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
        setAside = []
        evidenceCounts = loaded.evidenceCounts
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
        let place = try settings.vault(path)
        let facts = try await place.with(for: .reading, tokens: settings.accountTokens) { vault in
            try await CustomerFacts(of: customer, in: vault, settings: settings)
        }
        if settings.bundleID == nil, facts.bundleIDs.count > 1 {
            // The evidence counts as verified, because a vault contains only verified evidence.
            throw .severalApps(facts.bundleIDs, EvidenceVerdict(isVerified: true, diagnostics: facts.diagnostics))
        }
        do {
            try self.init(settings: settings, catalog: catalog, facts: facts, now: console.now)
        } catch {
            throw CommandError(error, of: place, isReading: true)
        }
        console.report(diagnostics)
        for purchase in facts.setAside { console.note("the " + purchase.sentence) }
        reportLeeway(of: options, on: console)
    }

    /// Derives the answers from the facts about a customer that a vault contains.
    ///
    /// - Throws: ``VaultError`` if a sum of the customer's account exceeds 64 bits.
    init(
        settings: Settings, catalog: Catalog, facts: CustomerFacts, now: Instant
    ) throws(VaultError) {
        self.settings = settings
        resolver = EntitlementResolver(catalog: catalog, policy: settings.entitlementPolicy)
        history = facts.history
        let resolved = resolver.resolve(history, pending: facts.pending, grants: facts.grants)
        doubt = facts.isComplete ? nil : .neverSynced
        resolution = doubt.map { resolved.incomplete(because: $0) } ?? resolved
        let at = settings.at ?? resolved.now(byClock: now)
        self.at = at
        diagnostics = Diagnostic.ofVault(history, resolver: resolver, resolution: resolved, at: at, now: now)
        refusal = nil
        isEmpty = facts.isEmpty
        setAside = facts.setAside
        evidenceCounts = nil
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

    /// The answer for a product that is neither in the catalog nor in the evidence.
    var silence: EntitlementAnswer { doubt.map { .unknown($0) } ?? .never }

    /// A summary of the verification, without a period at its end.
    var proof: String {
        guard isFromVault, isEmpty else { return evidenceCounts?.text ?? "all evidence in the vault was verified" }
        return "the vault \(settings.asKnownAt == nil ? "has" : "had") no evidence of this customer"
    }

    /// The note that the vault has no data about the customer; `nil` if the vault has data, or if evidence files are
    /// read.
    var absence: String? {
        guard isFromVault, isEmpty else { return nil }
        if let knownAt = settings.asKnownAt { return "The vault had no data about this customer by \(knownAt)." }
        guard setAside.isEmpty else {
            return "The vault has no data about this customer: what was imported belongs to others. "
                + setAside.map { "The " + $0.sentence + "." }.joined(separator: " ")
        }
        return "The vault has no data about this customer. Check the id, or import the customer's evidence with "
            + "'storekeeper vault import --customer ID'."
    }

    /// Returns the first lines of a printed answer, which name the instant and summarize the verification, in color.
    func proofLines(_ style: TerminalStyle, width: Int?) -> [String] {
        "At \(at), \(proof).".wrapped(to: width).map { isVerified ? style.dim($0) : style.yellow($0) }
    }

    /// Returns the exit status with which the command ends after it has printed the answer.
    ///
    /// If the evidence permits no answer, the error ``refusal`` is printed on standard error.
    func ended(on console: Console) -> ExitStatus {
        guard let refusal else { return .success }
        console.output.flush()
        console.errors.line(refusal.description)
        return refusal.status
    }
}

extension Diagnostic {
    /// Whether the diagnostic is about the options and not about an item of evidence.
    var isAboutOptions: Bool { code == .bundleNotChecked }

    /// Returns the diagnostic for a file without items of evidence.
    static func emptyEvidence(_ file: String?) -> Diagnostic {
        Diagnostic(
            .emptyEvidence, subject: file,
            message: "a file without items counts as complete evidence that nothing was bought: check that the file is "
                + "complete")
    }
}

extension Catalog {
    /// Reads the catalog files that the settings name.
    init(of settings: Settings) throws(CommandError) {
        if settings.catalogs.isEmpty { self = .empty } else { try self.init(atPaths: settings.catalogs) }
    }
}
