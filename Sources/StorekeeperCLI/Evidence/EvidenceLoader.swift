import Storekeeper
import StorekeeperJWS

/// Reads all evidence, divides it into facts and failures, and reports the failures on standard error.
struct EvidenceLoader {
    /// The maximum number of equal failures of one file that are reported one by one.
    static let maximumWarnings = 10

    let settings: Settings
    /// The catalog that contains the types of the products in receipts.
    ///
    /// If the catalog is `nil`, receipts are refused, because a vault cannot store them.
    let catalog: Catalog?
    let console: Console

    /// Reads files, some of which may already be open.
    ///
    /// - Throws: ``CommandError`` with status 66 for an unreadable file, 65 for evidence of two apps. Evidence that
    ///   permits no answer is returned without an error. The command reports the ``LoadedEvidence/refusal`` of this
    ///   evidence.
    func load(_ paths: [String], opened: [String: InputFile] = [:]) async throws(CommandError) -> LoadedEvidence {
        let reader = try EvidenceReader(paths, opened: opened)
        let checker = EvidenceChecker(settings.verifierConfiguration)
        var loaded = LoadedEvidence(settings)
        var filled: Set<String> = []
        let bar = ProgressBar("Verifying", of: InputFile.size(of: paths), unit: "bytes", on: console)
        try await reader.forEachBatch(bar, checker.check) { items in
            for item in items {
                filled.insert(item.file)
                add(item, to: &loaded, checker)
            }
        }
        for status in reader.statuses { loaded.add(status) }
        for path in paths where !filled.contains(path) { loaded.add(emptyFile: path) }
        report(loaded.failures)
        for path in loaded.emptyFiles.sorted() { console.report(.emptyEvidence(path)) }
        try loaded.checkBundles()
        return loaded
    }

    /// Verifies compact JWS from a server's response, in order.
    func load(
        _ items: [String], from place: String, by verifier: JWSVerifier
    ) throws(CommandError) -> LoadedEvidence {
        var loaded = LoadedEvidence(settings)
        for (number, item) in items.enumerated() {
            loaded.add(verifier.verify(item), file: place, line: number + 1)
        }
        report(loaded.failures)
        try loaded.checkBundles()
        return loaded
    }

    private func add(_ item: CheckedItem, to loaded: inout LoadedEvidence, _ checker: EvidenceChecker) {
        let (file, line) = (item.file, item.line)
        var evidence: CheckedEvidence
        var parts: [CheckedEvidence] = []
        switch item.content {
        case .malformed(let message):
            loaded.add(payload: nil, VerificationError(.malformed, message), file: file, line: line)
            return
        case .unsigned(let payload, let kind):
            guard settings.acceptsUnsigned else {
                let error = VerificationError(
                    .unsignedEvidence, "a decoded payload has no signature: give the JWS, or pass --unsigned")
                loaded.add(payload: payload, error, file: file, line: line)
                return
            }
            evidence = UnsignedEvidence(settings).accept(payload, kind)
            if case .notification(.unsigned(let notification)) = evidence { parts = checker.parts(of: notification) }
        case .signed(let signed, let verifiedParts):
            (evidence, parts) = (signed, verifiedParts)
        case .receipt(let receipt):
            add(receipt, file: file, line: line, to: &loaded)
            return
        }
        if settings.acceptsUnsigned, settings.roots.isEmpty {
            // Without trusted roots nothing is verified, so all well-formed evidence for this app counts.
            let unsigned = UnsignedEvidence(settings)
            evidence = unsigned.accept(evidence)
            if case .notification(.unsigned(let notification)) = evidence {
                parts = checker.parts(of: notification).map(unsigned.accept)
            }
        }
        loaded.add(evidence, parts: parts, file: file, line: line)
    }

    private func add(_ receipt: CheckedReceipt, file: String, line: Int, to loaded: inout LoadedEvidence) {
        guard let catalog else {
            let error = VerificationError(
                .malformed,
                "an app receipt, and a vault takes only transactions that are signed one by one: fetch them with "
                    + "'storekeeper fetch --receipt FILE --customer ID --vault FILE'")
            loaded.add(payload: nil, error, file: file, line: line)
            return
        }
        var purchases = receipt.evidence(catalog: catalog)
        if settings.acceptsUnsigned, settings.roots.isEmpty || !receipt.hasSignature {
            purchases = purchases.map(UnsignedEvidence(settings).accept)
        } else if purchases.isEmpty, receipt.error?.code == .environmentRefused {
            loaded.add(refusedIn: receipt.receipt?.environment)
            return
        } else if purchases.isEmpty, let error = receipt.error {
            loaded.add(payload: nil, error, file: file, line: line)
            return
        }
        loaded.add(receipt: purchases, file: file, line: line)
    }

    private func report(_ failures: [EvidenceFailure]) {
        var lines = FailureLines(maximum: Self.maximumWarnings)
        for failure in failures { lines.add(failure) }
        for line in lines.lines { console.warn(line) }
    }
}
