import Storekeeper

/// All evidence of a run: the facts that count, and what became of the rest.
struct LoadedEvidence {
    /// The transactions that count, in the order of the files; those inside notifications too.
    private(set) var transactions: [Transaction] = []
    /// The renewal infos that count.
    private(set) var renewalInfos: [RenewalInfo] = []
    /// The app transactions that count.
    private(set) var appTransactions: [AppTransaction] = []
    /// What counts for nothing, in the order of the files.
    private(set) var failures: [EvidenceFailure] = []

    /// How many items there were; parts of notifications are none.
    var items: Int { fates.count }
    /// What became of each item.
    private var fates: [Fate] = []

    /// What becomes of an item.
    fileprivate enum Fate {
        /// It counts, by itself or by what it holds.
        case counts
        /// A renewal info, which counts beside a transaction of its chain only.
        case countsBeside(ChainName)
        /// It failed as a whole, or something that it holds did, of which something else may count.
        case failed(VerificationError.Code, isWhole: Bool, somethingCounts: Bool)
        /// Its environment is not accepted.
        case refused(AppStore.Environment?)
    }

    /// What a renewal info names the chain by of which it speaks.
    fileprivate struct ChainName: Hashable {
        let originalID: Transaction.ID
        let environment: AppStore.Environment
    }

    /// The chains of the transactions that count.
    private var chains: Set<ChainName> = []

    /// Whether only what is signed counts; not with `--unsigned`.
    let isSigned: Bool
    private let isBundleCompared: Bool
    /// The files without an item.
    private(set) var emptyFiles: Set<String> = []
    private var bundleIDs: Set<String> = []

    init(_ settings: Settings) {
        isSigned = !settings.acceptsUnsigned
        isBundleCompared = settings.bundleID != nil
    }

    /// The products that failed evidence names, which are unknown unless verified evidence names them too.
    ///
    /// A refused environment is policy and makes nothing unknown.
    var unverifiedProductIDs: Set<Product.ID> {
        Set(failures.filter { $0.error.code != .environmentRefused }.flatMap(\.productIDs))
    }

    /// The products that evidence of a refused environment names.
    var refusedProductIDs: Set<Product.ID> {
        Set(failures.filter { $0.error.code == .environmentRefused }.flatMap(\.productIDs))
    }

    /// The history that the facts make.
    var history: PurchaseHistory {
        var history = PurchaseHistory()
        if isSigned {
            history.merge(transactions.lazy.map(VerificationResult.verified))
            _ = history.merge(renewalInfos.lazy.map { CheckedEvidence.renewalInfo(.verified($0)) })
        } else {
            history.merge(transactions.lazy.map(VerificationResult.unsigned))
            _ = history.merge(renewalInfos.lazy.map { CheckedEvidence.renewalInfo(.unsigned($0)) })
        }
        for id in unverifiedProductIDs { history.markDoubtful(id) }
        for id in refusedProductIDs { history.markRefused(id) }
        return history
    }

    /// What an answer says of the evidence as a whole.
    var diagnostics: [Diagnostic] {
        var diagnostics = failures.flatMap(\.diagnostics)
        if !isBundleCompared {
            diagnostics.append(
                Diagnostic(
                    .warning, .bundleNotChecked, subject: bundleIDs.min(),
                    message: "no bundle id was compared: name the app with --bundle-id"))
        }
        // Which file it is stands on standard error: answers are the same under whatever names the evidence comes.
        if !emptyFiles.isEmpty { diagnostics.append(.emptyEvidence(nil)) }
        return Diagnostic.sorted(diagnostics)
    }

    /// Whether answers may be called verified: every item passed, and every part of one, a refused environment aside.
    var isVerified: Bool { isSigned && failures.allSatisfy { $0.error.code == .environmentRefused } }

    /// Whether what shows no purchase proves that there was none: not where there is no answer, nor where something
    /// failed of which nobody can tell which product it was about.
    var isSilenceProof: Bool {
        refusal == nil && failures.allSatisfy { $0.namesProduct || $0.error.code == .environmentRefused }
    }

