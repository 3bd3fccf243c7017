import Storekeeper

/// All evidence that a command has read, as facts that count and failures.
struct LoadedEvidence {
    /// The transactions that count, in the order of the files, including those inside notifications.
    private(set) var transactions: [Transaction] = []
    /// The renewal infos that count.
    private(set) var renewalInfos: [RenewalInfo] = []
    /// The notifications that count, whose statuses are evidence.
    private(set) var notifications: [ServerNotification] = []
    /// The unsigned states of subscriptions, which answers do not use.
    private(set) var statuses: [ReportedStatus] = []
    /// The app transactions that count.
    private(set) var appTransactions: [AppTransaction] = []
    /// The verified evidence that a vault stores.
    private(set) var facts: [VerifiedFact] = []
    /// The purchases of other apps.
    private var purchasesOfOtherApps: Set<RenewalInfoKey> = []
    /// The failures, in the order of the files.
    private(set) var failures: [EvidenceFailure] = []

    /// The number of items; parts of notifications are not counted.
    var items: Int { itemResults.count }
    /// The result of each item.
    private var itemResults: [ItemResult] = []

    /// The result of checking an item.
    fileprivate enum ItemResult {
        /// The item counts, or the transaction or renewal info inside a notification counts.
        case counts
        /// A renewal info, which counts only if a transaction of its chain counts.
        case countsBeside(ChainName)
        /// The item or one of its parts failed; other parts may count.
        case failed(VerificationError.Code, isWhole: Bool, somethingCounts: Bool)
        /// The environment is not accepted.
        case refused(AppStore.Environment?)
    }

    /// The original transaction id and the environment, by which a renewal info identifies its chain.
    fileprivate struct ChainName: Hashable {
        let originalID: Transaction.ID
        let environment: AppStore.Environment
    }

    /// The chains of the transactions that count.
    private var chains: Set<ChainName> = []

    /// Whether only signed evidence counts, which is false with `--unsigned`.
    let isSigned: Bool
    private let isBundleCompared: Bool
    /// The files without items.
    private(set) var emptyFiles: Set<String> = []
    private var bundleIDs: Set<String> = []

    init(_ settings: Settings) {
        isSigned = !settings.acceptsUnsigned
        isBundleCompared = settings.bundleID != nil
    }

    /// The products that are named by evidence that failed.
    ///
    /// Their answers are unknown unless other evidence about them counts.
    ///
    /// Evidence of a refused environment is excluded by the policy, and does not make an answer unknown.
    var unverifiedProductIDs: Set<Product.ID> {
        Set(failures.filter { $0.error.code != .environmentRefused }.flatMap(\.productIDs))
    }

    /// The products that are named by evidence of refused environments.
    var refusedProductIDs: Set<Product.ID> {
        Set(failures.filter { $0.error.code == .environmentRefused }.flatMap(\.productIDs))
    }

    /// The purchase history that consists of the facts.
    var history: PurchaseHistory {
        var history = PurchaseHistory()
        if isSigned {
            history.merge(transactions.lazy.map(VerificationResult.verified))
            _ = history.merge(renewalInfos.lazy.map { CheckedEvidence.renewalInfo(.verified($0)) })
            _ = history.merge(notifications.lazy.map { CheckedEvidence.notification(.verified($0)) })
            for appTransaction in appTransactions { history.merge(.verified(appTransaction)) }
        } else {
            history.merge(transactions.lazy.map(VerificationResult.unsigned))
            _ = history.merge(renewalInfos.lazy.map { CheckedEvidence.renewalInfo(.unsigned($0)) })
            _ = history.merge(notifications.lazy.map { CheckedEvidence.notification(.unsigned($0)) })
            for appTransaction in appTransactions { history.merge(.unsigned(appTransaction)) }
        }
        for status in statuses { history.record(status) }
        for purchase in purchasesOfOtherApps { history.recordOtherApp(purchase) }
        for id in unverifiedProductIDs { history.markDoubtful(id) }
        for id in refusedProductIDs { history.markRefused(id) }
        return history
    }

    /// The diagnostics about the evidence as a whole.
    var diagnostics: [Diagnostic] {
        var diagnostics = failures.flatMap(\.diagnostics)
        if !isBundleCompared {
            diagnostics.append(
                Diagnostic(
                    .bundleNotChecked, subject: bundleIDs.min(),
                    message: "no bundle id was compared: name the app with --bundle-id"))
        }
        // The empty file is named only on standard error, because answers must not depend on the names of files.
        if !emptyFiles.isEmpty { diagnostics.append(.emptyEvidence(nil)) }
        return Diagnostic.sorted(diagnostics)
    }

