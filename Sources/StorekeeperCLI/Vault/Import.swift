import Storekeeper
import StorekeeperJWS

/// Imports evidence and exports into a vault.
struct Import {
    /// The maximum number of facts per commit.
    ///
    /// A notification is a fact and contains two facts, so a commit has room for 1,000 notifications.
    private static let batchSize = 3_000

    let settings: Settings
    let catalog: Catalog
    let customer: CustomerID?
    let console: Console

    /// The given files, divided into evidence and exports according to their first bytes.
    struct Sources {
        var evidence: [String] = []
        var archives: [InputFile] = []
        var opened: [String: InputFile] = [:]
        /// The files that are responses of the App Store Server API with an empty list.
        var emptyAnswers: Set<String> = []

        init(_ paths: [String]) throws(CommandError) {
            try InputFile.check(paths)
            for path in paths {
                let file = try InputFile(path)
                if try file.begins(with: ArchiveLine.headerStart) {
                    archives.append(file)
                } else {
                    evidence.append(path)
                    opened[path] = opened[path] ?? file
                    if EmptyAnswer.isAnswer(beginning: try file.beginning()) { emptyAnswers.insert(path) }
                }
            }
        }
    }

    /// Reads and verifies evidence, and adds diagnostics to the report.
    func load(_ sources: Sources, into report: inout ImportReport) async throws(CommandError) -> LoadedEvidence? {
        guard !sources.evidence.isEmpty else { return nil }
        let loaded = try await EvidenceLoader(settings: settings, catalog: nil, console: console)
            .load(sources.evidence, opened: sources.opened)
        examine(loaded, into: &report)
        return loaded
    }

    /// Adds diagnostics about evidence to the report and to standard error.
    func examine(_ loaded: LoadedEvidence, into report: inout ImportReport) {
        let resolver = EntitlementResolver(catalog: catalog, policy: settings.entitlementPolicy)
        let told = Set(loaded.diagnostics)
        report.items = loaded.items
        report.diagnostics = Diagnostic.sorted(
            loaded.diagnostics
                + EvidenceDiagnostics(loaded.history, resolver: resolver)
                .diagnostics(at: settings.at ?? console.now, now: console.now))
        console.report(report.diagnostics.filter { !told.contains($0) || $0.isAboutOptions })
    }

    /// Writes evidence about the customer, in order, up to ``batchSize`` facts per commit.
    ///
    /// - Parameter isWhole: Whether the evidence is the customer's complete history, as far as it could be verified.
    func commit(
        _ loaded: LoadedEvidence, for customer: CustomerID, into vault: some TransactionalVault, isWhole: Bool = true,
        _ report: inout ImportReport
    ) async throws {
        let facts = loaded.facts.filter { $0.transaction != nil } + loaded.facts.filter { $0.transaction == nil }
        // The history is not complete if evidence failed verification, because this evidence may be about another
        // purchase.
        let isComplete = isWhole && loaded.failures.allSatisfy { $0.error.code == .environmentRefused }
        var configuration = StoreConfiguration(catalog: catalog, policy: settings.entitlementPolicy)
        configuration.batchSize = Self.batchSize
        let verifier = RefusingVerifier(environments: settings.environments)
        let store = try await Store.open(
            customer: customer, configuration: configuration, vault: vault, verifier: verifier,
            clock: VirtualClock(console.now))
        let bar = ProgressBar("Writing", of: facts.count, unit: "facts", on: console)
        defer { bar.end() }
        var start = 0
        var owners: Set<CustomerID> = []
        repeat {
            let batch = Array(facts[start..<min(start + Self.batchSize, facts.count)])
            start += batch.count
            let taken = try await store.ingest(verified: batch, isComplete: isComplete && start == facts.count)
            report.add(taken, of: batch.count { $0.notification == nil })
            owners.formUnion(taken.owners)
            bar.advance(by: batch.count)
        } while start < facts.count
        // A copy of a transaction that counts for another customer, such as its refund, counts for them at once, as does
        // all other evidence that was parked for them.
        for owner in owners.subtracting([customer]).sorted() {
            var seen = Set(try await vault.load(owner).facts.map { PayloadKey($0.fact) })
            try await Store.open(
                customer: owner, configuration: configuration, vault: vault, verifier: verifier,
                clock: VirtualClock(console.now)
            ).sync()
            for (fact, holder) in zip(facts, try await vault.owners(of: facts))
            where holder == owner && fact.notification == nil {
                report.addAdopted(fact, isNew: seen.insert(PayloadKey(fact)).inserted)
            }
        }
    }

    /// Writes an export, one customer per commit.
    ///
    /// - Parameter vault: The vault to write to. If ``customer`` is set, other customers are skipped.
    func restore(
        _ archive: InputFile, into vault: some TransactionalVault, _ report: inout ImportReport
    ) async throws {
        var configuration = settings.verifierConfiguration
        // The vault that wrote the export has already checked the app of each fact.
        (configuration.bundleID, configuration.appAppleID) = (nil, nil)
        configuration.environments = AppStore.Environment.known
        // If Xcode's certificate is trusted, do not restore evidence of production.
        if configuration.roots.contains(where: \.isXcodeCertificate) { configuration.environments.remove(.production) }
        let reader = ArchiveReader(archive, verifier: JWSVerifier(configuration))
        let rule = LedgerRule(catalog: catalog, policy: settings.entitlementPolicy)
        let bar = ProgressBar("Restoring", of: InputFile.size(of: [archive.path]), unit: "bytes", on: console)
        defer { bar.end() }
        while let next = try await reader.next() {
            guard customer == nil || next.customer == customer else { continue }
            report.add(try await restored(next, in: vault, by: rule, from: archive), of: next)
            bar.advance(to: archive.bytesRead)
        }
    }

    /// Writes a customer of an export, or throws an error about an inconsistent account.
    private func restored(
        _ customer: CustomerArchive, in vault: some TransactionalVault, by rule: LedgerRule, from archive: InputFile
    ) async throws -> RestoreReceipt {
        let problem: VaultError
        do {
            return try await vault.restore(customer, rule: rule, at: console.now)
        } catch {
            problem = error
        }
        guard problem.code == .invalidRequest || problem.code == .overflow else { throw problem }
        throw CommandError(
            .malformedInput, problem.message, at: InputFile.name(of: archive.path),
            "export again; customers before it were imported, and repeating is safe")
    }
}