    /// How many items count, and what became of the others.
    var tally: EvidenceTally {
        var (counted, alone) = (0, 0)
        var failures: [String: Int] = [:]
        var refused: [String: Int] = [:]
        for fate in fates {
            switch fate {
            case .counts: counted += 1
            case .countsBeside(let chain): if chains.contains(chain) { counted += 1 } else { alone += 1 }
            case .failed(let code, _, _): failures[code.rawValue, default: 0] += 1
            case .refused(let environment): refused[environment?.rawValue ?? "unknown", default: 0] += 1
            }
        }
        return EvidenceTally(
            items: items, counted: counted,
            failures: failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) },
            refused: refused.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, alone: alone, isSigned: isSigned)
    }

    /// Why there is no answer, if there is none: with 65 every item was malformed, with 77 nothing counts and something
    /// failed.
    ///
    /// Empty evidence is complete evidence.
    var refusal: CommandError? {
        let isMalformed = fates.allSatisfy { fate in
            if case .failed(let code, isWhole: true, _) = fate { code == .malformed } else { false }
        }
        if items > 0, isMalformed {
            return CommandError(
                .malformedInput, "nothing in the evidence could be read", at: "\(items) item\(items == 1 ? "" : "s")",
                "give compact JWS, one a line, or answers of the App Store Server API")
        }
        guard isSigned, !somethingCounts, fates.contains(where: \.isFailure) else { return nil }
        return CommandError(
            .refused, "no evidence could be verified", at: "\(items) item\(items == 1 ? "" : "s")",
            "see 'storekeeper verify' for the reason of each; check --root and --bundle-id")
    }

    private var somethingCounts: Bool {
        fates.contains { fate in
            switch fate {
            case .counts: true
            case .countsBeside(let chain): chains.contains(chain)
            case .failed(_, _, let somethingCounts): somethingCounts
            case .refused: false
            }
        }
    }

    /// Notes a file in which no item was found.
    mutating func add(emptyFile file: String) { emptyFiles.insert(file) }

    /// Adds an item and, of a notification, the parts that it holds.
    mutating func add(_ evidence: CheckedEvidence, parts: [CheckedEvidence] = [], file: String, line: Int) {
        let all = [evidence] + parts
        for evidence in all { addFacts(of: evidence, file: file, line: line) }
        let faults = all.compactMap(\.fault)
        if let fault = faults.first(where: { $0.code != .environmentRefused }) {
            // Whoever knows the parts of a notification takes them, whatever became of another.
            let somethingCounts = evidence.fault == nil && parts.contains { $0.fault == nil }
            fates.append(.failed(fault.code, isWhole: evidence.fault != nil, somethingCounts: somethingCounts))
        } else if !faults.isEmpty {
            fates.append(.refused(all.first { $0.fault != nil }?.environment))
        } else if case .renewalInfo(let result) = evidence {
            let info = result.unsafePayloadValue
            fates.append(
                .countsBeside(ChainName(originalID: info.originalTransactionID, environment: info.environment)))
        } else {
            fates.append(.counts)
        }
    }

    private mutating func addFacts(of evidence: CheckedEvidence, file: String, line: Int) {
        if let error = evidence.fault {
            failures.append(EvidenceFailure(evidence, error, file: file, line: line))
            return
        }
        switch evidence {
        case .transaction(let result):
            let transaction = result.unsafePayloadValue
            transactions.append(transaction)
            bundleIDs.insert(transaction.appBundleID)
            chains.insert(ChainName(originalID: transaction.originalID, environment: transaction.environment))
        case .renewalInfo(let result): renewalInfos.append(result.unsafePayloadValue)
        case .appTransaction(let result):
            appTransactions.append(result.unsafePayloadValue)
            bundleIDs.insert(result.unsafePayloadValue.bundleID)
        case .notification(let result):
            if let id = result.unsafePayloadValue.bundleID { bundleIDs.insert(id) }
        case .unreadable: break
        }
    }

    /// Adds an item that could not even be looked at as evidence.
    mutating func add(payload: JSONValue?, _ error: VerificationError, file: String, line: Int) {
        fates.append(.failed(error.code, isWhole: true, somethingCounts: false))
        failures.append(EvidenceFailure(payload: payload, error, file: file, line: line))
    }

    /// - Throws: ``CommandError`` with 65 where items are about two apps and nobody said which one counts.
    func checkBundles() throws(CommandError) {
        guard !isBundleCompared, bundleIDs.count > 1 else { return }
        throw .severalApps(bundleIDs, EvidenceVerdict(isVerified: isVerified, diagnostics: diagnostics))
    }
}

extension CheckedEvidence {
    /// Why it does not count; `nil` also for what nobody signed and `--unsigned` takes.
    fileprivate var fault: VerificationError? { isUnsigned ? nil : error }
}

extension LoadedEvidence.Fate {
    /// Whether it failed for another reason than its environment.
    fileprivate var isFailure: Bool {
        if case .failed = self { true } else { false }
    }
}

extension CommandError {
    /// Facts are about several apps and nobody said which one counts.
    ///
    /// - Parameter verdict: What is to be said of them all the same.
    static func severalApps(_ bundleIDs: Set<String>, _ verdict: EvidenceVerdict) -> CommandError {
        let names = bundleIDs.sorted().prefix(3).joined(separator: ", ")
        var error = CommandError(
            .malformedInput, "the evidence is about \(bundleIDs.count) apps: \(names)", at: "--bundle-id",
            "name the app that counts with --bundle-id")
        error.verdict = verdict
        return error
    }
}
