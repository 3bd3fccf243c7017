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
    private(set) var items = 0
    private(set) var malformed = 0
    private(set) var verified = 0
    /// How many failed for another reason than a refused environment.
    private(set) var failed = 0

    /// Where evidence of two apps is to be mended.
    static let bundlePlace = "--bundle-id"

    /// Whether answers may be called verified; not with `--unsigned`.
    let isVerified: Bool
    private let isBundleCompared: Bool
    private var bundleIDs: Set<String> = []

    init(_ settings: Settings) {
        isVerified = !settings.acceptsUnsigned
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
        if isVerified {
            history.merge(transactions.lazy.map(VerificationResult.verified))
            for info in renewalInfos { history.merge(.verified(info)) }
        } else {
            history.mergeUnverified(transactions: transactions, renewalInfos: renewalInfos)
        }
        for id in unverifiedProductIDs { history.note(doubtful: id) }
        for id in refusedProductIDs { history.note(refused: id) }
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
        return Diagnostic.sorted(diagnostics)
    }

    /// Why there is no answer, if there is none: with 65 every item was malformed, with 77 none was verified.
    ///
    /// Empty evidence is complete evidence.
    var refusal: CommandError? {
        if items > 0, malformed == items {
            return CommandError(
                .malformedInput, "nothing in the evidence could be read", at: "\(items) item\(items == 1 ? "" : "s")",
                "give compact JWS, one a line, or answers of the App Store Server API")
        }
        guard isVerified, verified == 0, failed > 0 else { return nil }
        return CommandError(
            .refused, "no evidence could be verified", at: "\(items) item\(items == 1 ? "" : "s")",
            "see 'storekeeper verify' for the reason of each; check --root and --bundle-id")
    }

    /// Adds an item or a part of a notification.
    mutating func add(_ evidence: VerifiedEvidence, isItem: Bool, file: String, line: Int) {
        if isItem { count(evidence.error) }
        if let error = evidence.error {
            failures.append(EvidenceFailure(evidence, error, file: file, line: line))
            return
        }
        switch evidence {
        case .transaction(let result):
            transactions.append(result.unsafePayloadValue)
            bundleIDs.insert(result.unsafePayloadValue.appBundleID)
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
        count(error)
        failures.append(EvidenceFailure(payload: payload, error, file: file, line: line))
    }

    private mutating func count(_ error: VerificationError?) {
        items += 1
        switch error?.code {
        case nil: verified += 1
        case VerificationError.Code.malformed:
            malformed += 1
            failed += 1
        case VerificationError.Code.environmentRefused: break
        default: failed += 1
        }
    }

    /// - Throws: ``CommandError`` with 65 where items are about two apps and nobody said which one counts.
    func checkBundles() throws(CommandError) {
        guard !isBundleCompared, bundleIDs.count > 1 else { return }
        throw .severalApps(bundleIDs)
    }
}

extension CommandError {
    /// Facts are about several apps and nobody said which one counts.
    static func severalApps(_ bundleIDs: Set<String>) -> CommandError {
        let names = bundleIDs.sorted().prefix(3).joined(separator: ", ")
        return CommandError(
            .malformedInput, "the evidence is about \(bundleIDs.count) apps: \(names)", at: LoadedEvidence.bundlePlace,
            "name the app that counts with --bundle-id")
    }
}
