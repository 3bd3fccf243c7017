import Storekeeper

/// Accepts evidence without verifying signatures, for `--unsigned`.
///
/// Commands mark answers from such evidence as unverified. The app and the environment of the evidence must still match
/// the settings.
struct UnsignedEvidence {
    let bundleID: String?
    let appAppleID: Int64?
    let environments: Set<AppStore.Environment>

    init(_ settings: Settings) {
        bundleID = settings.bundleID
        appAppleID = settings.appAppleID
        environments = settings.environments
    }

    /// Accepts a decoded payload.
    func accept(_ payload: JSONValue, _ kind: EvidenceKind?) -> CheckedEvidence {
        let source = EvidenceSource.unsigned(payload.sourceText)
        do throws(PayloadError) {
            switch kind {
            case .transaction: return accept(.transaction(.unsigned(try Transaction(payload: payload, source: source))))
            case .renewalInfo: return accept(.renewalInfo(.unsigned(try RenewalInfo(payload: payload, source: source))))
            case .appTransaction:
                return accept(.appTransaction(.unsigned(try AppTransaction(payload: payload, source: source))))
            case .notification:
                return accept(.notification(.unsigned(try ServerNotification(payload: payload, source: source))))
            case nil:
                let error = VerificationError(.malformed, "the payload is of an unknown kind")
                return .unreadable(error, payload: nil)
            }
        } catch {
            let document = try? JSONReader().read(payload.sourceText)
            return .unreadable(
                VerificationError(.malformed, "the payload's \(error)"), payload: document?.root.sourceText)
        }
    }

    /// Accepts a well-formed JWS whose signature could not be verified, because no root is trusted.
    func accept(_ evidence: CheckedEvidence) -> CheckedEvidence {
        if evidence.error?.code == .malformed { return evidence }
        return switch evidence {
        case .transaction(let result): .transaction(check(result, bundleID: result.unsafePayloadValue.appBundleID))
        case .renewalInfo(let result): .renewalInfo(check(result, bundleID: nil))
        case .appTransaction(let result):
            .appTransaction(
                check(result, bundleID: result.unsafePayloadValue.bundleID, appID: result.unsafePayloadValue.appID))
        case .notification(let result):
            .notification(
                check(
                    result, bundleID: result.unsafePayloadValue.bundleID ?? "",
                    appID: result.unsafePayloadValue.appAppleID))
        case .unreadable: evidence
        }
    }

    /// - Parameters:
    ///   - bundleID: The bundle id of the item; `nil` if this kind of evidence has no bundle id; empty if the item
    ///     lacks it.
    ///   - appID: The app's Apple id. The inner optional is `nil` if the item lacks it; the outer optional is `nil` if
    ///     this kind of evidence has no such id.
    private func check<Fact>(
        _ result: VerificationResult<Fact>, bundleID found: String?, appID: Int64?? = nil
    ) -> VerificationResult<Fact> {
        let fact = result.unsafePayloadValue
        let error: VerificationError?
        if let found, found.isEmpty || !found.utf8.elementsEqual((bundleID ?? found).utf8) {
            error = .bundleMismatch(found: found, expected: bundleID)
        } else if let appID, let appAppleID, fact.environment == .production, appID != appAppleID {
            error = .appMismatch(found: appID, expected: appAppleID)
        } else if fact.environment == .unstated {
            // An unknown environment is not a refused one, so the answers about the item's products are unknown.
            error = VerificationError(
                .unsignedEvidence,
                "the receipt does not name its environment, so it may be of one that is not accepted: exchange it for "
                    + "signed transactions with 'storekeeper fetch --receipt FILE'")
        } else if !environments.contains(fact.environment) {
            let name = fact.environment.rawValue
            error = VerificationError(.environmentRefused, "items of the environment \(name) are not accepted")
        } else {
            error = nil
        }
        return error.map { .unverified(fact, $0) } ?? .unsigned(fact)
    }
}