    /// Whether every item and every part of a notification was verified, apart from evidence of refused environments.
    var isVerified: Bool { isSigned && failures.allSatisfy { $0.error.code == .environmentRefused } }

    /// Whether a product without evidence was certainly never bought.
    ///
    /// This is false if the evidence permits no answer, or if an item failed and its product is unknown.
    var isSilenceProof: Bool {
        refusal == nil && failures.allSatisfy { $0.namesProduct || $0.error.code == .environmentRefused }
    }

    /// The number of items that count, and the number of items that failed.
    var evidenceCounts: EvidenceCounts {
        var (counted, alone) = (0, 0)
        var failures: [String: Int] = [:]
        var refused: [String: Int] = [:]
        for fate in itemResults {
            switch fate {
            case .counts: counted += 1
            case .countsBeside(let chain): if chains.contains(chain) { counted += 1 } else { alone += 1 }
            case .failed(let code, _, _): failures[code.rawValue, default: 0] += 1
            case .refused(let environment): refused[environment?.rawValue ?? "unknown", default: 0] += 1
            }
        }
        return EvidenceCounts(
            items: items, counted: counted,
            failures: failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) },
            refused: refused.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, alone: alone, isSigned: isSigned)
    }

    /// The error if the evidence permits no answer: with status 65 if every item was malformed, with 77 if nothing
    /// counts and an item failed.
    ///
    /// Evidence without items has no such error, because it counts as complete evidence that nothing was bought.
    var refusal: CommandError? {
        let isMalformed = itemResults.allSatisfy { fate in
            if case .failed(let code, isWhole: true, _) = fate { code == .malformed } else { false }
        }
        if items > 0, isMalformed {
            return CommandError(
                .malformedInput, "nothing in the evidence could be read", at: items.of("item"),
                "give compact JWS, one a line, or answers of the App Store Server API")
        }
        guard isSigned, !somethingCounts, itemResults.contains(where: \.isFailure) else { return nil }
        return CommandError(
            .refused, "no evidence could be verified", at: items.of("item"),
            "see 'storekeeper verify' for the reason of each; check --root and --bundle-id")
    }

    /// The error if the evidence contains nothing that a vault could record: with status 65 if it has no items, with 77
    /// if every item was refused, even if only because of its environment.
    ///
    /// A renewal info does not need its transaction here, because the vault may know the transaction.
    ///
    /// - Parameter isAnswered: Whether a file is a response of the App Store Server API with an empty list, which proves
    ///   that nothing was bought.
    func refusalToRecord(isAnswered: Bool) -> CommandError? {
        if let refusal { return refusal }
        guard items > 0 else {
            guard !isAnswered else { return nil }
            return CommandError(
                .malformedInput, "the evidence has no items, so nothing was recorded",
                at: emptyFiles.sorted().map(InputFile.name).joined(separator: ", "),
                "check the download; an answer of the App Store Server API with an empty list is accepted")
        }
        let isRefused = itemResults.allSatisfy { result in
            switch result {
            case .counts, .countsBeside: false
            case .failed(_, _, let somethingCounts): !somethingCounts
            case .refused: true
            }
        }
        guard isRefused else { return nil }
        let names = evidenceCounts.refused.map(\.environment)
        return CommandError(
            .refused, "every item is of an environment that is not accepted, so nothing was recorded",
            at: names.joined(separator: ", "),
            "accept it with \(names.map { "--environment \($0)" }.joined(separator: " "))")
    }

    private var somethingCounts: Bool {
        itemResults.contains { fate in
            switch fate {
            case .counts: true
            case .countsBeside(let chain): chains.contains(chain)
            case .failed(_, _, let somethingCounts): somethingCounts
            case .refused: false
            }
        }
    }

    /// Adds an unsigned state of a subscription, which is compared with the answers.
    mutating func add(_ status: ReportedStatus) { statuses.append(status) }

    /// Adds a file without items.
    mutating func add(emptyFile file: String) { emptyFiles.insert(file) }

    /// Adds an item and the parts of a notification.
    mutating func add(_ evidence: CheckedEvidence, parts: [CheckedEvidence] = [], file: String, line: Int) {
        let all = [evidence] + parts
        // The status in a notification is about the purchase in its parts, so it counts only if they are verified.
        if evidence.fault != nil || parts.allSatisfy({ $0.fault == nil }) {
            addFacts(of: evidence, file: file, line: line)
        }
        for part in parts { addFacts(of: part, file: file, line: line) }
        let faults = all.compactMap(\.fault)
        if let fault = faults.first(where: { $0.code != .environmentRefused }) {
            // Verified parts of a notification count even if another part failed.
            let somethingCounts = evidence.fault == nil && parts.contains { $0.fault == nil }
            itemResults.append(.failed(fault.code, isWhole: evidence.fault != nil, somethingCounts: somethingCounts))
        } else if !faults.isEmpty {
            itemResults.append(.refused(all.first { $0.fault != nil }?.environment))
        } else if case .renewalInfo(let result) = evidence {
            let info = result.unsafePayloadValue
            itemResults.append(
                .countsBeside(ChainName(originalID: info.originalTransactionID, environment: info.environment)))
        } else {
            itemResults.append(.counts)
        }
    }

    private mutating func addFacts(of evidence: CheckedEvidence, file: String, line: Int) {
        if let error = evidence.fault {
            failures.append(EvidenceFailure(evidence, error, file: file, line: line))
            if let purchase = evidence.purchaseOfOtherApp { purchasesOfOtherApps.insert(purchase) }
            return
        }
        if let fact = VerifiedFact(evidence) { facts.append(fact) }
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
            notifications.append(result.unsafePayloadValue)
            if let id = result.unsafePayloadValue.bundleID { bundleIDs.insert(id) }
        case .unreadable: break
        }
    }

    /// Adds a receipt, which is one item.
    ///
    /// - Parameter purchases: The purchases of the receipt, and the renewals of a response of `verifyReceipt`.
    mutating func add(receipt purchases: [CheckedEvidence], file: String, line: Int) {
        for purchase in purchases { addFacts(of: purchase, file: file, line: line) }
        let faults = purchases.compactMap(\.fault)
        if let fault = faults.first(where: { $0.code != .environmentRefused }) {
            let isWhole = faults.count == purchases.count
            itemResults.append(.failed(fault.code, isWhole: isWhole, somethingCounts: !isWhole))
        } else if !faults.isEmpty {
            itemResults.append(.refused(purchases.first { $0.fault != nil }?.environment))
        } else {
            itemResults.append(.counts)
        }
    }

    /// Adds the result of an item whose environment the policy refuses; the facts of the item are not added.
    mutating func add(refusedIn environment: AppStore.Environment?) { itemResults.append(.refused(environment)) }

    /// Adds an item that does not count, with the reason.
    mutating func add(payload: JSONValue?, _ error: VerificationError, file: String, line: Int) {
        itemResults.append(.failed(error.code, isWhole: true, somethingCounts: false))
        failures.append(EvidenceFailure(payload: payload, error, file: file, line: line))
    }

    /// Checks that all items are about one app, unless a bundle id is given.
    ///
    /// - Throws: ``CommandError`` with status 65 if items are about two apps.
    func checkBundles() throws(CommandError) {
        guard !isBundleCompared, bundleIDs.count > 1 else { return }
        throw .severalApps(bundleIDs, EvidenceVerdict(isVerified: isVerified, diagnostics: diagnostics))
    }
}

extension CheckedEvidence {
    /// The reason why the evidence does not count; `nil` if it counts, as unsigned evidence does with `--unsigned`.
    fileprivate var fault: VerificationError? { isUnsigned ? nil : error }
}

extension LoadedEvidence.ItemResult {
    /// Whether the item failed for a reason other than a refused environment.
    fileprivate var isFailure: Bool {
        if case .failed = self { true } else { false }
    }
}

extension CommandError {
    /// Returns the error for facts about several apps without a given bundle id.
    ///
    /// - Parameter verdict: The result of verifying the evidence, which is reported with the error.
    static func severalApps(_ bundleIDs: Set<String>, _ verdict: EvidenceVerdict) -> CommandError {
        let names = bundleIDs.sorted().prefix(3).joined(separator: ", ")
        var error = CommandError(
            .malformedInput, "the evidence is about \(bundleIDs.count) apps: \(names)", at: "--bundle-id",
            "name the app that counts with --bundle-id")
        error.verdict = verdict
        return error
    }
}
